/** docs/oauth.md is correct: every call and program in it is run verbatim, with the responses that it shows. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { whenDone } from "../support/cleanup.ts";
import { clientSite } from "../support/client-site.ts";
import {
  aCode,
  anApplication,
  aProof,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { aRelyingParty, deliver, LOCAL } from "../support/relying-party.ts";
import { PASSWORD, type Reply, startWorld, type World } from "../support/world.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/oauth.md"), "utf8");
const SHOP = "http://shop.localhost:4321";

interface Block {
  language: string;
  text: string;
  /** The response that the page shows below it. */
  answer: string | undefined;
}

const blocks = new Map<string, Block>(
  [...page.matchAll(/<!-- run: ([\w-]+) -->\n```(sh|js)\n([\s\S]+?)```(?:\n+```json\n([\s\S]+?)```)?/g)].map(
    ([, name = "", language = "", text = "", answer]) => [name, { language, text, answer }],
  ),
);
const CALLS = [
  "push",
  "code",
  "refresh",
  "userinfo",
  "info",
  "use",
  "introspect",
  "device",
  "poll",
  "machine",
  "password",
  "revoke",
];
const PROGRAMS = [
  "key",
  "web",
  "implicit",
  "sign-out",
  "told",
  "dpop",
  "openid-client",
  "openid-client-par",
  "simple-oauth2",
  "passport-gitlab2",
  "auth-js",
  "client-oauth2",
  "gitbeaker",
];

let world: World;
let dev: Visitor;
let application: TestApplication;
let folder: string;
const environment: Record<string, string> = {};

before(async () => {
  world = await startWorld(LOCAL);
  dev = await signedIn(world, "dev");
  application = await anApplication(world, {
    redirectUris: [
      "https://app.example.org/callback",
      "http://127.0.0.1:4000/callback",
      `${SHOP}/auth/callback/gitlab`,
    ],
    postLogoutRedirectUris: ["https://app.example.org/bye"],
    scopes: ["api", "read_user", "profile", "openid", "email"],
    grantTypes: [
      "authorization_code",
      "refresh_token",
      "implicit",
      "password",
      "client_credentials",
      "device_code",
    ],
  });
  folder = mkdtempSync(join(tmpdir(), "gatehouse-page-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  whenDone(async () => rmSync(folder, { recursive: true }));
  Object.assign(environment, {
    GATEHOUSE: world.url,
    CLIENT_ID: application.uid,
    CLIENT_SECRET: application.secret,
    REDIRECT_URI: application.redirectUri,
    LOGIN: "dev",
    PASSWORD,
    AFTER_SIGN_OUT: "https://app.example.org/bye",
    AUTH_SECRET: "x".repeat(32),
  });
});

const blockOf = (name: string) => blocks.get(name) ?? assert.fail(`the page has no block ${name}`);

test("every block of the page is marked as a call or program, and run by this file (decision 0191)", () => {
  assert.deepEqual([...blocks.keys()].sort(), [...CALLS, ...PROGRAMS].sort());
  assert.equal([...page.matchAll(/^```(?:sh|js)$/gm)].length, blocks.size);
});

/** Runs a call and returns its JSON, which has the shape of the response on the page. */
async function call(name: string): Promise<Reply["json"]> {
  const { text, answer } = blockOf(name);
  const env = { ...environment, PATH: process.env.PATH };
  const { stdout } = await promisify(execFile)("sh", ["-ec", text], { env });
  const given = JSON.parse(stdout);
  if (answer !== undefined)
    assert.deepEqual(shapeOf(given), shapeOf(JSON.parse(answer)), `${name}: ${stdout}`);
  return given;
}

/** A JSON value with types in place of its leaves; the order of members counts. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (value === null || typeof value !== "object") return value === null ? null : typeof value;
  return Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]);
}

test("the calls of the web application flow, from code to revocation, get the responses on the page (RFC 6749 §4.1, §6; RFC 7009; RFC 7662)", async () => {
  const { verifier, challenge } = aProof();
  const asked = { scope: "read_user profile", code_challenge: challenge, code_challenge_method: "S256" };
  environment.CODE = await aCode(dev, application, asked);
  environment.VERIFIER = verifier;
  environment.REFRESH_TOKEN = (await call("code")).refresh_token;
  environment.TOKEN = (await call("refresh")).access_token;
  assert.equal((await call("info")).application.uid, application.uid);
  assert.equal((await call("use")).username, "dev");
  assert.equal((await call("introspect")).active, true);
  await call("revoke");
  assert.deepEqual(await call("introspect").catch((error: Error) => error.message.includes("active")), true);
});

test("the calls of the other flows get the responses on the page (RFC 6749 §4.3, §4.4; RFC 8628; OpenID Connect Core §5.3)", async () => {
  environment.TOKEN = (await call("machine")).access_token;
  assert.equal((await call("use")).username, "olga");
  environment.TOKEN = (await call("password")).access_token;
  assert.equal((await call("use")).username, "dev");
  const begun = await call("device");
  environment.DEVICE_CODE = begun.device_code;
  assert.equal((await call("poll")).error, "authorization_pending");
  const form = hiddenFields((await dev.get("/oauth/device")).text, "/oauth/device");
  const question = await dev.post("/oauth/device", { ...form, user_code: begun.user_code });
  await dev.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" });
  const { sql } = await import("../../src/platform/sql.ts");
  await world.platform.db.run(
    sql`update device_authorizations set polled_at = polled_at - interval '1 minute'`,
  );
  environment.TOKEN = (await call("poll")).access_token;
  assert.equal((await call("use")).username, "dev");
  const code = await aCode(dev, application, { scope: "openid profile email" });
  const { exchange } = await import("../support/oauth.ts");
  environment.OPENID_TOKEN = (await exchange(world, application, code)).json.access_token;
  const group = await world.call("/api/v4/groups", { as: "ada", json: { name: "Ops", path: "ops" } });
  const member = { user_id: world.ids.dev, access_level: 30 };
  await world.call(`/api/v4/groups/${group.json.id}/members`, { as: "ada", json: member });
  assert.equal((await call("userinfo")).preferred_username, "dev");
});

/** Loads a program of the page as a module, next to the packages that it imports. */
async function program(name: string, more: Record<string, string> = {}): Promise<Reply["json"]> {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, blockOf(name).text);
  Object.assign(process.env, environment, more);
  return import(file);
}

/** Takes a person through consent; returns the redirect URI with the response. */
async function through(location: string): Promise<string> {
  const { pathname, search, origin } = new URL(location);
  assert.equal(origin, world.url);
  const shown = await dev.get(pathname + search);
  if (shown.status === 303) return shown.headers.get("location") ?? "";
  const fields = hiddenFields(shown.text, "/oauth/authorize");
  const back = await dev.post("/oauth/authorize", { ...fields, decision: "allow" });
  return back.headers.get("location") ?? "";
}

async function nameBehind(token: string): Promise<string> {
  return (await world.call("/api/v4/user", { token })).json.username;
}

for (const [name, scope] of [
  ["web", "read_user profile"],
  ["implicit", "read_user"],
  ["simple-oauth2", "read_user"],
] as const) {
  test(`the program "${name}" of the page gets a token, and rejects a forged response (RFC 6749 §4.1, §4.2, §10.12)`, async () => {
    const { begin, finish } = await program(name);
    const kept = await begin();
    const back = await through(kept.location);
    await assert.rejects(finish(back.replace(/state=[^&]+/, "state=forged"), kept), /not an answer/);
    const tokens = await finish(back, kept);
    assert.equal(tokens.scope, scope);
    assert.equal(await nameBehind(tokens.access_token), "dev");
  });
}

test("the page's openid-client program signs a person in and reads their name (OpenID Connect Core §3.1)", async () => {
  const { begin, finish } = await program("openid-client");
  const kept = await begin();
  const back = await through(kept.location);
  await assert.rejects(finish(back, { ...kept, nonce: "forged" }));
  const again = await begin();
  assert.equal((await finish(await through(again.location), again)).name, "Dev Developer");
});

test("pushed requests lead to a token, by the page's call and by openid-client (RFC 9126 §2, §4)", async () => {
  const { verifier, challenge } = aProof();
  Object.assign(environment, { STATE: "s-1", CHALLENGE: challenge });
  const { request_uri } = await call("push");
  const asked = new URLSearchParams({ client_id: application.uid, request_uri });
  const back = new URL(await through(`${world.url}/oauth/authorize?${asked}`));
  assert.equal(back.searchParams.get("state"), "s-1");
  const { exchange } = await import("../support/oauth.ts");
  const code = back.searchParams.get("code") ?? "";
  const tokens = await exchange(world, application, code, { code_verifier: verifier });
  assert.equal(tokens.json.scope, "read_user profile");
  const { begin, finish } = await program("openid-client-par");
  const kept = await begin();
  assert.equal(new URL(kept.location).searchParams.has("scope"), false);
  const issued = await finish(await through(kept.location), kept);
  assert.equal(await nameBehind(issued.access_token), "dev");
});

test("the logout addresses of the page and of openid-client sign the person out here, too (OpenID Connect RP-Initiated Logout §2)", async () => {
  const library = await program("openid-client");
  const kept = await library.begin();
  const { id_token: idToken } = await library.finish(await through(kept.location), kept);
  const plain = await program("sign-out");
  for (const [location, state] of [
    [library.leave(idToken), ""],
    [plain.leave(idToken, "s-1"), "?state=s-1"],
  ] as const) {
    const leaving = await signedIn(world, "dev");
    const { pathname, search } = new URL(location);
    const back = await leaving.get(pathname + search);
    assert.equal(back.headers.get("location"), `https://app.example.org/bye${state}`);
    assert.equal((await leaving.get("/profile/applications")).status, 302);
  }
});

test("the page's back-channel logout program ends a session only for a valid logout token (OpenID Connect Back-Channel Logout §2.6)", async () => {
  const party = await aRelyingParty(world);
  const leaving = await signedIn(world, "dev");
  const { sid, sub, raw } = await party.signIn(leaving);
  await leaving.get(`/oauth/logout?${new URLSearchParams({ id_token_hint: raw })}`);
  await deliver(world);
  const ended: unknown[] = [];
  const endSessions = async (whose: unknown) => ended.push(whose);
  const { told } = await program("told", { CLIENT_ID: party.application.uid });
  const body = party.receiver.requests[0]?.body ?? "";
  await told(body, endSessions);
  assert.deepEqual(ended, [{ sub, sid }]);
  for (const other of ["", `logout_token=${raw}`, body.replace(/.{6}$/, "AAAAAA")]) {
    await assert.rejects(told(other, endSessions));
  }
  assert.equal(ended.length, 1);
});

test("the page's private_key_jwt program authenticates, and each assertion is accepted once (RFC 7523 §2.2; decision 0206)", async () => {
  const keyless = await anApplication(world, { grantTypes: ["client_credentials"] });
  const { makeKey, proof } = await program("key", { CLIENT_ID: keyless.uid });
  const { privateKey, set } = makeKey();
  const json = { jwks: JSON.parse(set), only_by_key: true };
  const path = `/api/v4/applications/${keyless.id}`;
  assert.equal((await world.call(path, { as: "ada", method: "PUT", json })).status, 200);
  const form = { grant_type: "client_credentials", scope: "read_user", ...proof(privateKey) };
  const issued = await world.call("/oauth/token", { form });
  assert.equal(await nameBehind(issued.json.access_token), "olga");
  assert.equal((await world.call("/oauth/token", { form })).status, 401);
  const again = await world.call("/oauth/token", { form: { ...form, ...proof(privateKey) } });
  assert.equal(again.status, 200, again.text);
});

test("the page's DPoP program gets a bound token, which is refused without its key (RFC 9449 §5, §7)", async () => {
  const { begin, finish, me } = await program("dpop");
  const kept = await begin();
  const tokens = await finish(await through(kept.location), kept);
  assert.equal(tokens.token_type, "dpop");
  assert.equal((await me(tokens)).username, "dev");
  assert.equal((await world.call("/api/v4/user", { token: tokens.access_token })).status, 401);
});

test("the page's client-oauth2 program uses the implicit and the password flow (spec: Authentication 3, 4)", async () => {
  const { begin, finish, byPassword } = await program("client-oauth2");
  const tokens = await finish(await through(begin().location));
  assert.equal((await world.call("/api/v4/user", { token: tokens.access_token })).json.username, "dev");
  assert.equal(
    (await world.call("/api/v4/user", { token: (await byPassword()).access_token })).json.username,
    "dev",
  );
});

test("the page's passport-gitlab2 program signs a person in (spec: Authentication 2)", async () => {
  const session = {};
  let signIn: Reply["json"];
  const site = await clientSite((request, response, url) => {
    Object.assign(request, { session, query: Object.fromEntries(url.searchParams) });
    signIn(request, response, (error?: Error) => {
      const { user } = request as unknown as { user?: { username: string } };
      response.end(error ? error.stack : user?.username);
    });
  });
  ({ signIn } = await program("passport-gitlab2", { REDIRECT_URI: site.callback }));
  const away = await fetch(site.origin, { redirect: "manual" });
  const back = await through(away.headers.get("location") ?? "");
  assert.equal(await (await fetch(back)).text(), "dev");
});

test("the page's Auth.js program signs a person in (RFC 9207 §2.4)", async () => {
  const { Auth } = createRequire(import.meta.url)("@auth/core") as {
    Auth: (request: Request, config: object) => Promise<Response>;
  };
  const { config } = await program("auth-js");
  const cookies = new Map<string, string>();
  const ask = async (address: string, body?: Record<string, string>) => {
    const headers = new Headers({ cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join("; ") });
    if (body) headers.set("content-type", "application/x-www-form-urlencoded");
    const form = body ? { method: "POST", body: new URLSearchParams(body).toString() } : {};
    const reply = await Auth(new Request(new URL(address, SHOP), { headers, ...form }), config);
    for (const line of reply.headers.getSetCookie()) {
      const [, key = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(key, value);
    }
    return reply;
  };
  const { csrfToken } = (await (await ask("/auth/csrf")).json()) as { csrfToken: string };
  const away = await ask("/auth/signin/gitlab", { csrfToken, callbackUrl: SHOP });
  await ask(await through(away.headers.get("location") ?? ""));
  const session = (await (await ask("/auth/session")).json()) as { user: { name: string } };
  assert.equal(session.user.name, "Dev Developer");
});

test("the page's @gitbeaker/rest program calls the API with the token (spec: Authentication 5)", async () => {
  const { me, events } = await program("gitbeaker", { TOKEN: await world.tokenOf("dev", "api") });
  assert.equal((await me()).username, "dev");
  assert.ok(Array.isArray(await events()));
});
