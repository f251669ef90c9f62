/** Parts of the token model: possible steps, what it remembers of each secret, and how requests are sent. */

import { GRANT_TYPES } from "../../src/oauth/application.ts";
import { NO_KEYS } from "../../src/oauth/public-keys.ts";
import { registerApplication } from "../../src/oauth/register-application.ts";
import { CALLBACK } from "./oauth.ts";
import type { Reply, World } from "./world.ts";

export const DAY = 24 * 3600;
/**
 * Times to let pass, each clearly within or beyond a limit, however long the run takes: grace 30 s, codes 60 s, devices 10
 * min, questions 30 min, an old secret an hour, access 2 h, idle 30 d.
 */
export const PASSES = [40, 3600, 7300, 31 * DAY] as const;
export type Scopes = readonly string[];
export const SCOPES: readonly Scopes[] = [["api"], ["read_user"], ["profile"], ["profile", "read_user"]];
export const ALL_SCOPES: Scopes = ["api", "read_user", "profile"];
export const REGISTERED: readonly Scopes[] = [["read_user", "profile"], ["profile"], ["openid"], ALL_SCOPES];
/** The grant types that an application is registered for in turn. */
export const FLOWS: readonly (readonly string[])[] = [
  GRANT_TYPES,
  GRANT_TYPES.filter((flow) => flow !== "refresh_token"),
  ["password", "device_code", "client_credentials", "refresh_token"],
  ["authorization_code", "refresh_token"],
];
export const CALLBACKS = [CALLBACK, "https://app.example.org/elsewhere"] as const;
export const GRACES = [0, 3600] as const;

/** Possible steps; `which` counts from the newest. */
export type Step =
  | { do: "authorize" | "implicit"; scopes: number; answer: "allow" | "deny" }
  | { do: "ask"; flow: "code" | "token"; scopes: number }
  | { do: "answer"; which: number; answer: "allow" | "deny" }
  | { do: "device"; scopes: number; answer: "allow" | "deny" | "none" }
  | { do: "redeem" | "poll"; which: number; by: "own" | "other" }
  | { do: "refresh"; which: number; by: "own" | "other"; scopes?: number | undefined }
  | { do: "revoke access" | "revoke refresh"; which: number; by: "own" | "other" }
  | { do: "password" | "client"; scopes?: number | undefined }
  | { do: "scopes" | "flows" | "callback" | "renew secret"; to: number }
  | { do: "time"; passes: number }
  | { do: "withdraw" | "block" | "unblock" | "delete" | "two-factor" | "one factor" }
  | { do: "trust" | "no trust" | "new password" | "end sessions" };

export interface Family {
  live: boolean;
  /** Who the tokens act for, and how they were granted. */
  by: "consent" | "password" | "itself";
  scopes: Scopes;
}
export interface Code {
  secret: string;
  family: Family;
  redirect: string;
  spent: boolean;
  expiresAt: number;
}
export interface Device {
  secret: string;
  scopes: Scopes;
  decision: "allow" | "deny" | "none";
  spent: boolean;
  expiresAt: number;
}
/** A consent page open in a browser. */
export interface Question {
  cookie: string;
  fields: Readonly<Record<string, string>>;
  flow: "code" | "token";
  scopes: Scopes;
  redirect: string;
  signedOut: boolean;
  answered: boolean;
  expiresAt: number;
}
export interface Access {
  secret: string;
  family: Family;
  scopes: Scopes;
  ended: boolean;
  expiresAt: number;
}
export interface Refresh {
  secret: string;
  family: Family;
  expiresAt: number;
  spentAt?: number;
  asked?: string | undefined;
  successor?: { access: Access; refresh: Refresh };
}
export interface Client {
  id: number;
  uid: string;
  secret: string;
}
export interface Own extends Client {
  exists: boolean;
  trusted: boolean;
  scopes: Scopes;
  flows: readonly string[];
  redirect: string;
  /** Newest last. */
  secrets: { secret: string; until: number }[];
}

export type Answer = Reply["json"];

export interface InjectReply {
  status: number;
  text: string;
  location: string;
  json: Answer;
}

/** An application of the instance that is registered for everything in the model. */
export async function anyApplication(world: World): Promise<Client> {
  return registerApplication(world.platform.db, null, {
    name: "Life",
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: "",
    backchannelLogoutSessionRequired: false,
    accessTokenSeconds: null,
    refreshIdleSeconds: null,
    refreshAbsoluteSeconds: null,
    ...NO_KEYS,
    scopes: ALL_SCOPES,
    grantTypes: GRANT_TYPES,
    confidential: true,
    omitIss: true,
    requirePushed: false,
    idTokenAlgorithm: "RS256",
    boundTokensOnly: false,
    homePage: "",
  });
}

export function pick<T>(list: readonly T[], which: number): T | undefined {
  return list.at(-1 - (which % Math.max(1, list.length)));
}

export function among(list: readonly (readonly string[])[], which: number): readonly string[] {
  return list[which % list.length] ?? [];
}

/** Simplified, so that the model does not use the code under test: `api` includes all, `read_user` the profile. */
export function covered(asked: readonly string[], by: readonly string[]): boolean {
  return asked.every(
    (scope) => by.includes(scope) || by.includes("api") || (scope === "profile" && by.includes("read_user")),
  );
}

/** Calls the service in process, without network and redirects. */
export async function inject(
  world: World,
  method: "GET" | "POST",
  url: string,
  given: { token?: string; cookie?: string; form?: Readonly<Record<string, string>> },
): Promise<InjectReply> {
  const { token, cookie, form } = given;
  const reply = await world.app.inject({
    method,
    url,
    headers: {
      host: new URL(world.url).host,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie }),
      ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
    },
    ...(form === undefined ? {} : { payload: new URLSearchParams(form).toString() }),
  });
  let json: Answer = {};
  try {
    json = reply.json();
  } catch {}
  return {
    status: reply.statusCode,
    text: reply.body,
    location: String(reply.headers.location ?? ""),
    json,
  };
}
