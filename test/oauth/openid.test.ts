/** OpenID Connect: ID tokens, signing keys and their rotation, userinfo and discovery. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, test } from "node:test";
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { buildApp } from "../../src/app.ts";
import { currentSigningKey, replaceLostSigningKeys } from "../../src/oauth/current-signing-key.ts";
import { SIGNING_ALGORITHMS } from "../../src/oauth/signing-key.ts";
import { sweepOauth } from "../../src/oauth/sweep.ts";
import { keysFrom } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { PATIENCE_MS } from "../support/database.ts";
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
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const SCOPES = ["openid", "profile", "email", "read_user"];

let world: World;
let application: TestApplication;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  application = await anApplication(world, { scopes: SCOPES });
  dev = await signedIn(world, "dev");
});

const published = async () => (await world.call("/oauth/discovery/keys")).json.keys as { kid: string }[];
const verified = async (token: string, by: TestApplication = application) => {
  const href = `${world.url}/oauth/discovery/keys`;
  const keys = createRemoteJWKSet(new URL(href), { timeoutDuration: PATIENCE_MS });
  return jwtVerify(token, keys, { issuer: world.url, audience: by.uid });
};

test("scope openid gives an ID token with nonce and at_hash (OpenID Connect Core §2, §3.1.3.6)", async () => {
  const before = Math.floor(Date.now() / 1000);
  const code = await aCode(dev, application, { scope: "openid", nonce: "n-0S6_WzA2Mj" });
  const { json } = await exchange(world, application, code);
  const { payload, protectedHeader } = await verified(json.id_token);
  assert.equal(protectedHeader.alg, "RS256");
  const half = createHash("sha256").update(json.access_token).digest().subarray(0, 16).toString("base64url");
  const { auth_time: authenticatedAt, sid, ...rest } = payload;
  assert.match(String(sid), /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    amr: ["pwd"],
    sub: String(world.ids.dev),
    nonce: "n-0S6_WzA2Mj",
    at_hash: half,
    iss: world.url,
    aud: application.uid,
    iat: json.created_at,
    exp: json.created_at + 3600,
  });
  assert.ok(Math.abs((authenticatedAt as number) - before) < 60);
});

test("scopes profile and email add their claims, the same in the ID token and at userinfo (OpenID Connect Core §5.3, §5.4)", async () => {
  const code = await aCode(dev, application, { scope: "openid profile email" });
  const { json } = await exchange(world, application, code);
  const { payload } = await verified(json.id_token);
  const told = await world.call("/oauth/userinfo", { token: json.access_token });
  assert.equal(told.status, 200);
  assert.equal(told.headers.get("access-control-allow-origin"), "*");
  assert.equal(told.headers.get("access-control-allow-credentials"), null);
  assert.deepEqual(told.json, {
    sub: String(world.ids.dev),
    name: "Dev Developer",
    nickname: "dev",
    preferred_username: "dev",
    profile: `${world.url}/dev`,
    picture: `${world.url}/-/avatars/${world.ids.dev}.svg`,
    groups: [],
    groups_direct: [],
    email: told.json.email,
    email_verified: true,
  });
  assert.match(told.json.email, /@/);
  for (const [name, value] of Object.entries(told.json)) assert.deepEqual(payload[name], value, name);
  const posted = await world.call("/oauth/userinfo", { token: json.access_token, method: "POST" });
  assert.deepEqual(posted.json, told.json);
  const info = await world.call("/oauth/token/info", { token: json.access_token });
  assert.equal(String(info.json.resource_owner_id), payload.sub);
  const { run } = world.platform.db;
  await run(sql`update users set confirmed_at = null where id = ${world.ids.dev}`);
  const unproven = await world.call("/oauth/userinfo", { token: json.access_token });
  await run(sql`update users set confirmed_at = now() where id = ${world.ids.dev}`);
  assert.equal(unproven.json.email_verified, false);
});

test("groups lists memberships including subgroups, groups_direct only direct ones, both as they are at the moment (decision 0123)", async () => {
  const made = async (path: string, parent_id?: number): Promise<number> =>
    (await world.call("/api/v4/groups", { as: "ada", json: { name: path, path, parent_id } })).json.id;
  const crew = await made("Crew");
  const night = await made("night", crew);
  await made("deep", night);
  await made("elsewhere");
  const json = { user_id: world.ids.dev, access_level: 10 };
  await world.call(`/api/v4/groups/${night}/members`, { as: "ada", json });
  const { json: issued } = await exchange(
    world,
    application,
    await aCode(dev, application, { scope: "openid profile" }),
  );
  const told = async () => (await world.call("/oauth/userinfo", { token: issued.access_token })).json;
  const { payload } = await verified(issued.id_token);
  for (const claims of [payload, await told()]) {
    assert.deepEqual(claims.groups, ["Crew/night", "Crew/night/deep"]);
    assert.deepEqual(claims.groups_direct, ["Crew/night"]);
  }
  await world.platform.db.run(
    sql`update namespaces set removal_began_at = now() where full_path = 'Crew/night/deep'`,
  );
  assert.deepEqual(
    (await told()).groups,
    ["Crew/night"],
    "a group whose removal has begun is not listed (decision 0152)",
  );
  const endsIn = (time: string) =>
    world.platform.db.run(sql`update members set expires_at = now() + ${time}::interval
      where namespace_id = ${night} and user_id = ${world.ids.dev}`);
  await endsIn("1 h");
  assert.deepEqual((await told()).groups_direct, ["Crew/night"]);
  await endsIn("-1 s");
  assert.deepEqual((await told()).groups, []);
});

test("userinfo lists the groups in which the person is Owner, Maintainer or Developer, under GitLab's claim names (decision 0264)", async () => {
  const claim = (role: string) => `https://gitlab.org/claims/groups/${role}`;
  const join = (id: number, access_level: number) =>
    world.call(`/api/v4/groups/${id}/members`, {
      as: "ada",
      json: { user_id: world.ids.stan, access_level },
    });
  const made = async (path: string, level: number, parent_id?: number): Promise<number> => {
    const { json } = await world.call("/api/v4/groups", { as: "ada", json: { name: path, path, parent_id } });
    if (level > 0) assert.equal((await join(json.id, level)).status, 201);
    return json.id;
  };
  const yard = await made("yard", 30);
  await made("below", 0, yard);
  await made("slip", 40, yard);
  await made("Dock", 50);
  await made("quay", 50);
  await made("lock", 20);
  const stan = await signedIn(world, "stan");
  const told = async (scope: string) => {
    const { json } = await exchange(world, application, await aCode(stan, application, { scope }));
    const reply = await world.call("/oauth/userinfo", { token: json.access_token });
    const named = Object.entries(reply.json).filter(([name]) => name.startsWith(claim("")));
    return { json, claims: Object.fromEntries(named), payload: (await verified(json.id_token)).payload };
  };
  const { json, claims, payload } = await told("openid profile");
  assert.deepEqual(claims, {
    [claim("owner")]: ["Dock", "quay"],
    [claim("maintainer")]: ["yard/slip"],
    [claim("developer")]: ["yard"],
  });
  assert.ok(
    !Object.keys(payload).some((name) => name.startsWith(claim(""))),
    "GitLab has them at userinfo only",
  );
  assert.deepEqual(await told("read_user openid").then((one) => one.claims), claims);
  assert.deepEqual(await told("openid email").then((one) => one.claims), {});
  await world.platform.db.run(
    sql`update members set expires_at = now() where user_id = ${world.ids.stan} and access_level = 40`,
  );
  const now = await world.call("/oauth/userinfo", { token: json.access_token });
  assert.deepEqual(now.json[claim("developer")], ["yard"]);
  assert.ok(!(claim("maintainer") in now.json), "a role without groups has no claim");
  const { claims_supported: supported } = (await world.call("/.well-known/openid-configuration")).json;
  for (const role of ["owner", "maintainer", "developer"]) assert.ok(supported.includes(claim(role)), role);
});

test("profile includes the person's website, unless their profile is private (reference oauth A12; decision 0157)", async () => {
  const tell = async (fields: Record<string, unknown>) => {
    const path = `/api/v4/users/${world.ids.stan}`;
    assert.equal((await world.call(path, { as: "ada", method: "PUT", json: fields })).status, 200);
  };
  const stan = await signedIn(world, "stan");
  const { json } = await exchange(
    world,
    application,
    await aCode(stan, application, { scope: "openid profile" }),
  );
  const { json: bare } = await exchange(
    world,
    application,
    await aCode(stan, application, { scope: "openid" }),
  );
  const told = async (token: string) => (await world.call("/oauth/userinfo", { token })).json.website;
  assert.equal(await told(json.access_token), undefined);
  await tell({ website_url: "https://stan.example/?a=1&b=2" });
  assert.equal(await told(json.access_token), "https://stan.example/?a=1&b=2");
  const next = await refresh(world, application, json.refresh_token);
  assert.equal((await verified(next.json.id_token)).payload.website, "https://stan.example/?a=1&b=2");
  assert.equal(await told(bare.access_token), undefined);
  await tell({ private_profile: true });
  assert.equal(await told(next.json.access_token), undefined);
  const { claims_supported: supported } = (await world.call("/.well-known/openid-configuration")).json;
  assert.ok(supported.includes("website"));
});

test("scope openid alone returns only sub, and the response is not cached (OpenID Connect Core §5.4; RFC 9111 §5.2.2.5)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application, { scope: "openid" }));
  const told = await world.call("/oauth/userinfo", { token: json.access_token });
  assert.deepEqual(told.json, { sub: String(world.ids.dev) });
  assert.equal(told.headers.get("cache-control"), "no-store");
});

test("profile does not include the email address, and email does not include profile claims (OpenID Connect Core §5.4)", async () => {
  for (const [scope, told, kept] of [
    ["openid profile", "nickname", "email"],
    ["openid email", "email", "nickname"],
  ] as const) {
    const { json } = await exchange(world, application, await aCode(dev, application, { scope }));
    const claims = (await world.call("/oauth/userinfo", { token: json.access_token })).json;
    const token = JSON.parse(Buffer.from(json.id_token.split(".")[1], "base64url").toString());
    assert.deepEqual(
      [told in claims, kept in claims, told in token, kept in token],
      [true, false, true, false],
    );
  }
});

test("userinfo accepts one token in a form, and refuses a repeated one or a different one in the header (RFC 6750 §2.2, §3.1)", async () => {
  const [mine, other] = [await world.tokenOf("dev", "openid"), await world.tokenOf("max", "openid")];
  const shown = (form: [string, string][], token?: string) =>
    world.call("/oauth/userinfo", { form, ...(token ? { token } : {}) });
  const one: [string, string] = ["access_token", mine];
  assert.equal((await shown([one])).json.sub, String(world.ids.dev));
  assert.equal((await shown([one], mine)).json.sub, String(world.ids.dev), "the same token in the header");
  for (const refused of [
    await shown([one, one]),
    await shown([one, ["access_token", other]]),
    await shown([one], other),
  ]) {
    assert.deepEqual([refused.status, refused.json.error], [400, "invalid_request"], refused.text);
  }
});

test("without scope openid there is no ID token, and userinfo answers insufficient_scope (RFC 6750 §3.1; D65)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application, { scope: "read_user" }));
  assert.equal("id_token" in json, false);
  const refused = await world.call("/oauth/userinfo", { token: json.access_token });
  assert.equal(refused.status, 403);
  assert.equal(refused.json.error, "insufficient_scope");
  assert.match(refused.headers.get("www-authenticate") ?? "", /error="insufficient_scope"/);
});

test("the challenge of userinfo has no error when no token was sent, and invalid_token for a blocked person's token (RFC 6750 §3, §3.1)", async () => {
  const realm = 'Bearer realm="Gatehouse"';
  const visitor = await signedIn(world, "gus");
  const { json } = await exchange(world, application, await aCode(visitor, application, { scope: "openid" }));
  await world.platform.db.run(sql`update users set state = 'blocked' where id = ${world.ids.gus}`);
  for (const method of ["GET", "POST"]) {
    for (const [token, challenge] of [
      [undefined, realm],
      ["goa_x", `${realm}, error="invalid_token"`],
      [json.access_token, `${realm}, error="invalid_token"`],
    ]) {
      const nobody = await world.call("/oauth/userinfo", { method, ...(token ? { token } : {}) });
      assert.deepEqual([nobody.status, nobody.json.error], [401, "invalid_token"], `${method} ${token}`);
      assert.equal(nobody.headers.get("www-authenticate"), challenge, `${method} ${token}`);
    }
  }
});

test("a refresh gives an ID token with the same sub and auth_time and no nonce, and none without scope openid (OpenID Connect Core §12.2)", async () => {
  const code = await aCode(dev, application, { scope: "openid read_user", nonce: "once" });
  const { json } = await exchange(world, application, code);
  const first = (await verified(json.id_token)).payload;
  const again = await refresh(world, application, json.refresh_token);
  const { payload } = await verified(again.json.id_token);
  assert.equal(payload.nonce, undefined);
  assert.equal(payload.auth_time, first.auth_time);
  assert.equal(payload.sub, first.sub);
  const narrow = await refresh(world, application, again.json.refresh_token, { scope: "read_user" });
  assert.equal(narrow.status, 200);
  assert.equal("id_token" in narrow.json, false);
});

test("the password grant gives no ID token (decision 0017)", async () => {
  const reply = await tokenCall(world, {
    grant_type: "password",
    username: "dev",
    password: PASSWORD,
    scope: "openid",
    client_id: application.uid,
    client_secret: application.secret,
  });
  assert.equal(reply.status, 200);
  assert.equal("id_token" in reply.json, false);
});

test("an application can have its ID tokens signed with ES256 (OpenID Connect Registration §2)", async () => {
  const small = await anApplication(world, { scopes: SCOPES, idTokenAlgorithm: "ES256" });
  const { json } = await exchange(world, small, await aCode(dev, small, { scope: "openid" }));
  assert.equal((await verified(json.id_token, small)).protectedHeader.alg, "ES256");
});

test("both metadata documents are the same, and name only endpoints that exist (RFC 8414; OpenID Connect Discovery §3; D78)", async () => {
  const [oauth, openid] = await Promise.all([
    world.call("/.well-known/oauth-authorization-server"),
    world.call("/.well-known/openid-configuration", { headers: { "x-forwarded-host": "evil.example" } }),
  ]);
  assert.deepEqual(openid.json, oauth.json);
  assert.equal(openid.headers.get("cache-control"), "public, max-age=60");
  assert.equal(openid.json.issuer, world.url);
  assert.deepEqual(openid.json.id_token_signing_alg_values_supported, ["RS256", "ES256"]);
  assert.deepEqual(openid.json.subject_types_supported, ["public"]);
  for (const name of ["userinfo_endpoint", "jwks_uri", "introspection_endpoint"]) {
    const { pathname } = new URL(openid.json[name]);
    assert.notEqual((await world.call(pathname)).status, 404, name);
  }
});

test("the key set holds only public keys, each with kid, alg and use (RFC 7517 §4)", async () => {
  for (const key of (await published()) as unknown as Record<string, string>[]) {
    assert.equal(key.use, "sig");
    assert.ok(key.kid && (key.alg === "RS256" || key.alg === "ES256"));
    for (const part of ["d", "p", "q", "dp", "dq", "qi"]) assert.equal(part in key, false, part);
  }
  const { headers } = await world.call("/oauth/discovery/keys");
  assert.equal(headers.get("access-control-allow-origin"), "*");
  // Much shorter than the day for which a key is published before it is used (decision 0017).
  assert.equal(headers.get("cache-control"), "public, max-age=300");
});

test("a signing key of 90 days gets one successor despite concurrency, which is used after a day; the old key stays published for 30 days (decision 0017)", async () => {
  const { db } = world.platform;
  const { json } = await exchange(world, application, await aCode(dev, application, { scope: "openid" }));
  const old = decodeProtectedHeader(json.id_token).kid ?? "";
  const kidsNow = async () => (await published()).map(({ kid }) => kid);
  const aged = (kid: string, by: string) =>
    db.run(sql`update signing_keys set created_at = now() - ${by}::interval where kid = ${kid}`);
  const before = await kidsNow();
  await aged(old, "91 days");
  const signing = await Promise.all(
    Array.from({ length: 8 }, () => currentSigningKey(world.platform, "RS256").then(({ kid }) => kid)),
  );
  assert.deepEqual([...new Set(signing)], [old]);
  const made = (await kidsNow()).filter((kid) => !before.includes(kid));
  assert.equal(made.length, 1);
  const [next = ""] = made;
  const renewed = await refresh(world, application, json.refresh_token);
  assert.equal(decodeProtectedHeader(renewed.json.id_token).kid, old);
  assert.equal((await kidsNow())[0], old);
  await aged(next, "25 hours");
  const last = await refresh(world, application, renewed.json.refresh_token);
  assert.equal(decodeProtectedHeader(last.json.id_token).kid, next);
  assert.deepEqual((await kidsNow()).slice(0, 2), [next, old]);
  assert.equal((await verified(json.id_token)).payload.sub, String(world.ids.dev));
  await aged(next, "31 days");
  assert.equal((await kidsNow()).includes(old), false);
  await sweepOauth(world.platform);
  const swept = await exchange(world, application, await aCode(dev, application, { scope: "openid" }));
  assert.equal(decodeProtectedHeader(swept.json.id_token).kid, next);
});

test("without the master key a process publishes its signing keys but cannot sign, and replaces them only when told that the master key is lost (decisions 0017 and 0211)", async () => {
  const kidsNow = async () => (await published()).map(({ kid }) => kid);
  const before = await currentSigningKey(world.platform, "ES256");
  const [kids, elsewhere] = [await kidsNow(), { ...world.platform, keys: keysFrom(Buffer.alloc(32, 91)) }];
  await assert.rejects(currentSigningKey(elsewhere, "ES256"), { kind: "unavailable" });
  await assert.rejects(sweepOauth(elsewhere), { kind: "unavailable" });
  const other = await buildApp(elsewhere);
  const asked = await other.inject("/oauth/discovery/keys");
  await other.close();
  assert.equal(asked.statusCode, 200);
  assert.deepEqual(await kidsNow(), kids);
  assert.equal(await replaceLostSigningKeys(elsewhere), SIGNING_ALGORITHMS.length);
  const after = await currentSigningKey(elsewhere, "ES256");
  assert.notEqual(after.kid, before.kid);
  assert.deepEqual((await kidsNow()).filter((kid) => kids.includes(kid)).sort(), kids.sort());
  assert.equal(await replaceLostSigningKeys(elsewhere), 0);
  await replaceLostSigningKeys(world.platform);
});

test("an ID token that is unsigned or changed does not verify against the published keys (RFC 8725 §3.1)", async () => {
  const { json } = await exchange(world, application, await aCode(dev, application, { scope: "openid" }));
  const keys = createLocalJWKSet({ keys: (await published()) as never });
  const [, body, signature] = json.id_token.split(".");
  const none = `${Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url")}.${body}.`;
  const forged = `${json.id_token.split(".")[0]}.${Buffer.from("{}").toString("base64url")}.${signature}`;
  for (const bad of [none, forged]) await assert.rejects(jwtVerify(bad, keys));
});

test("WebFinger returns the issuer for any address, with or without an account (OpenID Connect Discovery §2; RFC 7033 §4; reference oauth A1)", async () => {
  const rel = "http://openid.net/specs/connect/1.0/issuer";
  for (const resource of ["acct:dev@example.org", "acct:nobody@example.org", world.url]) {
    const asked = new URLSearchParams({ resource, rel });
    const reply = await world.call(`/.well-known/webfinger?${asked}`, {
      headers: { origin: "https://a.example" },
    });
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get("content-type") ?? "", /^application\/jrd\+json/);
    assert.equal(reply.headers.get("access-control-allow-origin"), "*");
    assert.deepEqual(JSON.parse(reply.text), { subject: resource, links: [{ rel, href: world.url }] });
  }
  const every = await world.call("/.well-known/webfinger?resource=acct:dev@example.org");
  assert.equal(JSON.parse(every.text).links.length, 1);
  const other = await world.call("/.well-known/webfinger?resource=acct:dev@example.org&rel=self");
  assert.deepEqual(JSON.parse(other.text).links, []);
  assert.equal((await world.call("/.well-known/webfinger")).status, 400);
});
