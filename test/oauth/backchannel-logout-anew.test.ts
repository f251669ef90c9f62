/**
 * Re-authentication does not end a session for applications, unless somebody else signs in or nobody does (decision 0154).
 */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { sweepAccounts } from "../../src/accounts/sweep.ts";
import { sql } from "../../src/platform/sql.ts";
import { authorizePath, aVisitor, hiddenFields, signedIn, type Visitor } from "../support/oauth.ts";
import { deliver, onlySids, type RelyingParty, twoParties } from "../support/relying-party.ts";
import { turnOnTwoFactor } from "../support/two-factor.ts";
import { PASSWORD, type Person, type World } from "../support/world.ts";

let world: World;
let desk: RelyingParty;
let wiki: RelyingParty;

before(async () => {
  ({ world, desk, wiki } = await twoParties());
});

beforeEach(async () => {
  await deliver(world);
  desk.receiver.reset();
  wiki.receiver.reset();
});

async function signInAgain(visitor: Visitor, person: Person) {
  const page = await visitor.get("/users/sign_in");
  const fields = { ...hiddenFields(page.text), username: person, password: PASSWORD };
  assert.equal((await visitor.post("/users/sign_in", fields)).status, 303);
}

test("re-authentication by the same person keeps the session; signing in as somebody else starts a new one (OpenID Connect Core §3.1.2.1; decision 0154)", async () => {
  const asked = authorizePath(wiki.application, { prompt: "login", scope: "openid" });
  const max = await signedIn(world, "max");
  const { sid } = await desk.signIn(max);
  assert.equal((await max.get(asked)).status, 303);
  assert.equal((await max.get("/profile/sessions")).status, 302, "nobody is signed in until then");
  await signInAgain(max, "max");
  assert.equal((await desk.signIn(max)).sid, sid);
  assert.deepEqual(await desk.told(), []);
  await max.get(asked);
  await signInAgain(max, "dev");
  assert.deepEqual(await onlySids(desk), [sid]);
  assert.notEqual((await desk.signIn(max)).sid, sid);
});

test("a person who never re-authenticates is logged out at applications when the pending session expires; idle expiry sends no logout token (decision 0154)", async () => {
  const [asked, idle] = [await signedIn(world, "max"), await signedIn(world, "max")];
  const { sid } = await desk.signIn(asked);
  const expired = await desk.signIn(idle);
  await asked.get(authorizePath(wiki.application, { max_age: "0", scope: "openid" }));
  await sweepAccounts(world.platform);
  assert.deepEqual(await desk.told(), []);
  await world.platform.db.run(
    sql`update sessions set expires_at = now() - interval '1 second' where sid in (${sid}::uuid, ${expired.sid}::uuid)`,
  );
  await sweepAccounts(world.platform);
  assert.deepEqual(await onlySids(desk), [sid]);
});

test("an id_token_hint of the same person ends a session that waits for re-authentication at once (decision 0154; RP-Initiated Logout §2)", async () => {
  const [max, dev] = [await signedIn(world, "max"), await signedIn(world, "dev")];
  const { sid, raw } = await desk.signIn(max);
  const other = await wiki.signIn(dev);
  await desk.told();
  await max.get(authorizePath(wiki.application, { prompt: "login", scope: "openid" }));
  const leave = (hint: string) => `/oauth/logout?${new URLSearchParams({ id_token_hint: hint })}`;
  await max.get(leave(other.raw));
  await max.get(leave(raw), { "sec-purpose": "prefetch" });
  assert.deepEqual(await desk.told(), [], "neither a hint for another person nor a prefetch ends it");
  assert.match((await max.get(leave(raw))).text, /You are signed out/);
  assert.deepEqual(await onlySids(desk), [sid]);
  await signInAgain(max, "max");
  assert.notEqual((await desk.signIn(max)).sid, sid);
});

test('with two-factor sign-in the session is kept once the code is right, and sessions still waiting end with "end all others" (decision 0154)', async () => {
  const { codes } = await turnOnTwoFactor(world, "gus");
  const enter = async (visitor: Visitor, code: string) => {
    const form = hiddenFields((await visitor.get("/users/two_factor")).text, "/users/two_factor");
    assert.equal((await visitor.post("/users/two_factor", { ...form, code })).status, 303);
  };
  const begin = async () => {
    const visitor = aVisitor(world);
    await signInAgain(visitor, "gus");
    await enter(visitor, codes.pop() ?? "");
    return { visitor, sid: (await desk.signIn(visitor)).sid };
  };
  const [back, lost, ended] = [await begin(), await begin(), await begin()];
  const asked = authorizePath(wiki.application, { prompt: "login", scope: "openid" });
  await desk.told();
  for (const { visitor } of [back, lost]) {
    await visitor.get(asked);
    await signInAgain(visitor, "gus");
  }
  await ended.visitor.get(asked);
  await enter(back.visitor, codes.pop() ?? "");
  assert.equal((await desk.signIn(back.visitor)).sid, back.sid);
  assert.deepEqual(await desk.told(), []);
  // One has given the password but no code, the other nothing; both end with the other sessions.
  const form = hiddenFields((await back.visitor.get("/profile/sessions")).text, "/users/sign_out");
  assert.equal((await back.visitor.post("/profile/sessions/end_others", form)).status, 303);
  assert.deepEqual((await onlySids(desk)).sort(), [lost.sid, ended.sid].sort());
});
