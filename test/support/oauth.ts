/** Applications and people for OAuth tests: builders with valid defaults, and a simple browser with cookies and forms. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { ApplicationFields } from "../../src/oauth/application.ts";
import { NO_KEYS } from "../../src/oauth/public-keys.ts";
import { type Registered, registerApplication } from "../../src/oauth/register-application.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { PASSWORD, type Person, type Reply, type World } from "./world.ts";

export const CALLBACK = "https://app.example.org/callback";

export interface TestApplication extends Registered {
  redirectUri: string;
  /** The value of the Basic authorization header. */
  basic: string;
}

/**
 * Registers an application of Olga's: confidential, with scopes api, read_user and profile, unless the fields say otherwise.
 */
export async function anApplication(
  world: World,
  fields: Partial<ApplicationFields> & { owner?: Person | null; trusted?: boolean } = {},
): Promise<TestApplication> {
  const { owner = "olga", trusted = false, ...rest } = fields;
  const ownerId = owner === null ? null : world.ids[owner];
  const asked: ApplicationFields = {
    name: "Relay Console",
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: "",
    backchannelLogoutSessionRequired: false,
    accessTokenSeconds: null,
    refreshIdleSeconds: null,
    refreshAbsoluteSeconds: null,
    ...NO_KEYS,
    scopes: ["api", "read_user", "profile"],
    grantTypes: ["authorization_code", "refresh_token", "implicit", "password"],
    confidential: true,
    omitIss: false,
    requirePushed: false,
    idTokenAlgorithm: "RS256",
    boundTokensOnly: false,
    homePage: "",
    ...rest,
  };
  const made = await registerApplication(world.platform.db, ownerId, asked, {
    trusted,
    policy: world.platform.config,
  });
  const basic = `Basic ${Buffer.from(`${made.uid}:${made.secret}`).toString("base64")}`;
  return { ...made, redirectUri: rest.redirectUris?.[0] ?? CALLBACK, basic };
}

/** Gives an application this many authorizations of Dev, each with a long expired code, refresh token and access token. */
export async function longUsed(world: World, applicationId: number, many: number): Promise<void> {
  await world.platform.db.run(sql`with made as (
      insert into authorizations (application_id, user_id, flow, scopes, created_at)
      select ${applicationId}, ${world.ids.dev}, 'authorization_code', '{api}', now() - interval '200 days'
      from generate_series(1, ${many}::integer) returning id),
    codes as (
      insert into authorization_codes (digest, authorization_id, redirect_uri, expires_at)
      select sha256(convert_to('c' || id, 'UTF8')), id, '', now() - interval '200 days' from made),
    renewals as (
      insert into refresh_tokens (digest, authorization_id, expires_at)
      select sha256(convert_to('r' || id, 'UTF8')), id, now() - interval '31 days' from made)
    insert into access_tokens (digest, kind, user_id, scopes, application_id, authorization_id, expires_at)
    select sha256(convert_to('a' || id, 'UTF8')), 'oauth', ${world.ids.dev}, '{api}', ${applicationId}, id,
      now() - interval '31 days'
    from made`);
}

/** A browser without script: keeps cookies, does not follow redirects, submits forms. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Reply>;
  /** Posts a raw body. */
  send(path: string, body: string, headers: Record<string, string>): Promise<Reply>;
}

/** A visitor who is not signed in. */
export function aVisitor(world: World): Visitor {
  const cookies = new Map<string, string>();
  const send = async (path: string, options: Parameters<World["call"]>[1]): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...options?.headers, ...(cookie ? { cookie } : {}) };
    const reply = await world.call(path, { ...options, headers });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };
  return {
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, form, headers = {}) => send(path, { form, headers }),
    send: (path, body, headers) => send(path, { body, headers, method: "POST" }),
  };
}

/** A visitor who has signed in with the password. */
export async function signedIn(world: World, person: Person): Promise<Visitor> {
  const visitor = aVisitor(world);
  const page = await visitor.get("/users/sign_in");
  const entered = await visitor.post("/users/sign_in", {
    ...hiddenFields(page.text),
    username: person,
    password: PASSWORD,
  });
  assert.equal(entered.status, 303, entered.text);
  return visitor;
}

/** The hidden fields of the form with this action, or without one of the first form that posts. */
export function hiddenFields(page: string, action?: string): Record<string, string> {
  const forms = page.match(/<form[\s\S]*?<\/form>/g) ?? [];
  return everyHiddenField(
    forms.find((text) => text.includes(action ? `action="${action}"` : 'method="post"')) ?? "",
  );
}

/** The hidden fields of all forms of the page, as a program gathers them that knows none of our forms. */
export function everyHiddenField(page: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) {
    fields[name ?? ""] = value ?? "";
  }
  return fields;
}

/** The path of an authorization request; undefined members are left out. */
export function authorizePath(
  application: { uid: string; redirectUri: string },
  more: Record<string, string | undefined> = {},
): string {
  const asked = {
    client_id: application.uid,
    redirect_uri: application.redirectUri,
    response_type: "code",
    state: "s-1",
    ...more,
  };
  const given = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

/** Answers the consent page of a request; returns the response to the form. */
export async function decide(
  visitor: Visitor,
  path: string,
  decision: "allow" | "deny" | "switch" = "allow",
): Promise<Reply> {
  const page = await visitor.get(path);
  assert.equal(page.status, 200, page.text);
  return visitor.post("/oauth/authorize", { ...hiddenFields(page.text, "/oauth/authorize"), decision });
}

/** The response parameters of a redirect, from the query or the fragment. */
export function answerOf(reply: Reply): Record<string, string> {
  assert.equal(reply.status, 303, reply.text);
  const url = new URL(reply.headers.get("location") ?? "");
  const carried = url.hash === "" ? url.search : url.hash;
  return Object.fromEntries(new URLSearchParams(carried.slice(1)));
}

/** A new code of a person for an application. */
export async function aCode(
  visitor: Visitor,
  application: TestApplication,
  more: Record<string, string | undefined> = {},
): Promise<string> {
  return codeAt(visitor, authorizePath(application, more));
}

/** The code for the authorization request at this path, after the consent page if there is one. */
export async function codeAt(visitor: Visitor, path: string): Promise<string> {
  const page = await visitor.get(path);
  const reply =
    page.status === 200
      ? await visitor.post("/oauth/authorize", hiddenFields(page.text, "/oauth/authorize"))
      : page;
  return answerOf(reply).code ?? "";
}

/** Sends a form to the token endpoint. */
export function tokenCall(
  world: World,
  form: Record<string, string | undefined>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const given = Object.entries(form).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return world.call("/oauth/token", { form: given, headers });
}

/** Exchanges a code with the application's credentials in the body. */
export function exchange(
  world: World,
  application: TestApplication,
  code: string,
  more: Record<string, string | undefined> = {},
): Promise<Reply> {
  return tokenCall(world, {
    grant_type: "authorization_code",
    code,
    redirect_uri: application.redirectUri,
    client_id: application.uid,
    client_secret: application.secret,
    ...more,
  });
}

/** Refreshes with the application's credentials in the body. */
export function refresh(
  world: World,
  application: TestApplication,
  refreshToken: string,
  more: Record<string, string | undefined> = {},
): Promise<Reply> {
  return tokenCall(world, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: application.uid,
    client_secret: application.secret,
    ...more,
  });
}

/** A PKCE pair. */
export function aProof(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Switches dynamic registration on or off, as an administrator does. */
export async function setRegistration(world: World, allowed: boolean): Promise<void> {
  const ada = await signedIn(world, "ada");
  const page = await ada.get("/admin/settings");
  const fields = hiddenFields(page.text, "/admin/settings");
  const saved = await ada.post("/admin/settings", {
    ...fields,
    allowDynamicRegistration: allowed ? "on" : "off",
  });
  assert.equal(saved.status, 303, saved.text);
}

/** A self-registered application: public, with a redirect URI at `app.example.org` unless the metadata says otherwise. */
export async function aStranger(
  world: World,
  metadata: Record<string, unknown> = {},
): Promise<TestApplication> {
  const json = {
    client_name: "Helper",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    ...metadata,
  };
  const made = await world.call("/oauth/register", { json });
  assert.equal(made.status, 201, made.text);
  const { client_id: uid, redirect_uris: uris } = made.json;
  const { id } = await world.platform.db.one(
    row({ id: integer }),
    sql`select id from applications where uid = ${uid}`,
  );
  return { id, uid, secret: "", redirectUri: uris[0], basic: "" };
}
