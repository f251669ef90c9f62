/** The `scope` parameter: how it is read, and what an application gets that names none. */
import { isScope } from "../accounts/scope.ts";

const LONGEST = 1000;

/** Scopes of GitLab for what is not here; glab asks for one of them whenever it signs somebody in (decision 0123). */
const OF_GITLAB = new Set(
  ["repository", "registry", "virtual_registry"].flatMap((what) => [`read_${what}`, `write_${what}`]),
);

/** What clients of OpenID Connect ask for beside `openid` wherever they go (decision 0017). */
const OF_SIGN_IN = new Set(["offline_access", "address", "phone", "groups"]);

/**
 * The scopes of a `scope` parameter, each once; undefined when it is malformed or names an unknown one.
 * Separated by single blanks (RFC 6749 §3.3); a list with commas alone is read as well, since passport-gitlab2
 * joins with them (reference oauth 0.8). Beside `openid`, what its clients name everywhere is passed over (OpenID Connect Core
 * §3.1.2.1): `groups` of Argo CD, `address`, and `offline_access`, for who gets a refresh token is a matter of the
 * application's flows (§11, decision 0017). So are GitLab's scopes for repositories and registries beside others; the
 * answer says what was granted (RFC 6749 §3.3).
 */
export function readScope(parameter: string): string[] | undefined {
  if (parameter.length > LONGEST) return undefined;
  const named = parameter.split(parameter.includes(" ") ? " " : /[ ,]/);
  const signsIn = named.includes("openid");
  const words = named.filter((word) => !OF_GITLAB.has(word) && !(signsIn && OF_SIGN_IN.has(word)));
  return words.length > 0 && words.every(isScope) ? [...new Set(words)] : undefined;
}

/** What a registration names, without GitLab's scopes for what is not here, unless there is nothing else (reference oauth A11). */
export function registeredScopes(named: readonly string[]): readonly string[] {
  const known = named.filter((word) => !OF_GITLAB.has(word));
  return known.length > 0 ? known : named;
}

/** What an authorization request sent of it, for the event log of the application; one that only signs people in is cut to that. */
export function sentScope(scope: unknown, purpose: unknown): string {
  if (purpose === "login") return "gl_auth_type=login, which asks for read_user";
  return `“${String(scope ?? "").slice(0, 300)}”`;
}

/** What an authorization request without a scope asks for: `api` if the application has it, else all it has (contract §4). */
export function defaultScopes(applicationScopes: readonly string[]): string[] {
  return applicationScopes.includes("api") ? ["api"] : [...applicationScopes];
}
