/** Attacks on the proof by a key: replayed, unsigned, signed by others, meant for others, out of time, endless, beside other proofs. */
import assert from "node:assert/strict";
import { createHmac, createPublicKey, randomUUID } from "node:crypto";
import { before, mock, test } from "node:test";
import { flushRefusals } from "../../../src/oauth/record-refusal.ts";
import { integer, row } from "../../../src/platform/row.ts";
import { sql } from "../../../src/platform/sql.ts";
import {
  ASSERTION_TYPE,
  aKey,
  assertionForm,
  claimsOf,
  type Pair,
  part,
  setOf,
  signed,
} from "../../support/assertions.ts";
import { aScene } from "../../support/attacks.ts";
import { counting } from "../../support/counting.ts";
import { aCode, anApplication, type TestApplication, type Visitor } from "../../support/oauth.ts";
import type { Reply, World } from "../../support/world.ts";

const key = aKey("ES256", "one");
const rsa = aKey("RS256", "rsa");
const othersKey = aKey("ES256", "one");
const GRANTS = ["authorization_code", "refresh_token", "client_credentials", "device_code"] as const;

let world: World;
let dev: Visitor;
/** By its keys, and by its secret too. */
let application: TestApplication;
let strict: TestApplication;
/** Of somebody else, with a key of the same name. */
let other: TestApplication;

before(async () => {
  const described = { grantTypes: GRANTS, jwks: setOf(key, rsa) };
  ({ world, dev, application } = await aScene({}, described));
  strict = await anApplication(world, { ...described, jwks: setOf(key), onlyByKey: true });
  other = await anApplication(world, { ...described, jwks: setOf(othersKey) });
});

type More = Parameters<typeof assertionForm>[3];
const asking = (form: Record<string, string>, headers = {}): Promise<Reply> =>
  world.call("/oauth/token", { form: { grant_type: "client_credentials", ...form }, headers });
const by = (pair: Pair, more: More = {}, of = application) => asking(assertionForm(world, of, pair, more));
const reasons = async ({ id }: TestApplication): Promise<string[]> => {
  await flushRefusals(world.platform);
  const reply = await world.call(`/api/v4/applications/${id}/events?per_page=100`, { as: "ada" });
  return reply.json.map(({ reason }: { reason: string }) => reason);
};

/** One wording whatever it was; returns it. */
function refused(reply: Reply, why: string): string {
  assert.deepEqual([reply.status, reply.json.error], [401, "invalid_client"], `${why}: ${reply.text}`);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  return reply.text;
}

test("an assertion is good once at every door: a replay is refused, at another door too (reference oauth D84; RFC 7523 §3)", async () => {
  const code = await aCode(dev, application);
  const code_form = { grant_type: "authorization_code", code, redirect_uri: application.redirectUri };
  for (const [path, needs] of [
    ["/oauth/token", code_form],
    ["/oauth/token", { grant_type: "client_credentials" }],
    ["/oauth/revoke", { token: "x" }],
    ["/oauth/introspect", { token: "x" }],
    ["/oauth/authorize_device", { scope: "read_user" }],
  ] as [string, Record<string, string>][]) {
    const form = assertionForm(world, application, key);
    const first = await world.call(path, { form: { ...needs, ...form } });
    assert.equal(first.status, 200, `${path}: ${first.text}`);
    refused(await world.call(path, { form: { ...needs, ...form } }), path);
    refused(await asking(form), `${path}, then at the token endpoint`);
  }
  assert.ok(
    (await reasons(application)).some((reason) =>
      reason.startsWith("client_assertion: its jti was used before"),
    ),
  );
});

test("one that has expired by the database's clock is refused by a process whose clock is behind, since used ones are forgotten by then (contract §4, time; RFC 7523 §3)", async () => {
  const minutesAgo = (n: number) => Math.floor(Date.now() / 1000) - 60 * n;
  const form = assertionForm(world, application, key, {
    claims: { iat: minutesAgo(11), exp: minutesAgo(5) },
  });
  mock.timers.enable({ apis: ["Date"], now: Date.now() - 10 * 60_000 });
  try {
    refused(await asking(form), "expired, and never used before");
  } finally {
    mock.timers.reset();
  }
  assert.match((await reasons(application))[0] ?? "", /expired by the database's clock$/);
});

test("of sixteen that show one assertion at once exactly one gets a token (reference oauth D84)", async () => {
  for (const pair of [key, rsa]) {
    const form = assertionForm(world, application, pair);
    const replies = await Promise.all(Array.from({ length: 16 }, () => asking(form)));
    const good = replies.filter(({ status }) => status === 200);
    assert.equal(good.length, 1);
    for (const reply of replies) if (reply.status !== 200) refused(reply, "a loser");
  }
});

test("two assertions with one jti are one, and two applications may use the same (RFC 7519 §4.1.7; reference oauth D84)", async () => {
  const claims = { jti: randomUUID() };
  assert.equal((await by(key, { claims })).status, 200);
  refused(await by(key, { claims }), "signed anew");
  refused(await by(rsa, { claims }), "signed with another key of the application");
  assert.equal((await by(othersKey, { claims }, other)).status, 200);
});

test("unsigned, signed with the public key as a secret, or with the key of somebody else: refused, and nobody's jti is spent (reference oauth D84, D33; RFC 8725 §2.1, §3.1)", async () => {
  const usedBefore = await usedProofs();
  const claims = claimsOf(world, application);
  const publicPem = createPublicKey(rsa.privateKey).export({ type: "spki", format: "pem" });
  const hmac = (alg: string, secret: string | Buffer, header = {}) => {
    const input = `${part({ alg, ...header })}.${part(claims)}`;
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  };
  const good = signed(key, { kid: "one" }, claims);
  const [head = "", body = "", signature = ""] = good.split(".");
  const changed = part({ ...claims, exp: Number(claims.exp) + 1 });
  const seen = new Set<string>();
  for (const [why, client_assertion] of Object.entries({
    none: `${part({ alg: "none" })}.${body}.`,
    "none, signed": `${part({ alg: "none" })}.${body}.${signature}`,
    nOnE: `${part({ alg: "nOnE" })}.${body}.`,
    "HS256 with the public key in PEM": hmac("HS256", publicPem),
    "HS256 with the public key as JWK": hmac("HS256", JSON.stringify(rsa.jwk)),
    "HS256 with the client secret": hmac("HS256", application.secret),
    "RS256 in name, HMAC in truth": hmac("RS256", publicPem, { kid: "rsa" }),
    "a key of the same name in another application": signed(othersKey, { kid: "one" }, claims),
    "another's key, no name": signed(othersKey, {}, claims),
    "a key that came along": signed(othersKey, { jwk: othersKey.jwk }, claims),
    "a key from an address": signed(othersKey, { jku: `${world.url}/oauth/discovery/keys` }, claims),
    "a kid that is none of its own": signed(key, { kid: "two" }, claims),
    "a kid of the other kind": signed(key, { kid: "rsa" }, claims),
    "the algorithm of the other kind": signed(
      { ...key, algorithm: "RS256" as const, privateKey: rsa.privateKey },
      { kid: "one" },
      claims,
    ),
    "another algorithm in the header": `${part({ alg: "EdDSA", kid: "one" })}.${body}.${signature}`,
    "changed claims": `${head}.${changed}.${signature}`,
    "no signature": `${head}.${body}.`,
    "a cut signature": good.slice(0, -2),
    "a signature of zeros": `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`,
    "a part more": `${good}.${signature}`,
    "critical extensions": signed(key, { crit: ["b64"], b64: false }, claims),
    "a JWT for another purpose": signed(key, { typ: "logout+jwt" }, claims),
  })) {
    // Of a network only ten refusals are looked into at the same time, and no more kinds are kept until they are stored.
    await flushRefusals(world.platform);
    seen.add(refused(await asking({ client_assertion_type: ASSERTION_TYPE, client_assertion }), why));
  }
  const unknown = { iss: "0".repeat(64), sub: "0".repeat(64) };
  seen.add(refused(await by(key, { claims: unknown }), "an unknown application"));
  seen.add(refused(await asking({ client_id: application.uid, client_secret: "x" }), "a wrong secret"));
  assert.equal(seen.size, 1, "one wording");
  const told = await reasons(application);
  for (const expected of [/: alg is not one of RS256/, /: is not signed$/, /: not signed with a key/]) {
    assert.ok(
      told.some((reason) => expected.test(reason)),
      `${expected} ${told}`,
    );
  }
  assert.equal(await usedProofs(), usedBefore, "nothing was marked as used");
  assert.equal((await asking({ client_assertion_type: ASSERTION_TYPE, client_assertion: good })).status, 200);
});

const usedProofs = async () =>
  (await world.platform.db.one(row({ n: integer }), sql`select count(*) as n from used_proofs`)).n;

test("an assertion for another server or nobody, expired, ahead of its time, without end or of somebody else proves nothing (reference oauth D84; RFC 7523 §3)", async () => {
  const now = Math.floor(Date.now() / 1000);
  const seen = new Set<string>();
  for (const claims of [
    { aud: "https://other.example.org" },
    { aud: "https://other.example.org/oauth/token" },
    { aud: [world.url, "https://other.example.org"] },
    { aud: undefined },
    { aud: application.uid },
    { aud: `${world.url}/oauth/introspect` },
    { aud: `${world.url}/oauth/token?x` },
    { exp: undefined },
    { exp: now - 120 },
    { exp: now + 7200 },
    { exp: 9_999_999_999_999 },
    { exp: "soon" },
    { nbf: now + 120 },
    { iat: now + 120 },
    { jti: undefined },
    { jti: 7 },
    { iss: other.uid },
    { iss: "https://app.example.org" },
    { iss: undefined },
    { sub: undefined },
    { sub: "dev" },
    { sub: other.uid, iss: other.uid },
  ]) {
    seen.add(refused(await by(key, { claims }), JSON.stringify(claims)));
    // Of one network only so many kinds of refusals are told apart at a time (decision 0080).
    await flushRefusals(world.platform);
  }
  assert.equal(seen.size, 1);
  const told = await reasons(application);
  for (const expected of [
    `client_assertion: aud is not this server: it must be ${world.url}`,
    "client_assertion: aud names more than this server",
    "client_assertion: exp is missing or no number",
    "client_assertion: exp is more than 3600 s ahead",
    "client_assertion: jti is missing or no text",
    "client_assertion: nbf is ahead of the clock here",
  ]) {
    assert.ok(told.includes(expected), `${expected}\n${told.join("\n")}`);
  }
  assert.ok((await reasons(other)).includes("client_assertion: not signed with a key of the application"));
});

test("the owner reads which key of theirs an assertion names that they have not, and a secret in its place is blotted out (decisions 0080, 0206)", async () => {
  const named = (kid: string) => by(key, { header: { kid } });
  const seen = new Set([refused(await by(key, { claims: { iss: other.uid } }), "another issuer")]);
  for (const kid of ["two", `${"k".repeat(99)}\u{1f511}`, application.secret]) {
    seen.add(refused(await named(kid), kid));
  }
  const unnamed = await anApplication(world, { grantTypes: GRANTS, jwks: setOf(aKey("ES256")) });
  seen.add(refused(await by(key, { header: { kid: "two" } }, unnamed), "a key without a name"));
  assert.equal(seen.size, 1, "one wording");
  const told = await reasons(application);
  for (const shown of ["two", "k".repeat(99), "SECRET"]) {
    const expected = `client_assertion: no key of the application has the kid “${shown}”`;
    assert.ok(told.includes(expected), `${expected}\n${told.join("\n")}`);
  }
  assert.deepEqual(await reasons(unnamed), ["client_assertion: not signed with a key of the application"]);
});

test("an assertion of one application beside the id of another proves neither (RFC 7521 §4.2; reference oauth D30)", async () => {
  const form = assertionForm(world, application, key);
  refused(await asking({ ...form, client_id: other.uid }), "the id of another");
  refused(await asking({ ...form, client_id: "x" }), "no id at all");
  assert.equal((await asking({ ...form, client_id: application.uid })).status, 200, "and was not spent");
});

test("an assertion beside a secret, in the header or the body, is two proofs; beside another assertion, or in the address, none (RFC 6749 §2.3; reference oauth D30)", async () => {
  const form = assertionForm(world, application, key);
  const basic = { authorization: application.basic };
  for (const reply of [
    await asking(form, basic),
    await asking({ ...form, client_id: application.uid, client_secret: application.secret }),
    await asking({ ...form, client_secret: "x" }),
    await asking({ client_assertion_type: ASSERTION_TYPE }, basic),
    await asking({ client_assertion: form.client_assertion }, basic),
    await world.call("/oauth/token", {
      form: [...Object.entries({ grant_type: "client_credentials", ...form }), ["client_assertion", "x"]],
    }),
    await world.call("/oauth/token", {
      json: { grant_type: "client_credentials", ...form, client_assertion: { a: 1 } },
    }),
  ]) {
    assert.deepEqual([reply.status, reply.json.error], [400, "invalid_request"], reply.text);
  }
  refused(await asking({ client_assertion: form.client_assertion }), "no type");
  refused(await asking({ client_assertion_type: ASSERTION_TYPE }), "nothing but a type");
  refused(
    await asking({ ...form, client_assertion_type: ASSERTION_TYPE.replace("jwt", "saml2") }),
    "another type",
  );
  const inAddress = await world.call(`/oauth/token?${new URLSearchParams(form)}`, {
    form: { grant_type: "client_credentials" },
  });
  refused(inAddress, "in the address");
  assert.equal((await asking(form)).status, 200, "and none of them spent it");
});

test("garbage, members that stand twice, deep nesting and megabytes are refused by a 4xx (reference oauth D30, reliability S28)", async () => {
  const claims = claimsOf(world, application);
  const raw = (text: string) => Buffer.from(text).toString("base64url");
  const head = part({ alg: "ES256" });
  const deep = `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`;
  for (const client_assertion of [
    "x",
    ".",
    "..",
    "\0.\0.\0",
    "é.é.é",
    `${raw("{")}.${raw("{")}.AAAA`,
    `${raw("null")}.${raw("null")}.AAAA`,
    `${raw("[]")}.${raw("[]")}.AAAA`,
    `${head}.${raw(deep)}.AAAA`,
    `${head}.${Buffer.from([0xff, 0xfe]).toString("base64url")}.AAAA`,
    `${raw('{"alg":"none","alg":"ES256"}')}.${part(claims)}.AAAA`,
    `${part({ alg: "RS256", kid: "rsa" })}.${part(claims)}.${"A".repeat(4000)}`,
    signed(key, {}, { ...claims, more: "x".repeat(9000) }),
    "x".repeat(900_000),
  ]) {
    refused(
      await asking({ client_assertion_type: ASSERTION_TYPE, client_assertion }),
      client_assertion.slice(0, 60),
    );
  }
  const huge = { client_assertion_type: ASSERTION_TYPE, client_assertion: "x".repeat(1_100_000) };
  assert.equal((await asking(huge)).status, 413);
  assert.equal((await by(key, { claims: { jti: "x".repeat(5000) } })).status, 200, "a long name is no fault");
});

test("a secret costs the statements that it did, with keys beside it and without, and an assertion one more (decision 0206)", async () => {
  const { app, tokenCost } = await counting(world);
  const cost = (proof: Record<string, string>) =>
    tokenCost({ grant_type: "client_credentials", ...proof }, 200);
  const bare = await anApplication(world, { grantTypes: GRANTS });
  const usual = await cost({ client_id: bare.uid, client_secret: bare.secret });
  assert.equal(await cost({ client_id: application.uid, client_secret: application.secret }), usual);
  assert.equal(await cost(assertionForm(world, application, key)), usual + 1);
  await app.close();
});

test("an unknown application costs the statements of a wrong signature, and neither writes anything (reference oauth D33, reliability S27)", async () => {
  const { app, tokenCost } = await counting(world);
  const cost = (of: Pick<TestApplication, "uid">, pair: Pair) =>
    tokenCost({ grant_type: "client_credentials", ...assertionForm(world, of, pair) }, 401);
  const bare = await anApplication(world, { grantTypes: GRANTS });
  const wrong = await cost(application, othersKey);
  for (const pair of [key, rsa, aKey("EdDSA"), aKey("ES384")]) {
    assert.equal(await cost({ uid: "0".repeat(64) }, pair), wrong);
    assert.equal(await cost(bare, pair), wrong);
  }
  await app.close();
});

test("a key that was taken away signs nobody in any more, and a new one does at once (reference oauth D84, D34)", async () => {
  const moving = await anApplication(world, { grantTypes: GRANTS, jwks: setOf(key), onlyByKey: true });
  const waiting = assertionForm(world, moving, key);
  const change = (json: Record<string, unknown>) =>
    world.call(`/api/v4/applications/${moving.id}`, { as: "ada", method: "PUT", json });
  assert.equal((await by(key, {}, moving)).status, 200);
  assert.equal((await change({ jwks: JSON.parse(setOf(rsa)) })).status, 200);
  refused(await asking(waiting), "signed while the key was there");
  refused(await by(key, {}, moving), "signed afterwards");
  assert.equal((await by(rsa, {}, moving)).status, 200);
  assert.equal((await change({ jwks: null, only_by_key: false })).status, 200);
  refused(await by(rsa, {}, moving), "no key is left");
});

test("what proves itself only by its key is let in by no secret, at no door, however it is shown (decision 0206; reference oauth D30, D31)", async () => {
  const own = { client_id: strict.uid, client_secret: strict.secret };
  for (const [path, needs] of [
    ["/oauth/token", { grant_type: "client_credentials" }],
    ["/oauth/token", { grant_type: "refresh_token", refresh_token: "x" }],
    ["/oauth/revoke", { token: "x" }],
    ["/oauth/introspect", { token: "x" }],
    ["/oauth/authorize_device", { scope: "read_user" }],
  ] as [string, Record<string, string>][]) {
    refused(await world.call(path, { form: { ...needs, ...own } }), path);
    const headers = { authorization: strict.basic };
    refused(await world.call(path, { form: needs, headers }), path);
    refused(await world.call(path, { form: { ...needs, client_id: strict.uid } }), path);
    const byKey = await world.call(path, { form: { ...needs, ...assertionForm(world, strict, key) } });
    assert.notEqual(byKey.status, 401, path);
  }
  const renewed = await world.call(`/api/v4/applications/${strict.id}/renew-secret`, {
    as: "ada",
    method: "POST",
  });
  refused(await asking({ ...own, client_secret: renewed.json.secret }), "a new secret");
  assert.ok((await reasons(strict)).includes("the secret does not count: only by key"));
  assert.equal((await asking({ client_id: application.uid, client_secret: application.secret })).status, 200);
});

test("an assertion is no access token, and ends no session as an identity token would (RFC 8725 §3.12; reference oauth D13)", async () => {
  const { client_assertion: assertion } = assertionForm(world, application, key);
  assert.equal((await world.call("/api/v4/user", { token: assertion })).status, 401);
  const form = { token: assertion, client_id: application.uid, client_secret: application.secret };
  assert.deepEqual((await world.call("/oauth/introspect", { form })).json, { active: false });
  const hint = new URLSearchParams({ id_token_hint: assertion, client_id: application.uid });
  await dev.get(`/oauth/logout?${hint}`);
  assert.equal((await dev.get("/profile/applications")).status, 200, "Dev is still signed in");
});

test("an application without a secret cannot have a key either, so that nobody's device holds one (decision 0206; reference oauth D32)", async () => {
  const json = { name: "x", redirect_uri: "https://a.example/cb", scopes: "api", confidential: false };
  const reply = await world.call("/api/v4/applications", {
    as: "ada",
    json: { ...json, jwks: JSON.parse(setOf(key)) },
  });
  assert.equal(reply.status, 400, reply.text);
  assert.match(reply.text, /confidential applications alone/);
  const change = await world.call(`/api/v4/applications/${application.id}`, {
    as: "ada",
    method: "PUT",
    json: { confidential: false, grant_types: ["authorization_code"] },
  });
  assert.equal(change.status, 400, change.text);
});
