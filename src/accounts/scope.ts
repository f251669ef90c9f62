/** The scopes of tokens: their texts, and which one includes another (spec: Authentication 7). */
import { isOneOf } from "../platform/one-of.ts";

export const SCOPES = [
  "api",
  "read_api",
  "read_user",
  "profile",
  "openid",
  "email",
  "write_events",
  "self_rotate",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Title and explanation of each scope, for consent and registration. */
export const SCOPE_WORDS: Readonly<Record<Scope, { title: string; detail: string }>> = {
  api: {
    title: "Act as you in every project",
    detail: "Read and change everything you can reach: projects, alerts, settings and tokens",
  },
  read_api: {
    title: "Read everything you can see",
    detail: "Projects, alerts, incidents and events, including private ones; no changes",
  },
  read_user: {
    title: "Read your account and activity",
    detail: "Email address and all events in your projects, including private ones",
  },
  profile: {
    title: "See your profile",
    detail: "Name, username, picture, your groups and your roles in them",
  },
  openid: { title: "Know who you are", detail: "A stable number for your account, for signing in" },
  email: { title: "See your email address", detail: "The address of your account" },
  write_events: {
    title: "Write events",
    detail: "Add events to projects in which you are a Developer; no read access",
  },
  self_rotate: {
    title: "Renew itself",
    detail:
      "A personal access token with this scope can replace itself with a new one with the same scopes; nothing else",
  },
};

/** Scopes that a scope includes. */
const INCLUDES: Readonly<Partial<Record<Scope, readonly Scope[]>>> = {
  api: ["read_api", "read_user", "profile", "openid", "email", "write_events", "self_rotate"],
  read_api: ["read_user", "profile"],
  read_user: ["profile"],
};

export function isScope(word: string): word is Scope {
  return isOneOf(SCOPES, word);
}

/**
 * Whether a token with the scopes `held` may use a route that accepts any one of `accepted`; includes count only if they are
 * listed.
 */
export function holdsAny(held: readonly string[], accepted: readonly string[]): boolean {
  return accepted.some((scope) => held.includes(scope));
}

/** Whether a holder of `allowed` may pass on `asked` (`api` may give `read_user`). */
export function covers(allowed: readonly string[], asked: readonly string[]): boolean {
  return asked.every(
    (scope) =>
      allowed.includes(scope) ||
      allowed.some((held) => isScope(held) && INCLUDES[held]?.includes(scope as Scope)),
  );
}

/**
 * Returns the scopes of a token that its application may still ask for, given the application's scopes `allowed`: those that both
 * cover (decision 0029). A token with `api` is worth `read_user` if its application is left with that.
 */
export function effectiveScopes(held: readonly string[], allowed: readonly string[]): readonly string[] {
  const kept = held.filter((scope) => covers(allowed, [scope]));
  if (kept.length === held.length) return held;
  return [...kept, ...allowed.filter((scope) => covers(held, [scope]) && !covers(kept, [scope]))];
}
