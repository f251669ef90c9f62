/** The JSON endpoints of OAuth: client authentication, revocation, metadata, and malformed values. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  aCode,
  anApplication,
  exchange,
  refresh,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
  dev = await signedIn(world, "dev");
});

const basic = (id: string, secret: string, scheme = "Basic") => ({
  authorization: `${scheme} ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});
/** Authenticates the application and then fails because of the code. */
const asking = {
  grant_type: "authorization_code",
  redirect_uri: "https://app.example.org/callback",
  code: "x",
};

test("an application authenticates by header or body; every failure is the same 401 with a Basic challenge (RFC 6749 §2.3, §5.2; reference oauth D30, D31, D33, reliability S27, S30, S31)", async () => {
  const { uid, secret } = application;
  const other = await anApplication(world);
  const encoded = secret.replaceAll("_", "%5F");
  const open = await anApplication(world, { confidential: false });
  for (const [form, headers] of [
    [{}, basic(open.uid, "")],
    [{}, { authorization: `Basic ${Buffer.from(open.uid).toString("base64")}` }],
    [{ client_id: uid, client_secret: secret }, {}],
    [{}, basic(uid, secret)],
    [{}, basic(uid, secret, "basic")],
    [{}, basic(uid, encoded)],
    [{ client_id: uid }, basic(uid, secret)],
    [{ client_id: uid, client_secret: "" }, basic(uid, secret)],
  ] as [Record<string, string>, Record<string, string>][]) {
    const proven = await tokenCall(world, { ...asking, ...form }, headers);
    assert.equal(proven.json.error, "invalid_grant", JSON.stringify([form, headers]));
  }
  const refusals = [];
  for (const [form, headers] of [
    [{}, {}],
    [{ client_id: uid }, {}],
    [{ client_id: uid, client_secret: "" }, {}],
    [{ client_id: uid, client_secret: "wrong" }, {}],
    [{ client_id: uid, client_secret: other.secret }, {}],
    [{ client_id: "f".repeat(64), client_secret: secret }, {}],
    [{ client_id: "\0", client_secret: secret }, {}],
    [{ client_id: "nobody" }, {}],
    [{ client_secret: secret }, {}],
    [{}, basic(uid, "")],
    [{}, basic(uid, "wrong")],
    [{}, basic("", "")],
    [{}, { authorization: "Basic" }],
    [{}, { authorization: "Basic !!!" }],
    [{}, { authorization: `Bearer ${secret}` }],
    [{ client_id: uid }, { authorization: `Basic ${"A".repeat(8000)}` }],
  ] as [Record<string, string>, Record<string, string>][]) {
    const refused = await tokenCall(world, { ...asking, ...form }, headers);
    assert.equal(refused.status, 401, JSON.stringify([form, headers]));
    assert.equal(refused.json.error, "invalid_client");
    assert.equal(refused.headers.get("www-authenticate"), 'Basic realm="Gatehouse"');
    refusals.push(refused.text);
  }
  assert.equal(new Set(refusals).size, 1);
});

test("credentials in header and body at once, or two ids, are invalid_request without a challenge (RFC 6749 §2.3; S28)", async () => {
  const { uid, secret } = application;
  const header = basic(uid, secret);
  for (const form of [
    { client_secret: secret },
    { client_id: uid, client_secret: secret },
    { client_id: "other" },
  ]) {
    const refused = await tokenCall(world, { ...asking, ...form }, header);
    assert.equal(refused.status, 400, JSON.stringify(form));
    assert.equal(refused.json.error, "invalid_request");
    assert.equal(refused.headers.get("www-authenticate"), null);
  }
});

test("client credentials in the query are ignored (RFC 6749 §2.3.1; S29)", async () => {
  const { uid, secret } = application;
  const refused = await world.call(`/oauth/token?client_id=${uid}&client_secret=${secret}`, { form: asking });
  assert.equal(refused.status, 401);
});

test("missing, repeated, structured or mistyped parameters are invalid_request; unknown grants are unsupported_grant_type (RFC 6749 §3.2, §5.2; S32)", async () => {
  const { uid, secret } = application;
  const client: [string, string][] = [
    ["client_id", uid],
    ["client_secret", secret],
  ];
  const form = (more: string) =>
    world.call("/oauth/token", { form: [...client, ...new URLSearchParams(more)] });
  const redirectUri = encodeURIComponent(application.redirectUri);
  for (const [reply, error] of [
    [await form(""), "invalid_request"],
    [await form("grant_type="), "invalid_request"],
    [await form("grant_type=authorization_code&code=x"), "invalid_request"],
    [await form(`grant_type=authorization_code&redirect_uri=${redirectUri}`), "invalid_request"],
    [await form("grant_type=refresh_token"), "invalid_request"],
    [await form("grant_type=client_credentials"), "unauthorized_client"],
    [await form("grant_type=device_code"), "unsupported_grant_type"],
    [await form("grant_type=implicit"), "unsupported_grant_type"],
    [await form("grant_type=__proto__"), "unsupported_grant_type"],
    [await form("grant_type=PASSWORD"), "unsupported_grant_type"],
    [await form("grant_type=password&grant_type=password"), "invalid_request"],
    [await form("grant_type=password&scope[a]=b"), "invalid_request"],
    [await form("grant_type=password&scope[]=api"), "invalid_request"],
    [await world.call("/oauth/token", { json: { grant_type: ["password"] } }), "invalid_request"],
    [await world.call("/oauth/token", { json: { grant_type: 5 } }), "invalid_request"],
    [await world.call("/oauth/token", { json: { grant_type: {} } }), "invalid_request"],
    [await world.call("/oauth/token", { json: [] }), "invalid_request"],
    [await world.call("/oauth/token", { json: "text" }), "invalid_request"],
    [await world.call("/oauth/token", { json: null }), "invalid_request"],
    [await world.call("/oauth/token", { method: "POST" }), "invalid_request"],
    [
      await world.call("/oauth/token", { body: "{", headers: { "content-type": "application/json" } }),
      "invalid_request",
    ],
    [
      await world.call("/oauth/token", {
        body: Buffer.from([0x61, 0x3d, 0xff]),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }),
      "invalid_request",
    ],
  ] as const) {
    assert.equal(reply.status, 400, reply.text);
    assert.equal(reply.json.error, error, reply.text);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.equal(reply.headers.get("pragma"), "no-cache");
  }
  const multipart = { body: "x", headers: { "content-type": "multipart/form-data; boundary=x" } };
  assert.equal((await world.call("/oauth/token", multipart)).status, 415);
  const large = {
    body: `a=${"x".repeat(1_100_000)}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  };
  assert.equal((await world.call("/oauth/token", large)).status, 413);
});

test("a compressed body, form or JSON, gets 415 with a message that names Content-Encoding (RFC 9110 §15.5.16)", async () => {
  for (const [type, body] of [
    ["application/x-www-form-urlencoded", "grant_type=password"],
    ["application/json", '{"grant_type":"password"}'],
  ] as const) {
    const headers = { "content-type": type, "content-encoding": "gzip" };
    const { status, json } = await world.call("/oauth/token", { headers, body: gzipSync(body) });
    assert.deepEqual([status, json.error], [415, "invalid_request"], type);
    assert.match(json.error_description, /without Content-Encoding: gzip/, type);
    assert.equal((await world.call("/oauth/token", { headers, body })).json.error, "invalid_client", type);
  }
});

test("codes, refresh tokens and access tokens cannot be used in place of each other (reference oauth D13, D29; S49)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application));
  const code = await aCode(dev, application);
  for (const value of [
    json.access_token,
    json.refresh_token,
    application.secret,
    application.uid,
    "x".repeat(9000),
  ]) {
    assert.equal((await exchange(world, application, value)).json.error, "invalid_grant");
  }
  for (const value of [json.access_token, code, application.secret, "\0", "gor_"]) {
    assert.equal((await refresh(world, application, value)).json.error, "invalid_grant");
  }
  for (const token of [json.refresh_token, code, application.secret]) {
    assert.equal((await world.call("/api/v4/user", { token })).status, 401);
  }
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 200);
});

test("the token endpoint accepts only POST, and CORS allows any origin without credentials (RFC 6749 §3.2; reference oauth A1; contract §4, CORS; S22, S45)", async () => {
  const got = await world.call("/oauth/token");
  assert.equal(got.status, 405);
  assert.match(got.headers.get("allow") ?? "", /POST/);
  for (const path of ["token", "revoke", "userinfo", "discovery/keys"]) {
    const preflight = await world.call(`/oauth/${path}`, {
      method: "OPTIONS",
      headers: { origin: "https://app.example.org", "access-control-request-headers": "authorization" },
    });
    assert.deepEqual([preflight.status, preflight.text], [200, ""], path);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /\bPOST\b.*\bOPTIONS\b/);
    assert.equal(preflight.headers.get("access-control-allow-headers"), "authorization");
    assert.equal(preflight.headers.get("access-control-allow-credentials"), null);
  }
});

async function revoke(form: Record<string, string>, by = application) {
  return world.call("/oauth/revoke", { form: { client_id: by.uid, client_secret: by.secret, ...form } });
}

test("revoking the access or refresh token revokes both, with or without a hint (RFC 7009 §2.1; reference oauth D73)", async () => {
  for (const [kind, hint] of [
    ["access_token", {}],
    ["refresh_token", {}],
    ["access_token", { token_type_hint: "refresh_token" }],
    ["refresh_token", { token_type_hint: "nonsense" }],
  ] as const) {
    const { json } = await exchange(world, application, await aCode(dev, application));
    const ended = await revoke({ token: json[kind], ...hint });
    assert.equal(ended.status, 200);
    assert.equal(ended.headers.get("cache-control"), "no-store");
    assert.deepEqual(ended.json, {});
    assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 401);
    assert.equal((await refresh(world, application, json.refresh_token)).json.error, "invalid_grant");
  }
});

test("revoking an unknown token succeeds, another application's token is refused, and client authentication is required (RFC 7009 §2.2; contract §4, revoke; reference oauth D72, reliability S46)", async () => {
  for (const token of ["goa_unknown", "x", "\0", "é".repeat(1000)]) {
    const reply = await revoke({ token });
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json, {});
  }
  const other = await anApplication(world);
  const { json } = await exchange(world, application, await aCode(dev, application));
  for (const token of [json.access_token, json.refresh_token]) {
    const foreign = await revoke({ token }, other);
    assert.equal(foreign.status, 403);
    assert.equal(foreign.json.error, "unauthorized_client");
    const unproven = await revoke({ token, client_secret: "wrong" });
    assert.equal(unproven.status, 401);
    assert.equal(unproven.json.error, "invalid_client");
  }
  assert.equal((await revoke({})).json.error, "invalid_request");
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 200);
});

test("the metadata names this issuer, whatever the forwarded host, and only endpoints that exist (RFC 8414 §2; reference oauth D76, D77, D78)", async () => {
  const { status, json, headers } = await world.call("/.well-known/oauth-authorization-server", {
    headers: { "x-forwarded-host": "evil.example" },
  });
  assert.equal(status, 200);
  assert.equal(headers.get("access-control-allow-origin"), "*");
  assert.equal(json.issuer, world.url);
  for (const name of ["authorization_endpoint", "token_endpoint", "revocation_endpoint"]) {
    const { pathname } = new URL(json[name]);
    const found = await world.call(pathname, { method: name === "authorization_endpoint" ? "GET" : "POST" });
    assert.notEqual(found.status, 404, name);
  }
  assert.deepEqual(json.code_challenge_methods_supported, ["S256"]);
  assert.equal(json.authorization_response_iss_parameter_supported, true);
});
