/** Attacks by and on the messages that a session ended: where they go, what else they could be used for, whom they name. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../../src/platform/sql.ts";
import { anApplication, hiddenFields, signedIn, type Visitor } from "../../support/oauth.ts";
import {
  aRelyingParty,
  deliver,
  LOCAL,
  type RelyingParty,
  readLogoutToken,
} from "../../support/relying-party.ts";
import { startWorld, type World } from "../../support/world.ts";

let world: World;
let desk: RelyingParty;

before(async () => {
  world = await startWorld({ ...LOCAL, GATEHOUSE_LOG_LEVEL: "silent" });
  desk = await aRelyingParty(world);
});

async function signOut(visitor: Visitor): Promise<void> {
  const fields = hiddenFields((await visitor.get("/profile/sessions")).text, "/users/sign_out");
  assert.equal((await visitor.post("/users/sign_out", fields)).status, 303);
}
const tokenIn = (party: RelyingParty, nth = 0) =>
  new URLSearchParams(party.receiver.requests[nth]?.body).get("logout_token") ?? assert.fail("nothing came");

test("an address in a private network is refused by the API, and where it was put there another way nothing is sent (reference oauth D83)", async () => {
  for (const uri of [
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.8/",
    "http://[fd00::1]/",
    "http://2130706434/",
    "http://localhost/",
    "https://app.example.org:6379/",
  ]) {
    const reply = await world.call("/api/v4/applications", {
      as: "ada",
      json: {
        name: "x",
        redirect_uri: "https://a.example/cb",
        scopes: "openid",
        backchannel_logout_uri: uri,
      },
    });
    assert.equal(reply.status, 400, uri);
    assert.deepEqual(Object.keys(reply.json.message), ["backchannel_logout_uri"], uri);
  }
  const dev = await signedIn(world, "dev");
  const party = await aRelyingParty(world);
  await party.signIn(dev);
  // Not allowed by its spelling: only the number of this machine is.
  const inside = party.receiver.url.replace("127.0.0.1", "localhost");
  await world.platform.db.run(
    sql`update applications set backchannel_logout_uri = ${inside} where id = ${party.application.id}`,
  );
  await signOut(dev);
  await deliver(world);
  assert.deepEqual(party.receiver.requests, []);
  const events = await world.call(`/api/v4/applications/${party.application.id}/events`, { as: "olga" });
  assert.match(events.json[0].reason, /after 1 try\. The address must not lead into a private network\.$/);
});

test("an answer that leads elsewhere is not followed, and brings nothing along (reference oauth D83)", async () => {
  const elsewhere = await aRelyingParty(world);
  const max = await signedIn(world, "max");
  await desk.signIn(max);
  desk.receiver.answers({ status: 307, headers: { location: elsewhere.receiver.url } });
  await signOut(max);
  await deliver(world);
  assert.equal(desk.receiver.requests.length, 1);
  assert.deepEqual(elsewhere.receiver.requests, []);
  const { cookie, authorization } = desk.receiver.requests[0]?.headers ?? {};
  assert.deepEqual([cookie, authorization], [undefined, undefined]);
  await world.platform.db.run(sql`delete from outbox_deliveries where channel = 'logout'`);
  desk.receiver.reset();
});

test("the token of one application is none for another, and no other token is one (OpenID Connect Back-Channel Logout §2.4, §2.6)", async () => {
  const wiki = await aRelyingParty(world);
  const dev = await signedIn(world, "dev");
  const { raw } = await desk.signIn(dev);
  await wiki.signIn(dev);
  await signOut(dev);
  await deliver(world);
  const token = tokenIn(desk);
  assert.ok(await readLogoutToken(world, desk.application, token));
  await assert.rejects(readLogoutToken(world, wiki.application, token), /"aud"/);
  assert.notEqual(token, tokenIn(wiki));
  await assert.rejects(readLogoutToken(world, desk.application, raw), /"typ"/);
  await assert.rejects(readLogoutToken(world, desk.application, `${token.slice(0, -6)}AAAAAA`));

  // It is signed with the keys of identity tokens, and names a person: it signs nobody in or out here.
  const other = await signedIn(world, "dev");
  const asked = await other.get(`/oauth/logout?${new URLSearchParams({ id_token_hint: token })}`);
  assert.match(asked.text, /Sign out\?/);
  assert.equal((await other.get("/profile/sessions")).status, 200);
  for (const path of ["/api/v4/user", "/oauth/userinfo", "/oauth/token/info"]) {
    assert.equal((await world.call(path, { token })).status, 401, path);
  }
  desk.receiver.reset();
});

test("a message that is repeated says so by its jti, and counts for two minutes (OpenID Connect Back-Channel Logout §2.4, §2.6)", async () => {
  const dev = await signedIn(world, "dev");
  await desk.signIn(dev);
  desk.receiver.answers(500);
  await signOut(dev);
  await deliver(world);
  await world.platform.db.run(
    sql`update outbox_deliveries set due_at = date_trunc('milliseconds', now()) where channel = 'logout'`,
  );
  await deliver(world);
  const claimsOf = (nth: number) =>
    JSON.parse(Buffer.from(tokenIn(desk, nth).split(".")[1] ?? "", "base64url").toString());
  const [first, second] = [claimsOf(0), claimsOf(1)];
  assert.equal(first.jti, second.jti);
  assert.equal(first.exp - first.iat, 120);
  assert.deepEqual(Object.keys(first).sort(), ["aud", "events", "exp", "iat", "iss", "jti", "sid", "sub"]);
});

test("nobody learns by the address of an application of a stranger who signed in where: it is told of its own people alone (reference oauth D83)", async () => {
  const spy = await aRelyingParty(world, { name: "Spy" });
  await anApplication(world, { backchannelLogoutUri: `${spy.receiver.url}/x`, scopes: ["openid"] });
  const rep = await signedIn(world, "rep");
  await desk.signIn(rep);
  await signOut(rep);
  await deliver(world);
  assert.deepEqual(spy.receiver.requests, []);
});
