/** The claims `amr` and `auth_time`: how and when the person authenticated. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { decodeJwt } from "jose";
import { classClaim, methodsClaim } from "../../src/oauth/claims.ts";
import { integer, list, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { addPasskey } from "../support/authenticator.ts";
import {
  aCode,
  anApplication,
  aVisitor,
  exchange,
  hiddenFields,
  refresh,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn as signedInBrowser } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world, { scopes: ["openid"] });
});

/** Loads a page and submits its form with these fields. */
async function send(visitor: Visitor, path: string, fields: Record<string, string>, to = path) {
  const { csrf_token = "" } = hiddenFields((await visitor.get(path)).text);
  return visitor.post(to, { csrf_token, ...fields });
}

async function byPassword(person: Person): Promise<Visitor> {
  const visitor = aVisitor(world);
  const sent = await send(visitor, "/users/sign_in", { username: person, password: PASSWORD });
  assert.equal(sent.status, 303, sent.text);
  return visitor;
}

async function tokensOf(visitor: Visitor) {
  return (await exchange(world, application, await aCode(visitor, application, { scope: "openid" }))).json;
}

const claimsOf = async (visitor: Visitor) => decodeJwt((await tokensOf(visitor)).id_token);

/** The authentication time of the person's newest session, in whole seconds. */
async function provenAt(person: Person): Promise<number> {
  const { at } = await world.platform.db.one(
    row({ at: integer }),
    sql`select floor(extract(epoch from authenticated_at))::bigint as at from sessions
      where user_id = ${world.ids[person]} order by created_at desc limit 1`,
  );
  return at;
}

test("after a password sign-in amr is pwd and auth_time its second, and a refresh repeats both (OpenID Connect Core §2, §12.2; RFC 8176)", async () => {
  const visitor = await byPassword("dev");
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '100.7 seconds' where user_id = ${world.ids.dev}`,
  );
  const tokens = await tokensOf(visitor);
  const first = decodeJwt(tokens.id_token);
  assert.deepEqual([first.amr, first.auth_time], [["pwd"], await provenAt("dev")]);
  assert.equal("acr" in first, false);
  const second = decodeJwt((await refresh(world, application, tokens.refresh_token)).json.id_token);
  assert.deepEqual([second.amr, second.auth_time], [first.amr, first.auth_time]);
});

test("a TOTP or recovery code after the password gives amr otp, pwd and mfa (RFC 8176 §2)", async () => {
  const { secret, codes } = await turnOnTwoFactor(world, "rep");
  for (const code of [codeOf(secret), codes[0] ?? ""]) {
    const visitor = await byPassword("rep");
    assert.equal((await send(visitor, "/users/two_factor", { code })).status, 303);
    assert.deepEqual((await claimsOf(visitor)).amr, ["otp", "pwd", "mfa"]);
  }
});

test("a passkey is hwk in amr, as second factor and alone (RFC 8176 §2)", async () => {
  const { authenticator } = await addPasskey(await signedInBrowser(world, "max"), world.url);
  const second = await byPassword("max");
  const asked = await send(second, "/users/two_factor", {}, "/users/two_factor/passkey/options");
  const proof = authenticator.get(JSON.parse(asked.text));
  assert.equal((await send(second, "/users/two_factor", { passkey: proof })).status, 303);
  const { amr, acr } = await claimsOf(second);
  assert.deepEqual([amr, acr], [["hwk", "pwd", "mfa"], "phrh"]);

  const alone = aVisitor(world);
  const options = await send(alone, "/users/sign_in", {}, "/users/sign_in/passkey/options");
  const passkey = authenticator.get(JSON.parse(options.text));
  assert.equal((await send(alone, "/users/sign_in", { passkey }, "/users/sign_in/passkey")).status, 303);
  assert.deepEqual((await claimsOf(alone)).amr, ["hwk", "mfa"]);
  // A further password proof adds pwd and keeps the earlier methods.
  await send(alone, "/users/prove", { password: PASSWORD });
  const claims = await claimsOf(alone);
  assert.deepEqual([claims.amr, claims.auth_time], [["hwk", "pwd", "mfa"], await provenAt("max")]);
});

test("authentication methods are not carried over to another person, and amr is omitted when unknown (OpenID Connect Core §2)", async () => {
  const visitor = await byPassword("gus");
  await world.platform.db.run(
    sql`update sessions set authenticated_by = null where user_id = ${world.ids.gus}`,
  );
  assert.equal("amr" in (await claimsOf(visitor)), false);
  await world.platform.db.run(
    sql`update sessions set pending_user_id = ${world.ids.stan}, user_id = null, authenticated_by = '{swk}'
      where user_id = ${world.ids.gus}`,
  );
  const sent = await send(visitor, "/users/sign_in", { username: "gus", password: PASSWORD });
  assert.equal(sent.status, 303, sent.text);
  assert.deepEqual((await claimsOf(visitor)).amr, ["pwd"]);
});

test("discovery names amr, auth_time and acr, and both values follow from the methods used (RFC 8414 §2; RFC 8176 §2)", async () => {
  const { json } = await world.call("/.well-known/openid-configuration");
  for (const claim of ["amr", "auth_time"]) assert.ok(json.claims_supported.includes(claim));
  assert.ok(json.claims_supported.includes("acr"));
  assert.deepEqual(json.acr_values_supported, ["phr", "phrh"]);
  assert.deepEqual([["hwk"], ["swk", "pwd"], ["otp", "pwd"], null].map(classClaim), [
    "phrh",
    "phr",
    undefined,
    undefined,
  ]);
  assert.deepEqual(methodsClaim(["swk"]), ["swk", "mfa"]);
  assert.deepEqual(methodsClaim(["otp"]), ["otp"]);
  assert.equal(methodsClaim(null), null);
});

test("changing the password or adding a passkey keeps the session's authentication methods (OpenID Connect Core §2; RFC 8176)", async () => {
  const visitor = await byPassword("olga");
  await send(visitor, "/profile/password", {
    current_password: PASSWORD,
    password: "another horse battery staple",
  });
  assert.deepEqual((await claimsOf(visitor)).amr, ["pwd"]);
  await addPasskey(await signedInBrowser(world, "stan"), world.url);
  const kept = await world.platform.db.many(
    row({ authenticatedBy: list(text) }),
    sql`select authenticated_by from sessions where user_id = ${world.ids.stan}`,
  );
  assert.deepEqual(kept, [{ authenticatedBy: ["pwd"] }], "adding a passkey is no authentication with it");
});

test("acr_values is accepted and ignored (OpenID Connect Core §3.1.2.1)", async () => {
  const visitor = await byPassword("gus");
  const asked = { scope: "openid", acr_values: "phrh urn:example:gold" };
  const tokens = (await exchange(world, application, await aCode(visitor, application, asked))).json;
  assert.equal("acr" in decodeJwt(tokens.id_token), false);
});
