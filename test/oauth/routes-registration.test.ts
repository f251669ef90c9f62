/** Dynamic client registration (RFC 7591), where administrators allow it. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sweepOauth } from "../../src/oauth/sweep.ts";
import { sql } from "../../src/platform/sql.ts";
import { meanwhile } from "../support/meanwhile.ts";
import {
  aCode,
  anApplication,
  aProof,
  aStranger,
  authorizePath,
  aVisitor,
  decide,
  exchange,
  hiddenFields,
  refresh,
  setRegistration,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

const REGISTER = "/oauth/register";
const ADMIN = "/admin/applications";
let world: World;
let ada: Visitor;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  ada = await signedIn(world, "ada");
  dev = await signedIn(world, "dev");
});

const body = (more: Record<string, unknown> = {}) => ({
  redirect_uris: ["https://app.example.org/callback"],
  ...more,
});
const register = (json: unknown) => world.call(REGISTER, { json });

/** The token response for a code that Dev allowed to a self-registered application. */
async function tokensOf(stranger: TestApplication, scope: string) {
  const { verifier, challenge } = aProof();
  const asked = { scope, code_challenge: challenge, code_challenge_method: "S256" };
  const code = await aCode(dev, stranger, asked);
  return exchange(world, stranger, code, { client_secret: undefined, code_verifier: verifier });
}

test("registration is off by default: the endpoint is 404, and neither metadata nor challenges mention it (reference oauth C11; decision 0196)", async () => {
  const refused = await register(body());
  assert.equal(refused.status, 404, refused.text);
  const { json } = await world.call("/.well-known/oauth-authorization-server");
  assert.equal("registration_endpoint" in json, false);
  const nobody = await world.call("/api/v4/user");
  assert.equal(nobody.headers.get("www-authenticate"), 'Bearer realm="Gatehouse"');
});

test("switched on, registration is named in metadata and API challenges at once, until it is switched off (RFC 8414 §2; RFC 9728 §5.1)", async () => {
  await setRegistration(world, true);
  for (const name of ["oauth-authorization-server", "openid-configuration"]) {
    const { json } = await world.call(`/.well-known/${name}`);
    assert.equal(json.registration_endpoint, `${world.url}${REGISTER}`);
  }
  const told = `resource_metadata="${world.url}/.well-known/oauth-protected-resource/api/v4"`;
  const challengeOf = async (token?: string) =>
    (await world.call("/api/v4/user", token ? { token } : {})).headers.get("www-authenticate");
  assert.equal(await challengeOf(), `Bearer realm="Gatehouse", ${told}`);
  assert.equal(await challengeOf("goa_x"), `Bearer realm="Gatehouse", error="invalid_token", ${told}`);
  const narrow = await world.call("/api/v4/user", { token: await world.tokenOf("dev", "openid") });
  assert.equal(narrow.status, 403);
  assert.doesNotMatch(narrow.headers.get("www-authenticate") ?? "", /resource_metadata/);
  assert.equal((await register(body())).status, 201);
  await setRegistration(world, false);
  assert.equal(await challengeOf(), 'Bearer realm="Gatehouse"');
  assert.equal((await register(body())).status, 404);
  await setRegistration(world, true);
});

test("a registration in progress when the setting is switched off is refused (decisions 0082, 0196)", async () => {
  const off = "update instance_settings set allow_dynamic_registration = false";
  assert.equal((await meanwhile(world, [[off]], () => register(body()))).status, 404);
  await setRegistration(world, true);
});

test("the response contains what was registered, not what was requested: code with PKCE, no secret, reduced scopes (RFC 7591 §2, §3.2.1)", async () => {
  const plain = await register(body());
  assert.equal(plain.status, 201, plain.text);
  assert.equal(plain.headers.get("cache-control"), "no-store");
  const { client_id: uid, client_id_issued_at: at, ...rest } = plain.json;
  assert.match(uid, /^[0-9a-f]{64}$/);
  assert.ok(Math.abs(at - Date.now() / 1000) < 600, String(at));
  assert.deepEqual(rest, {
    client_name: "app.example.org",
    redirect_uris: ["https://app.example.org/callback"],
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "read_api read_user profile openid email",
  });
  const asked = await register(
    body({
      client_name: " Helper ",
      client_uri: "https://app.example.org/",
      redirect_uris: ["http://127.0.0.1/cb", "http://localhost:3456/cb", "http://[::1]:1/"],
      grant_types: ["refresh_token", "authorization_code", "password", "implicit"],
      response_types: ["code", "token"],
      token_endpoint_auth_method: "client_secret_basic",
      scope: "api read_user offline_access write_events",
      contacts: ["x@example.org"],
      software_id: "helper",
    }),
  );
  const { client_id, client_id_issued_at: _at, ...got } = asked.json;
  assert.deepEqual(got, {
    client_name: "Helper",
    client_uri: "https://app.example.org/",
    redirect_uris: ["http://127.0.0.1/cb", "http://localhost:3456/cb", "http://[::1]:1/"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "read_user",
  });
  const byIdAlone = await world.call("/oauth/revoke", { form: { client_id, token: "x" } });
  assert.equal(byIdAlone.status, 200, byIdAlone.text);
});

test("metadata that cannot be registered is refused, with the error code that fits it (RFC 7591 §3.2.2)", async () => {
  for (const [json, code] of [
    [{}, "invalid_redirect_uri"],
    [body({ redirect_uris: [] }), "invalid_redirect_uri"],
    [body({ redirect_uris: "https://app.example.org/callback" }), "invalid_redirect_uri"],
    [
      body({ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://app.example.org/${n}`) }),
      "invalid_redirect_uri",
    ],
    [body({ scope: "api" }), "invalid_client_metadata"],
    [body({ scope: 7 }), "invalid_client_metadata"],
    [body({ grant_types: ["client_credentials"] }), "invalid_client_metadata"],
    [body({ grant_types: "authorization_code" }), "invalid_client_metadata"],
    [body({ response_types: ["token"] }), "invalid_client_metadata"],
    [body({ client_name: "a".repeat(256) }), "invalid_client_metadata"],
    [body({ client_name: "Gate‮house" }), "invalid_client_metadata"],
    [body({ client_uri: "javascript:alert(1)" }), "invalid_client_metadata"],
    [body({ token_endpoint_auth_method: ["none"] }), "invalid_client_metadata"],
    [body({ require_pushed_authorization_requests: "true" }), "invalid_client_metadata"],
    [body({ require_pushed_authorization_requests: 1 }), "invalid_client_metadata"],
    [body({ dpop_bound_access_tokens: "true" }), "invalid_client_metadata"],
    [[], "invalid_client_metadata"],
  ] as [unknown, string][]) {
    const { status, json: told } = await register(json);
    assert.deepEqual([status, told.error], [400, code], JSON.stringify(json).slice(0, 200));
    assert.equal(typeof told.error_description, "string");
  }
  const form = await world.call(REGISTER, { form: { redirect_uris: "https://app.example.org/callback" } });
  assert.deepEqual([form.status, form.json.error], [400, "invalid_redirect_uri"]);
});

test("consent page and application list say that a self-registered application is unverified, and where people are sent (reference oauth D42, C11)", async () => {
  const proof = { code_challenge: aProof().challenge, code_challenge_method: "S256" };
  const site = await aStranger(world, { client_name: "Official Gatehouse" });
  const page = await dev.get(authorizePath(site, proof));
  assert.match(page.text, /Registered by itself for <strong[^>]*>app\.example\.org<\/strong>/);
  assert.match(page.text, /Not made or checked by Gatehouse\. <[^>]*>Unverified</);
  assert.match(page.text, /What you allow goes to <strong[^>]*>https:\/\/app\.example\.org<\/strong>/);
  // Comes first, because a phone shows only the top of the page.
  assert.ok(page.text.indexOf("What you allow goes to") < page.text.indexOf("It will be able to"));
  const local = await aStranger(world, { redirect_uris: ["http://localhost:3456/cb"] });
  const here = await dev.get(authorizePath(local, proof));
  assert.match(here.text, /runs on this computer, at <strong[^>]*>http:\/\/localhost:3456<\/strong>/);
  assert.doesNotMatch(here.text, /which is not encrypted/);
  assert.equal((await tokensOf(site, "read_user")).status, 200);
  assert.match((await dev.get("/profile/applications")).text, /by nobody known here/);
});

test("a self-registered application can sign people in, read with their consent and refresh, but not write (reference oauth C11, D65)", async () => {
  const stranger = await aStranger(world);
  const { status, json } = await tokensOf(stranger, "read_user read_api");
  assert.equal(status, 200, JSON.stringify(json));
  const { access_token: token } = json;
  assert.equal((await world.call("/api/v4/projects/acme%2Frocket", { token })).status, 200);
  const write = await world.call("/api/v4/projects/acme%2Frocket/events", { token, json: {} });
  assert.deepEqual([write.status, write.json.error], [403, "insufficient_scope"]);
  const next = await refresh(world, stranger, json.refresh_token, { client_secret: undefined });
  assert.equal(next.status, 200, next.text);
});

test("administrators find self-registered applications in their own list, marked unverified, and can delete them with their tokens (reference oauth D83, D81)", async () => {
  const stranger = await aStranger(world, { client_name: "Passerby" });
  await anApplication(world, { owner: null, name: "House Bell" });
  const { json } = await tokensOf(stranger, "read_user");
  const lists = async (of: string) => (await ada.get(`${ADMIN}?of=${of}`)).text;
  const themselves = await lists("themselves");
  assert.match(themselves, /Passerby<\/a> <[^>]*>Unverified/);
  assert.doesNotMatch(themselves, /House Bell/);
  const own = await lists("");
  assert.ok(own.includes("House Bell") && !own.includes("Passerby"));
  assert.match(await lists("everybody"), /Nobody: it registered itself/);
  const record = await world.call(`/api/v4/applications/${stranger.id}`, { as: "ada" });
  assert.deepEqual([record.json.self_registered, record.json.owner_id], [true, null]);
  assert.equal((await dev.get(`${ADMIN}/${stranger.id}`)).status, 404);
  const page = await ada.get(`${ADMIN}/${stranger.id}`);
  const action = `${ADMIN}/${stranger.id}/delete`;
  assert.equal((await ada.post(action, hiddenFields(page.text, action))).status, 303);
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 401);
  assert.equal((await ada.get(`${ADMIN}/${stranger.id}`)).status, 404);
});

test("a self-registered application nobody authorized is removed after a day; an authorized one once its authorizations are gone (decision 0196)", async () => {
  const { db } = world.platform;
  const [young, old, used, registered] = [
    await aStranger(world),
    await aStranger(world),
    await aStranger(world),
    await anApplication(world, { owner: null }),
  ];
  assert.equal((await tokensOf(used, "read_user")).status, 200);
  await db.run(sql`update applications set created_at = now() - interval '25 hours' where id <> ${young.id}`);
  await db.run(sql`update applications set created_at = now() - interval '23 hours' where id = ${young.id}`);
  const lives = async ({ id }: TestApplication) =>
    (await world.call(`/api/v4/applications/${id}`, { as: "ada" })).status === 200;
  await sweepOauth(world.platform);
  assert.deepEqual(await Promise.all([young, old, used, registered].map(lives)), [true, false, true, true]);
  await db.run(sql`delete from authorizations where application_id = ${used.id}`);
  await sweepOauth(world.platform);
  assert.deepEqual(await Promise.all([young, used, registered].map(lives)), [true, false, true]);
});

test("a self-registered application that an administrator made confidential is kept (decision 0196)", async () => {
  const { id } = await aStranger(world);
  const change = { as: "ada", method: "PUT", json: { confidential: true } } as const;
  assert.equal((await world.call(`/api/v4/applications/${id}`, change)).status, 200);
  await world.platform.db.run(
    sql`update applications set created_at = now() - interval '25 hours' where id = ${id}`,
  );
  await sweepOauth(world.platform);
  assert.equal((await world.call(`/api/v4/applications/${id}`, { as: "ada" })).json.confidential, true);
});

test("a self-registered application that is authorized during the sweep is kept (decision 0196)", async () => {
  const { id } = await aStranger(world);
  await world.platform.db.run(
    sql`update applications set created_at = now() - interval '25 hours' where id = ${id}`,
  );
  const letIn = `insert into authorizations (application_id, user_id, flow, scopes)
    values ($1, $2, 'authorization_code', '{read_user}')`;
  await meanwhile(world, [[letIn, id, world.ids.dev]], () => sweepOauth(world.platform));
  const { json } = await world.call(`/api/v4/applications/${id}`, { as: "ada" });
  assert.deepEqual(json.grant_types, ["authorization_code", "refresh_token"]);
});

test("the audit log records registration and removal with the Application ID, without the self-chosen name (reference oauth D89)", async () => {
  const { id, uid } = await aStranger(world, { client_name: "hunter2-my-password" });
  await world.platform.db.run(
    sql`update applications set created_at = now() - interval '25 hours' where id = ${id}`,
  );
  await sweepOauth(world.platform);
  const { text } = await ada.get("/admin/audit");
  assert.equal(text.match(new RegExp(`Application ID ${uid}, registered by itself`, "g"))?.length, 2);
  assert.match(text, /class="title">Registered an application</);
  assert.doesNotMatch(text, /hunter2/);
});

test("the logs omit the self-chosen name also when people allow, deny, switch accounts or revoke (reference oauth D89; decision 0196)", async () => {
  const stranger = await aStranger(world, { client_name: "hunter2-my-password" });
  const path = authorizePath(stranger, { code_challenge: aProof().challenge, code_challenge_method: "S256" });
  await decide(dev, path, "deny");
  await decide(dev, path, "switch");
  dev = await signedIn(world, "dev");
  await decide(dev, path);
  const action = `/profile/applications/${stranger.id}/revoke`;
  const page = await dev.get("/profile/applications");
  assert.equal((await dev.post(action, hiddenFields(page.text, action))).status, 303);
  assert.match(
    (await dev.get("/profile/applications")).text,
    /hunter2-my-password can no longer/,
    "shown once",
  );
  const change = { as: "ada", method: "PUT", json: { omit_iss: true } } as const;
  assert.equal((await world.call(`/api/v4/applications/${stranger.id}`, change)).status, 200);
  for (const { text } of [await ada.get("/admin/audit"), await dev.get("/profile/security_log")]) {
    assert.doesNotMatch(text, /hunter2/);
    for (const act of ["Denied an application", "Allowed an application", "Signed out"])
      assert.match(text, new RegExp(`${act}.{0,400}Application ID ${stranger.uid}`, "s"), act);
  }
});

test("the sign-in page does not show the self-chosen name (reference oauth D42; decision 0196)", async () => {
  const proof = { code_challenge: aProof().challenge, code_challenge_method: "S256" };
  const visitor = aVisitor(world);
  const reply = await visitor.get(authorizePath(await aStranger(world, { client_name: "Gatehouse" }), proof));
  assert.equal(reply.headers.get("location"), "/users/sign_in");
  assert.doesNotMatch((await visitor.get("/users/sign_in")).text, /to continue to/);
});
