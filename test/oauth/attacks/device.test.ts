/** Attacks on the device flow: guessed codes, hasty polls, remote phishing, and codes out of their place. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row } from "../../../src/platform/row.ts";
import { sql } from "../../../src/platform/sql.ts";
import {
  anApplication,
  authorizePath,
  aVisitor,
  exchange,
  hiddenFields,
  signedIn,
  type TestApplication,
  tokenCall,
} from "../../support/oauth.ts";
import { atOneMoment } from "../../support/one-moment.ts";
import { startWorld, type World } from "../../support/world.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world, {
    name: "Living Room TV",
    grantTypes: ["device_code"],
    confidential: false,
    scopes: ["read_user"],
  });
});

const begin = async () =>
  (await world.call("/oauth/authorize_device", { form: { client_id: application.uid, scope: "read_user" } }))
    .json;
const pollOf = (device_code: string) => ({ grant_type: GRANT, device_code, client_id: application.uid });
const poll = (device_code: string) => tokenCall(world, pollOf(device_code));

test("codes of 20 letters and eight places are guessed ten times at most, from any session of the person (reference oauth D58)", async () => {
  const { user_code } = await begin();
  assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  for (let n = 0; n < 10; n++) {
    const visitor = await signedIn(world, "stan");
    const form = hiddenFields((await visitor.get("/oauth/device")).text, "/oauth/device");
    assert.equal(
      (await visitor.post("/oauth/device", { ...form, user_code: `BBBB-BBB${"BCDFGHJKLM"[n]}` })).status,
      422,
    );
  }
  const fresh = await signedIn(world, "stan");
  const form = hiddenFields((await fresh.get("/oauth/device")).text, "/oauth/device");
  const stopped = await fresh.post("/oauth/device", { ...form, user_code });
  assert.equal(stopped.status, 429);
  assert.ok(Number(stopped.headers.get("retry-after")) > 0);
  const failedBefore = (ago: string) =>
    world.platform.db.run(sql`update device_code_failures set failed_at = now() - ${ago}::interval`);
  await failedBefore("9 minutes");
  assert.equal((await fresh.post("/oauth/device", { ...form, user_code })).status, 429);
  await failedBefore("10 minutes");
  assert.equal((await fresh.post("/oauth/device", { ...form, user_code })).status, 200);
});

test("each poll ahead of its time makes the interval longer by five seconds (reference oauth D60)", async () => {
  const { device_code, interval } = await begin();
  assert.equal(interval, 5);
  await atOneMoment(world, async (post) => {
    assert.equal(await post(pollOf(device_code)), "authorization_pending");
    for (let n = 0; n < 3; n++) assert.equal(await post(pollOf(device_code)), "slow_down");
  });
  const { seconds } = await world.platform.db.one(
    row({ seconds: integer }),
    sql`select max(interval_seconds) as seconds from device_authorizations`,
  );
  assert.equal(seconds, 20);
});

test("a link that came by mail fills the code in and sends nothing: application, place and time are shown first (reference oauth D61)", async () => {
  const begun = await begin();
  const rep = await signedIn(world, "rep");
  const { pathname, search } = new URL(begun.verification_uri_complete);
  const page = await rep.get(pathname + search);
  assert.doesNotMatch(page.text, /http-equiv="refresh"|<script[^>]*>[^<]/);
  assert.equal(page.headers.get("refresh"), null);
  assert.equal((await poll(begun.device_code)).json.error, "authorization_pending");
  const form = hiddenFields(page.text, "/oauth/device");
  const question = await rep.post("/oauth/device", { ...form, user_code: begun.user_code });
  for (const words of ["Living Room TV", "127.0.0.1", begun.user_code, "@olga"])
    assert.ok(question.text.includes(words), words);
  const stranger = aVisitor(world);
  const { csrf_token = "" } = hiddenFields((await stranger.get("/users/sign_in")).text);
  const forged = { user_code: begun.user_code, decision: "allow", csrf_token };
  const unsigned = await stranger.post("/oauth/device", forged);
  assert.deepEqual([unsigned.status, unsigned.headers.get("location")], [302, "/users/sign_in"]);
  assert.equal((await rep.post("/oauth/device", forged)).status, 403, "the form of another session");
  assert.equal(
    await world.platform.db.run(sql`select from device_authorizations where decision is not null`),
    0,
  );
});

test("device codes are nothing elsewhere, and codes of elsewhere nothing here (reference oauth D13)", async () => {
  const begun = await begin();
  const web = await anApplication(world);
  for (const value of [begun.device_code, begun.user_code]) {
    assert.equal((await exchange(world, web, value)).json.error, "invalid_grant");
    assert.equal((await world.call("/api/v4/user", { token: value })).status, 401);
    const page = await aVisitor(world).get(authorizePath(web, { client_id: value }));
    assert.equal(page.status, 400);
  }
  for (const value of [begun.user_code, web.secret, web.uid, "god_x", "x".repeat(50_000)]) {
    assert.equal((await poll(value)).json.error, "invalid_grant");
  }
});
