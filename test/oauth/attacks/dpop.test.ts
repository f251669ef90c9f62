/** Attacks on tokens that are bound to a key: stolen, shown as others are, with another key, with a proof of something else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildApp } from "../../../src/app.ts";
import { openDb } from "../../../src/platform/db.ts";
import { sql } from "../../../src/platform/sql.ts";
import { counted, rawStatus } from "../../support/attacks.ts";
import { aBoundScene, credentials, isRefused, isUnproven, type More } from "../../support/bound-tokens.ts";
import { PATIENCE_MS } from "../../support/database.ts";
import { proofBy } from "../../support/dpop.ts";
import { push, record } from "../../support/events.ts";
import { type TestApplication, tokenCall } from "../../support/oauth.ts";
import { PASSWORD } from "../../support/world.ts";

const { world, application, open, key, other, own, asked, codeForm, boundPair, shown } = await aBoundScene();

const DOORS = [
  "/api/v4/user",
  "/api/v4/projects",
  "/api/v4/events",
  "/api/v4/events/stream",
  "/oauth/token/info",
  "/oauth/userinfo",
];

test("a stolen bound token opens no door without its key: as Bearer, in the address, as PRIVATE-TOKEN, in a form (RFC 9449 §7.2; reference oauth G8)", async () => {
  const { access_token: token } = await boundPair(application);
  for (const path of DOORS) {
    const stolen: [string, Record<string, string>][] = [
      [path, { authorization: `Bearer ${token}` }],
      [
        path,
        {
          authorization: `bearer ${token}`,
          dpop: proofBy(key, { method: "GET", url: world.url + path, accessToken: token }),
        },
      ],
      [`${path}?access_token=${token}`, {}],
      [`${path}?private_token=${token}`, {}],
      [`${path}?bearer_token=${token}`, {}],
      [path, { "private-token": token }],
    ];
    for (const [at, headers] of stolen) {
      isUnproven(
        await world.call(at, { headers }),
        "invalid_token",
        `${at.slice(0, 40)} ${Object.keys(headers)}`,
      );
    }
    isUnproven(
      await world.call(path, { headers: { authorization: `DPoP ${token}` } }),
      "invalid_dpop_proof",
      `${path} without a proof`,
    );
  }
  const form = { form: { access_token: token } };
  isUnproven(await world.call("/oauth/userinfo", form), "invalid_token", "form");
  const creation = { name: "x", scopes: ["api"], expires_at: "2040-01-01" };
  const made = await world.call("/api/v4/personal_access_tokens/self/rotate", { token, json: creation });
  isUnproven(made, "invalid_token", "rotation");
});

test("with the key it opens every one of them, and the stream goes on being judged by the proof it began with (RFC 9449 §7.1)", async () => {
  const { access_token: token } = await boundPair(application);
  for (const path of DOORS.filter((door) => !door.endsWith("stream"))) {
    assert.equal((await shown(path, token)).status, 200, path);
    assert.equal((await shown(path, token, {}, "HEAD")).status, 200, path);
  }
  assert.equal((await shown("/oauth/userinfo", token, {}, "POST")).status, 200);
  assert.equal(
    (await shown("/api/v4/projects?per_page=1", token)).status,
    200,
    "the address without its query",
  );
  const path = "/api/v4/events/stream";
  const dpop = proofBy(key, { method: "GET", url: world.url + path, accessToken: token });
  const leave = new AbortController();
  const headers = { authorization: `DPoP ${token}`, dpop };
  const stream = await fetch(world.url + path, { headers, signal: leave.signal });
  assert.equal(stream.status, 200);
  const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  await record(world, [{ ...push, projectId: world.rocket.id, authorId: world.ids.dev }]);
  while (!heard.includes("data: ")) heard += (await reader.read()).value ?? assert.fail("the stream ended");
  leave.abort();
});

test("a proof of another request, token, key or time opens nothing (RFC 9449 §4.3, §7.1)", async () => {
  const [mine, second] = [await boundPair(application), await boundPair(application)];
  const { access_token: token } = mine;
  const now = Math.floor(Date.now() / 1000);
  const wrong: [string, More][] = [
    ["another key", { by: other }],
    ["another method", { method: "POST" }],
    ["another address", { url: `${world.url}/api/v4/projects` }],
    ["another host", { url: "https://elsewhere.example/api/v4/user" }],
    ["another token", { accessToken: second.access_token }],
    ["no token", { claims: { ath: undefined } }],
    ["too old", { claims: { iat: now - 100 } }],
    ["still to come", { claims: { iat: now + 100 } }],
    ["no algorithm", { header: { alg: "none" } }],
    ["a shared secret", { header: { alg: "HS256" } }],
    ["a private key", { header: { jwk: key.privateJwk } }],
    ["another type", { header: { typ: "JWT" } }],
    ["too long", { claims: { more: "x".repeat(8000) } }],
    ["signed by another", { by: { ...key, privateKey: other.privateKey } }],
  ];
  for (const [what, more] of wrong) {
    for (const path of ["/api/v4/user", "/oauth/token/info"]) {
      const said = more.url === undefined ? more : { ...more, url: more.url };
      isUnproven(await shown(path, token, said), "invalid_dpop_proof", `${what} at ${path}`);
    }
  }
  assert.equal((await shown("/api/v4/user", token)).status, 200, "the token itself was good all along");
});

test("the host that a request names changes nothing: what counts is the public address (RFC 9449 §4.3; reference oauth D77)", async () => {
  const { access_token: token } = await boundPair(application);
  const lines = (url: string) => {
    const dpop = proofBy(key, { method: "GET", url, accessToken: token });
    const host = "Host: evil.example";
    return [
      "GET /api/v4/user HTTP/1.1",
      host,
      `Authorization: DPoP ${token}`,
      `DPoP: ${dpop}`,
      "Connection: close",
    ];
  };
  assert.equal(await rawStatus(world, lines("http://evil.example/api/v4/user")), 401);
  assert.equal(await rawStatus(world, lines(`${world.url}/api/v4/user`)), 200);
});

test("a proof is of the address as it was called, where programs put it together with a slash too many or in older words (RFC 9449 §4.3; decisions 0123, 0207)", async () => {
  const form = await codeForm(application, { scope: "api openid" });
  const dpop = proofBy(key, { method: "POST", url: `${world.url}//oauth/token` });
  const issued = await world.call("//oauth/token", { form, headers: { dpop } });
  assert.equal(issued.json.token_type, "DPoP", issued.text);
  const { access_token: token } = issued.json;
  const said = ["//api/v4/user", "/api//v4/user/", "/api/v3/user", "/api/v4/user.json", "//oauth/token/info"];
  for (const path of said) {
    const reply = await shown(path, token);
    assert.equal(reply.status, 200, `${path}: ${reply.text}`);
  }
  isUnproven(
    await shown("//api/v4/user", token, { url: `${world.url}/api/v4/user` }),
    "invalid_dpop_proof",
    "plain",
  );
});

test("two DPoP headers are refused, at the API and at the token endpoint (RFC 9449 §4.3 number 1)", async () => {
  const { access_token: token } = await boundPair(application);
  const url = `${world.url}/api/v4/user`;
  const proof = () => `DPoP: ${proofBy(key, { method: "GET", url, accessToken: token })}`;
  const lines = ["GET /api/v4/user HTTP/1.1", `Host: ${new URL(url).host}`, `Authorization: DPoP ${token}`];
  assert.equal(await rawStatus(world, [...lines, proof(), proof(), "Connection: close"]), 401);
  assert.equal(await rawStatus(world, [...lines, proof(), "Connection: close"]), 200);
  const body = new URLSearchParams({
    grant_type: "password",
    username: "dev",
    password: PASSWORD,
    ...credentials(application),
  }).toString();
  const asking = () => `DPoP: ${proofBy(key, { method: "POST", url: `${world.url}/oauth/token` })}`;
  const posted = [
    "POST /oauth/token HTTP/1.1",
    `Host: ${new URL(url).host}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  assert.equal(await rawStatus(world, [...posted, asking(), asking(), "", body]), 400);
  assert.equal(await rawStatus(world, [...posted, asking(), "", body]), 200);
});

test("a proof counts once at the API, and who reads it on its way cannot send it again (RFC 9449 §11.1)", async () => {
  const { access_token: token } = await boundPair(application);
  for (const path of ["/api/v4/user", "/oauth/token/info", "/oauth/userinfo"]) {
    const dpop = proofBy(key, { method: "GET", url: world.url + path, accessToken: token });
    const send = () => world.call(path, { headers: { authorization: `DPoP ${token}`, dpop } });
    const replies = await Promise.all(Array.from({ length: 16 }, send));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1, path);
    for (const reply of replies) if (reply.status !== 200) isUnproven(reply, "invalid_dpop_proof", path);
    isUnproven(await send(), "invalid_dpop_proof", path);
  }
});

test("a proof counts once at the token endpoint, of sixteen at once and at two processes (RFC 9449 §11.1)", async () => {
  const second = {
    ...world.platform,
    db: openDb({ connection: world.connection, checkRows: true, patienceMs: PATIENCE_MS }),
  };
  const app = await buildApp(second);
  const asks = { grant_type: "password", username: "dev", password: PASSWORD, scope: "api" };
  const form = new URLSearchParams({ ...asks, ...credentials(application) });
  const headers = { dpop: proofBy(key, { method: "POST", url: `${world.url}/oauth/token` }) };
  const send = (at: string) => fetch(`${at}/oauth/token`, { method: "POST", body: form, headers });
  try {
    const elsewhere = await app.listen({ host: "127.0.0.1", port: 0 });
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) => send(index % 2 === 0 ? world.url : elsewhere)),
    );
    const good = replies.filter(({ status }) => status === 200);
    assert.equal(good.length, 1);
    for (const reply of replies) {
      if (reply === good[0]) continue;
      const { error } = (await reply.json()) as { error: string };
      assert.deepEqual([reply.status, error], [400, "invalid_dpop_proof"]);
    }
    assert.equal((await send(elsewhere)).status, 400);
  } finally {
    await app.close();
    await second.db.close();
  }
});

test("a stranger without the application's secret has no signature computed and no proof remembered (decision 0207)", async () => {
  const remembered = () => counted(world, sql`select count(*) as n from used_proofs`);
  const before = await remembered();
  const form = { ...(await codeForm(application)), client_secret: "gos_wrong" };
  const refused = await asked(form, { by: { ...key, privateKey: other.privateKey } });
  assert.deepEqual(
    [refused.status, refused.json.error],
    [401, "invalid_client"],
    "the proof was not looked at",
  );
  assert.equal((await asked(form)).status, 401);
  isRefused(
    await asked({ ...form, ...own(application) }, { method: "GET" }),
    "invalid_dpop_proof",
    "unproven",
  );
  assert.equal(await remembered(), before);
  assert.equal((await asked({ ...form, ...own(application) })).status, 200);
  assert.equal(await remembered(), before + 1);
});

test("a token that is bound to no key does not become better by a proof: the scheme DPoP refuses it, and Bearer passes the proof over (RFC 9449 §7.1)", async () => {
  const plain = (await tokenCall(world, await codeForm(application))).json.access_token;
  const personal = await world.tokenOf("dev", "api");
  for (const token of [plain, personal, "goa_unknown"]) {
    isUnproven(await shown("/api/v4/user", token), "invalid_token", token.slice(0, 5));
    isUnproven(await shown("/oauth/token/info", token), "invalid_token", token.slice(0, 5));
  }
  for (const token of [plain, personal]) {
    const headers = { authorization: `Bearer ${token}`, dpop: "whatever" };
    const reply = await world.call("/api/v4/user", { headers });
    assert.equal(reply.status, 200, reply.text);
  }
  const worthless = await world.call("/api/v4/user", { token: "goa_unknown" });
  assert.equal(worthless.headers.get("www-authenticate"), 'Bearer realm="Gatehouse", error="invalid_token"');
});

test("a bound token that lacks a scope, has ended or is shown beside another is refused as others are, by its own scheme (RFC 9449 §7.1)", async () => {
  const { access_token: token } = await boundPair(application, "openid");
  const lacking = await shown("/api/v4/projects", token);
  assert.equal(lacking.status, 403);
  assert.match(lacking.headers.get("www-authenticate") ?? "", /^DPoP .*error="insufficient_scope"/);
  const dpop = proofBy(key, { method: "GET", url: `${world.url}/oauth/userinfo`, accessToken: token });
  const headers = { authorization: `DPoP ${token}`, dpop };
  const twice = await world.call("/oauth/userinfo?access_token=other", { headers });
  assert.equal(twice.status, 400);
  const ended = await tokenCall(world, { token, ...own(application) }, {});
  assert.equal(ended.status, 400, "that was the token endpoint");
  const revoked = await world.call("/oauth/revoke", { form: { token, ...credentials(application) } });
  assert.equal(revoked.status, 200, "revocation needs no proof");
  isUnproven(await shown("/oauth/userinfo", token), "invalid_token", "revoked");
});

test("introspection names the key and the type; of tokens that are bound to none it says what it said before (RFC 9449 §6.2)", async () => {
  const worth = async (app: TestApplication, token: string) =>
    (await world.call("/oauth/introspect", { form: { token, ...credentials(app) } })).json;
  for (const [app, bindsRenewal] of [
    [application, false],
    [open, true],
  ] as const) {
    const pair = await boundPair(app);
    const access = await worth(app, pair.access_token);
    assert.deepEqual([access.active, access.token_type, access.cnf], [true, "DPoP", { jkt: key.thumbprint }]);
    const renewed = await worth(app, pair.refresh_token);
    assert.deepEqual(
      [renewed.active, renewed.cnf],
      [true, bindsRenewal ? { jkt: key.thumbprint } : undefined],
    );
    const plain = await worth(app, (await tokenCall(world, await codeForm(app))).json.access_token);
    assert.deepEqual([plain.token_type, plain.cnf], ["bearer", undefined]);
  }
});

test("pages of other origins may send a proof and read why it was refused (contract §4, CORS; RFC 9449 §7.1)", async () => {
  for (const path of ["/api/v4/user", "/oauth/token", "/oauth/userinfo"]) {
    const asks = { origin: "https://app.example.org", "access-control-request-method": "POST" };
    const headers = { ...asks, "access-control-request-headers": "authorization,dpop" };
    const reply = await world.call(path, { method: "OPTIONS", headers });
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get("access-control-allow-headers") ?? "", /\bdpop\b/i);
    assert.match(reply.headers.get("access-control-expose-headers") ?? "", /\bWWW-Authenticate\b/);
  }
});
