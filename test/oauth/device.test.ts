/** The device flow (RFC 8628): user codes, polling, the verification page, guessing, and concurrency. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Client } from "pg";
import { answerDevice } from "../../src/oauth/answer-device.ts";
import { newUserCode, readUserCode, shownUserCode } from "../../src/oauth/device.ts";
import { sweepOauth } from "../../src/oauth/sweep.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { digest, newSecret } from "../../src/platform/secret.ts";
import { sql } from "../../src/platform/sql.ts";
import { whileHeld } from "../support/meanwhile.ts";
import {
  anApplication,
  authorizePath,
  aVisitor,
  everyHiddenField,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { atOneMoment } from "../support/one-moment.ts";
import { until } from "../support/until.ts";
import { PASSWORD, type Reply, startWorld, type World } from "../support/world.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

let world: World;
let application: TestApplication;
let dev: Visitor;

before(async () => {
  world = await startWorld();
  application = await aDeviceApplication();
  dev = await signedIn(world, "dev");
});

const aDeviceApplication = (fields = {}) =>
  anApplication(world, {
    name: "Living Room TV",
    redirectUris: [],
    scopes: ["read_user", "openid", "profile"],
    grantTypes: ["device_code", "refresh_token"],
    confidential: false,
    ...fields,
  });
const ask = (scope = "read_user", by = application) =>
  world.call("/oauth/authorize_device", { form: { client_id: by.uid, scope } });
const begin = async (scope = "read_user", by = application) => (await ask(scope, by)).json;
const pollOf = (device: string, by = application) => ({
  grant_type: GRANT,
  device_code: device,
  client_id: by.uid,
});
const poll = (device: string, by = application) => tokenCall(world, pollOf(device, by));
/** Makes the last poll of every device so many seconds old. */
const polledBefore = (tx: Queries, seconds: number) =>
  tx.run(sql`update device_authorizations set polled_at = now() - make_interval(secs => ${seconds})`);
/** Lets the polling interval of every pending device pass. */
const wait = () =>
  world.platform.db.run(
    sql`update device_authorizations set polled_at = polled_at - make_interval(secs => interval_seconds + 1)`,
  );

/** How many statements wait for a lock. */
const waitingIn = async (watcher: Client): Promise<number | null> =>
  (
    await watcher.query(`select from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`)
  ).rowCount;

/** Enters the user code and answers the question. */
async function answer(visitor: Visitor, typed: string, decision: string) {
  const form = await visitor.get("/oauth/device");
  const question = await visitor.post("/oauth/device", {
    ...hiddenFields(form.text, "/oauth/device"),
    user_code: typed,
  });
  if (question.status !== 200) return question;
  return visitor.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision });
}

test("user codes have eight letters without vowels, and are read in any case and with any separators (RFC 8628 §6.1)", () => {
  const code = newUserCode();
  assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
  assert.match(shownUserCode(code), /^[A-Z]{4}-[A-Z]{4}$/);
  assert.equal(readUserCode(shownUserCode(code).toLowerCase()), code);
  assert.equal(readUserCode(` ${code.slice(0, 3)} ${code.slice(3)} `), code);
  for (const wrong of ["", "BCDF", "AEIOUAEI", `${code}B`, "x".repeat(10_000), "\0"]) {
    assert.equal(readUserCode(wrong), undefined, wrong.slice(0, 20));
  }
});

test("a device gets its codes, polls while pending, and gets its tokens once a person has allowed it (RFC 8628 §3.1 to §3.5)", async () => {
  const { json: begun, headers } = await ask("openid read_user");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.match(begun.device_code, /^god_/);
  assert.equal(begun.verification_uri, `${world.url}/oauth/device`);
  assert.equal(begun.verification_uri_complete, `${world.url}/oauth/device?user_code=${begun.user_code}`);
  assert.deepEqual([begun.expires_in, begun.interval], [600, 5]);
  const pending = await poll(begun.device_code);
  assert.equal(pending.status, 400);
  assert.equal(pending.json.error, "authorization_pending");
  assert.equal(pending.headers.get("www-authenticate"), null);
  const done = await answer(dev, begun.user_code, "allow");
  assert.equal(done.status, 303);
  assert.match((await dev.get("/oauth/device")).text, /Living Room TV may use your account/);
  const { status, json } = await poll(begun.device_code);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.scope, "openid read_user");
  assert.equal(typeof json.id_token, "string");
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).json.username, "dev");
  const renewed = await tokenCall(world, {
    grant_type: "refresh_token",
    refresh_token: json.refresh_token,
    client_id: application.uid,
  });
  assert.equal(renewed.status, 200);
});

test("a device's refresh token expires after 30 days without use (contract §4, token type and lifetimes)", async () => {
  const begun = await begin();
  await answer(dev, begun.user_code, "allow");
  const { json } = await poll(begun.device_code);
  const { days } = await world.platform.db.one(
    row({ days: integer }),
    sql`select extract(epoch from expires_at - created_at)::bigint / 86400 as days from refresh_tokens
      where digest = ${digest(json.refresh_token)}`,
  );
  assert.equal(days, 30);
});

test("after the answer the page shows the result once and asks for no code, and the code cannot be used again (RFC 8628 §3.3)", async () => {
  for (const [decision, words] of [
    ["allow", /Living Room TV may use your account/],
    ["deny", /Living Room TV may not use your account/],
  ] as const) {
    const { user_code } = await begin();
    const done = await answer(dev, user_code, decision);
    const end = await dev.get(done.headers.get("location") ?? "");
    assert.match(end.text, words);
    assert.match(end.text, /You can close this page/);
    assert.doesNotMatch(end.text, /name="user_code"/);
    const again = await dev.get(done.headers.get("location") ?? "");
    assert.deepEqual([again.status, again.headers.get("location")], [302, "/oauth/device"]);
    const form = hiddenFields((await dev.get("/oauth/device")).text, "/oauth/device");
    const typed = await dev.post("/oauth/device", { ...form, user_code });
    assert.equal(typed.status, 422);
    assert.doesNotMatch(typed.text, /Living Room TV/);
  }
});

test("switching the account on the device page leads to the sign-in and back with the user code (contract §4, sign in)", async () => {
  const visitor = await signedIn(world, "max");
  const begun = await begin();
  const left = await answer(visitor, begun.user_code, "switch");
  const path = `/oauth/device?user_code=${begun.user_code}`;
  assert.deepEqual([left.status, left.headers.get("location")], [303, path]);
  const { action, application } = await world.platform.db.one(
    row({ action: text, application: text }),
    sql`select action, details ->> 'application' as application from audit_entries order by id desc limit 1`,
  );
  assert.deepEqual([action, application], ["sign_out", "Living Room TV"]);
  assert.equal((await visitor.get(path)).headers.get("location"), "/users/sign_in");
  const fields = hiddenFields((await visitor.get("/users/sign_in")).text);
  const entered = await visitor.post("/users/sign_in", { ...fields, username: "dev", password: PASSWORD });
  assert.equal(entered.headers.get("location"), path);
  assert.match((await visitor.get(path)).text, new RegExp(`value="${begun.user_code}"`));
});

test("a program that sends every hidden field of the device page is asked again, and stays signed in (reference oauth A1)", async () => {
  const visitor = await signedIn(world, "max");
  const { user_code } = await begin();
  const form = hiddenFields((await visitor.get("/oauth/device")).text, "/oauth/device");
  const question = await visitor.post("/oauth/device", { ...form, user_code });
  assert.match(question.text, /<button[^>]* name="decision" value="switch" form="not-you">Not you\?/);
  const again = await visitor.post("/oauth/device", everyHiddenField(question.text));
  assert.equal(again.status, 200);
  assert.match(again.text, /wants to use your account on a device/);
  assert.equal((await answer(visitor, user_code, "allow")).status, 303);
});

test("polling faster than the interval gets slow_down and adds five seconds to the interval (RFC 8628 §3.5; D60)", async () => {
  const { device_code: device } = await begin();
  await atOneMoment(world, async (post, tx) => {
    const again = () => post(pollOf(device));
    assert.equal(await again(), "authorization_pending");
    assert.equal(await again(), "slow_down");
    await polledBefore(tx, 6);
    assert.equal(await again(), "slow_down");
    await polledBefore(tx, 16);
    assert.equal(await again(), "authorization_pending");
  });
});

test("a poll less than a second early does not get slow_down, because transit times vary (RFC 8628 §3.5; decision 0018)", async () => {
  const { device_code: device } = await begin();
  await atOneMoment(world, async (post, tx) => {
    await post(pollOf(device));
    await polledBefore(tx, 4.5);
    assert.equal(await post(pollOf(device)), "authorization_pending");
    await polledBefore(tx, 3.5);
    assert.equal(await post(pollOf(device)), "slow_down");
  });
});

test("a poll retried with credentials in the body after the header counts as one (RFC 8628 §3.5; decision 0018)", async () => {
  const { device_code: device } = await begin();
  const authorization = `Basic ${Buffer.from(`${application.uid}:`).toString("base64")}`;
  await atOneMoment(world, async (post, tx) => {
    const inHeader = () => post({ grant_type: GRANT, device_code: device }, { authorization });
    const both = async () => [await inHeader(), await post(pollOf(device))];
    for (let n = 0; n < 3; n++) {
      assert.deepEqual(await both(), ["authorization_pending", "authorization_pending"]);
      await polledBefore(tx, 5.1);
    }
    // Go's library keeps the interval from the first of both requests, however long the response took.
    const pass = (seconds: number) =>
      tx.run(sql`update device_authorizations set polled_at = polled_at - make_interval(secs => ${seconds})`);
    await inHeader();
    await pass(2);
    assert.equal(await post(pollOf(device)), "authorization_pending");
    await pass(3);
    assert.deepEqual(await both(), ["authorization_pending", "authorization_pending"]);
    // Repeating the pair too early gets slow_down as usual.
    assert.equal(await inHeader(), "slow_down");
    assert.equal(await post(pollOf(device)), "slow_down");
  });
});

test("denied, expired, unknown and foreign device codes each get their own error code (RFC 8628 §3.5)", async () => {
  const denied = await begin();
  await answer(dev, denied.user_code, "deny");
  assert.equal((await poll(denied.device_code)).json.error, "access_denied");

  const late = await begin();
  await world.platform.db.run(sql`update device_authorizations set expires_at = now() - interval '1 second'`);
  assert.equal((await poll(late.device_code)).json.error, "expired_token");
  assert.equal((await poll(denied.device_code)).json.error, "access_denied", "a denial stays a denial");
  assert.equal((await answer(dev, late.user_code, "allow")).status, 422);

  const other = await aDeviceApplication();
  const mine = await begin();
  for (const [device, by] of [
    [mine.device_code, other],
    ["god_x", application],
    ["", application],
    ["\0", application],
  ] as const) {
    const { json } = await poll(device, by);
    assert.equal(json.error, device === "" ? "invalid_request" : "invalid_grant", device);
  }
  assert.equal((await poll(mine.device_code)).json.error, "authorization_pending");
});

test("a device that polls after its code expired gets no tokens, although it was allowed (RFC 8628 §3.5)", async () => {
  const begun = await begin();
  assert.equal((await answer(dev, begun.user_code, "allow")).status, 303);
  const over = (end: string) =>
    world.platform.db.run(
      sql`update device_authorizations set expires_at = now() + ${end}::interval where digest = ${digest(begun.device_code)}`,
    );
  await over("0 seconds");
  const late = await poll(begun.device_code);
  assert.deepEqual([late.status, late.json.error], [400, "expired_token"], late.text);
  await over("1 minute");
  await wait();
  assert.equal((await poll(begun.device_code)).status, 200, "only the expiry was in the way");
});

test("consent given to a device is remembered like any other consent (contract §4, consent)", async () => {
  const both = await anApplication(world, { grantTypes: ["device_code", "authorization_code"] });
  const path = authorizePath(both, { scope: "read_user" });
  assert.equal((await dev.get(path)).status, 200);
  const form = { scope: "read_user" };
  const headers = { authorization: both.basic };
  const { json } = await world.call("/oauth/authorize_device", { form, headers });
  await answer(dev, json.user_code, "allow");
  assert.equal((await dev.get(path)).status, 303);
  assert.equal((await dev.get(authorizePath(both, { scope: "api" }))).status, 200);
});

test("a device gets no refresh token when its application does not use refresh tokens (contract §3, grant_types)", async () => {
  const passing = await aDeviceApplication({ grantTypes: ["device_code"] });
  const begun = await begin("read_user", passing);
  await answer(dev, begun.user_code, "allow");
  const { status, json } = await poll(begun.device_code, passing);
  assert.equal(status, 200, JSON.stringify(json));
  assert.deepEqual([json.refresh_token, json.refresh_token_expires_in], [undefined, undefined]);
});

test("a device gets no token for a scope that its application has lost, although a person allowed it (RFC 6749 §5.2; D63)", async () => {
  const losing = await aDeviceApplication();
  const begun = await begin("read_user", losing);
  assert.equal((await answer(dev, begun.user_code, "allow")).status, 303);
  const json = { scopes: "openid" };
  await world.call(`/api/v4/applications/${losing.id}`, { as: "ada", method: "PUT", json });
  assert.equal((await poll(begun.device_code, losing)).json.error, "invalid_scope");
});

test("of 16 concurrent polls one gets the tokens, and the device code is invalid afterwards (RFC 8628 §3.5; D10)", async () => {
  const begun = await begin();
  await answer(dev, begun.user_code, "allow");
  const replies = await Promise.all(Array.from({ length: 16 }, () => poll(begun.device_code)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  const refused = replies.filter(({ status }) => status !== 200).map(({ json }) => json.error);
  assert.deepEqual([...new Set(refused)], ["invalid_grant"]);
  const { json } = replies.find(({ status }) => status === 200) ?? assert.fail();
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).status, 200);
});

test("when two people answer for one device, the first answer counts and the other is refused, also at the same time (RFC 8628 §3.3)", async () => {
  const max = await signedIn(world, "max");
  const asked = async (visitor: Visitor, user_code: string) => {
    const form = await visitor.get("/oauth/device");
    const typed = { ...hiddenFields(form.text, "/oauth/device"), user_code };
    const question = await visitor.post("/oauth/device", typed);
    return { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" };
  };
  type Post = () => Promise<Reply>;
  const both = async (send: (posts: readonly [Post, Post]) => Promise<Reply[]>) => {
    const begun = await begin();
    const fields = [await asked(dev, begun.user_code), await asked(max, begun.user_code)] as const;
    const replies = await send([
      () => dev.post("/oauth/device", fields[0]),
      () => max.post("/oauth/device", fields[1]),
    ]);
    const { json } = await poll(begun.device_code);
    const { username } = (await world.call("/api/v4/user", { token: json.access_token })).json;
    assert.equal(username, "dev");
    return replies.map(({ status, headers }) => [status, headers.get("location")]);
  };
  const answered = [303, "/oauth/device/answered"];
  const inTurn = await both(async ([first, second]) => [await first(), await second()]);
  assert.deepEqual(inTurn, [answered, [422, null]]);
  // Both have found the device waiting, and wait for its row.
  const held = ["select from device_authorizations for update"] as const;
  const together = await both(async (posts) => {
    const replies = await whileHeld(world, [held], async (_isWaitedFor, watcher) => {
      const sent: Promise<Reply>[] = [];
      for (const post of posts) {
        sent.push(post());
        await until(async () => (await waitingIn(watcher)) === sent.length);
      }
      return { sent };
    });
    return Promise.all(replies.sent);
  });
  assert.deepEqual(together, [answered, [303, "/oauth/device"]]);
  assert.match((await max.get("/oauth/device")).text, /This device was answered before/);
});

test("the question shows application, person, scopes, address and code, and opening a link alone allows nothing (RFC 8628 §5.4; D61)", async () => {
  const begun = await begin("read_user");
  // Takes the message that an earlier answer left for the next page.
  await dev.get("/oauth/device");
  const linked = await dev.get(`/oauth/device?user_code=${begun.user_code}`);
  assert.match(linked.text, new RegExp(`value="${begun.user_code}"`));
  assert.doesNotMatch(linked.text, /Living Room TV/);
  const question = await dev.post("/oauth/device", {
    ...hiddenFields(linked.text, "/oauth/device"),
    user_code: begun.user_code,
  });
  for (const words of ["Living Room TV", "@olga", "@dev", "127.0.0.1", "read_user", begun.user_code]) {
    assert.ok(question.text.includes(words), words);
  }
  assert.match(question.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
  assert.equal((await poll(begun.device_code)).json.error, "authorization_pending");
  assert.equal((await aVisitor(world).get("/oauth/device")).status, 302);
  const forged = await dev.post("/oauth/device", { user_code: begun.user_code, decision: "allow" });
  assert.equal(forged.status, 403);
});

test("an administrator is warned on the device page of what a scope lets an application see of others, as on the consent page (RFC 8628 §5.4; reference ux §6)", async () => {
  const question = async (visitor: Visitor) => {
    const { user_code } = await begin("read_user");
    const form = await visitor.get("/oauth/device");
    return visitor.post("/oauth/device", { ...hiddenFields(form.text, "/oauth/device"), user_code });
  };
  const warning =
    /You administer this Gatehouse\. The application would be able to see everybody’s email address/;
  assert.match((await question(await signedIn(world, "ada"))).text, warning);
  const plain = await question(dev);
  assert.match(plain.text, /Living Room TV/);
  assert.doesNotMatch(plain.text, /You administer/);
});

test("after ten wrong user codes a person is rate-limited, also for correct codes (RFC 8628 §5.1; D58)", async () => {
  const gus = await signedIn(world, "gus");
  const begun = await begin();
  for (let n = 0; n < 10; n++) assert.equal((await answer(gus, "BBBB-BBBB", "allow")).status, 422);
  const stopped = await answer(gus, begun.user_code, "allow");
  assert.equal(stopped.status, 429);
  assert.equal(stopped.headers.get("retry-after"), "600");
  await wait();
  assert.equal((await poll(begun.device_code)).json.error, "authorization_pending");
});

test("of 30 wrong user codes at once at most ten are checked, and rejected ones do not count as tries (RFC 8628 §5.1; D58)", async () => {
  const rep = await signedIn(world, "rep");
  const form = hiddenFields((await rep.get("/oauth/device")).text, "/oauth/device");
  const fields = { ...form, user_code: "BBBB-BBBB" };
  const replies = await Promise.all(Array.from({ length: 30 }, () => rep.post("/oauth/device", fields)));
  const judged = replies.filter(({ status }) => status === 422).length;
  assert.ok(judged <= 10, `${judged} were checked`);
  assert.ok(replies.every(({ status }) => status === 422 || status === 429));
  for (let n = judged; n < 10; n++) assert.equal((await rep.post("/oauth/device", fields)).status, 422);
  assert.equal((await rep.post("/oauth/device", fields)).status, 429);
});

test("correct user codes do not count towards the limit (RFC 8628 §5.1)", async () => {
  const max = await signedIn(world, "max");
  for (let n = 0; n < 11; n++)
    assert.equal((await answer(max, (await begin()).user_code, "deny")).status, 303);
});

test("an allowed device gets no tokens if the person is blocked or revokes access before it polls (D16, D59)", async () => {
  const first = await begin();
  const stan = await signedIn(world, "stan");
  await answer(stan, first.user_code, "allow");
  await world.call(`/api/v4/users/${world.ids.stan}/block`, { as: "ada", method: "POST" });
  assert.equal((await poll(first.device_code)).json.error, "invalid_grant");
  await world.call(`/api/v4/users/${world.ids.stan}/unblock`, { as: "ada", method: "POST" });
  await wait();
  assert.equal(
    (await poll(first.device_code)).json.error,
    "invalid_grant",
    "nor after the person is unblocked",
  );

  const second = await begin();
  await answer(dev, second.user_code, "allow");
  const other = await aDeviceApplication();
  const [ofAnother, ofSomebody] = [await begin("read_user", other), await begin()];
  await answer(dev, ofAnother.user_code, "allow");
  await answer(await signedIn(world, "max"), ofSomebody.user_code, "allow");
  const page = await dev.get("/profile/applications");
  const revoke = `/profile/applications/${application.id}/revoke`;
  assert.equal((await dev.post(revoke, hiddenFields(page.text, revoke))).status, 303);
  assert.equal((await poll(second.device_code)).json.error, "access_denied");
  assert.equal((await poll(ofAnother.device_code, other)).status, 200);
  assert.equal((await poll(ofSomebody.device_code)).status, 200);
});

test("a person can allow a device fewer scopes than requested, never more, and not none (decision 0194; RFC 6749 §3.3)", async () => {
  const begun = await begin("openid read_user profile");
  const form = await dev.get("/oauth/device");
  const typed = { ...hiddenFields(form.text, "/oauth/device"), user_code: begun.user_code };
  const question = await dev.post("/oauth/device", typed);
  assert.match(question.text, /id="allow_profile" name="allow_profile"/);
  assert.doesNotMatch(question.text, /allow_openid/);
  const yes = { ...hiddenFields(question.text, "/oauth/device"), decision: "allow", chosen: "1" };
  const done = await dev.post("/oauth/device", { ...yes, allow_profile: "1", allow_api: "1" });
  assert.equal(done.status, 303, done.text);
  assert.equal((await poll(begun.device_code)).json.scope, "openid profile");

  const second = await begin("read_user profile");
  const again = await dev.post("/oauth/device", { ...typed, user_code: second.user_code });
  const answered = { ...hiddenFields(again.text, "/oauth/device"), decision: "allow", chosen: "1" };
  const nothing = await dev.post("/oauth/device", answered);
  assert.equal(nothing.status, 422);
  assert.match(nothing.text, /role="alert"[\s\S]*Nothing is selected/);
  assert.equal((await poll(second.device_code)).json.error, "authorization_pending");
});

test("a second answer, or one after the code expired, changes nothing (RFC 8628 §3.3, §3.5)", async () => {
  const begun = await begin();
  const by = async (person: "max" | "dev", decision: "allowed" | "denied", { user_code } = begun) => {
    const hash = world.platform.keys.sign("user code", readUserCode(user_code) ?? "");
    const session = digest(newSecret("session"));
    const userId = world.ids[person];
    await world.platform.db.run(
      sql`insert into sessions (digest, user_id, expires_at) values (${session}, ${userId}, now() + interval '1 hour')`,
    );
    const scopes = ["read_user"];
    const application = { applicationName: "TV", applicationUid: "tv", selfRegistered: false };
    const device = { ...application, userCodeHash: hash, scopes };
    return answerDevice(world.platform.db, device, { decision, scopes, userId, session, ip: "" });
  };
  assert.equal(await by("max", "denied"), "done");
  assert.equal(await by("dev", "allowed"), "late");
  assert.equal((await poll(begun.device_code)).json.error, "access_denied");
  const ended = await begin();
  await world.platform.db.run(
    sql`update device_authorizations set expires_at = now() - interval '1 second' where decision is null`,
  );
  assert.equal(await by("dev", "allowed", ended), "late");
  assert.equal((await poll(ended.device_code)).json.error, "expired_token");
});

test("a confidential device application must authenticate; scopes and grant types that are not registered are refused (RFC 8628 §3.1; D31, D37)", async () => {
  const confidential = await aDeviceApplication({ confidential: true });
  const bare = await world.call("/oauth/authorize_device", { form: { client_id: confidential.uid } });
  assert.equal(bare.status, 401);
  const proven = await world.call("/oauth/authorize_device", {
    form: {},
    headers: { authorization: confidential.basic },
  });
  assert.equal(proven.status, 200);
  const plain = await anApplication(world, { confidential: false });
  const none = await world.call("/oauth/authorize_device", { form: { client_id: plain.uid } });
  assert.equal(none.json.error, "unauthorized_client");
  const wide = await world.call("/oauth/authorize_device", {
    form: { client_id: application.uid, scope: "api" },
  });
  assert.equal(wide.json.error, "invalid_scope");
});

test("expired device codes are deleted after a day, and polls until then get expired_token (RFC 8628 §3.5; reference oauth C8)", async () => {
  const begun = await begin();
  const { db } = world.platform;
  await db.run(sql`update device_authorizations set expires_at = now() - interval '23 hours'`);
  await sweepOauth(world.platform);
  assert.equal((await poll(begun.device_code)).json.error, "expired_token");
  await db.run(sql`update device_authorizations set expires_at = now() - interval '25 hours'`);
  await sweepOauth(world.platform);
  assert.equal((await poll(begun.device_code)).json.error, "invalid_grant");
});

test("client_credentials is refused for an application that has become public, although its row still lists the grant (CVE-2026-44476; D32)", async () => {
  const robot = await anApplication(world, { redirectUris: [], grantTypes: ["client_credentials"] });
  const ask = () =>
    tokenCall(world, { grant_type: "client_credentials", client_id: robot.uid, client_secret: robot.secret });
  assert.equal((await ask()).status, 200);
  await world.platform.db.run(sql`update applications set confidential = false where id = ${robot.id}`);
  assert.equal((await ask()).json.error, "unauthorized_client");
  const bare = await tokenCall(world, { grant_type: "client_credentials", client_id: robot.uid });
  assert.equal(bare.json.error, "unauthorized_client");
});

test("client_credentials gives a token for the application's owner, without refresh token or ID token (RFC 6749 §4.4; decision 0018)", async () => {
  const robot = await anApplication(world, {
    grantTypes: ["client_credentials"],
    scopes: ["read_user", "openid"],
  });
  const ask = (by: TestApplication, more = {}) =>
    tokenCall(world, { grant_type: "client_credentials", ...more }, { authorization: by.basic });
  const { status, json } = await ask(robot);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.scope, "read_user openid");
  assert.equal("refresh_token" in json || "id_token" in json, false);
  assert.equal((await world.call("/api/v4/user", { token: json.access_token })).json.username, "olga");
  assert.equal((await ask(robot, { scope: "read_user" })).json.scope, "read_user");
  assert.equal((await ask(robot, { scope: "api" })).json.error, "invalid_scope");
  assert.equal((await refresh(world, robot, json.access_token)).status, 400);
});

test("an application without a personal owner has one account of its own, which can be made a member and blocked like a person (contract §3, grant_types; decision 0125)", async () => {
  const robot = await anApplication(world, { grantTypes: ["client_credentials"], owner: null });
  const ask = () => tokenCall(world, { grant_type: "client_credentials" }, { authorization: robot.basic });
  const all = await Promise.all([ask(), ask(), ask(), ask()]);
  const people = await Promise.all(
    all.map(async ({ json }) => (await world.call("/api/v4/user", { token: json.access_token })).json),
  );
  assert.match(people[0].username, /^relay-console-[0-9a-f]{8}$/);
  assert.equal(new Set(people.map(({ id }) => id)).size, 1, "concurrent first requests create one account");
  assert.notEqual(people[0].is_admin, true);
  const { id, username } = people[0];
  const token = all[0]?.json.access_token as string;
  const info = await world.call("/oauth/token/info", { token });
  assert.deepEqual([info.json.resource_owner_id, info.json.application.uid], [id, robot.uid]);

  const rocket = () => world.call("/api/v4/projects/acme%2Frocket", { token });
  assert.equal((await rocket()).status, 404);
  const invited = await world.call("/api/v4/projects/acme%2Frocket/members", {
    as: "olga",
    json: { user_id: id, access_level: 20 },
  });
  assert.equal(invited.status, 201, invited.text);
  assert.equal((await rocket()).status, 200);
  assert.match((await dev.get(`/${username}`)).text, /<span[^>]*>Application<\/span>/);
  // The account has no password; turning on two-factor sign-in must be refused all the same.
  const locked = await world.call("/api/v4/user/two_factor", { token, json: { password: "x" } });
  assert.equal(locked.status, 403);

  await world.call(`/api/v4/users/${id}/block`, { as: "ada", method: "POST" });
  assert.equal((await rocket()).status, 403);
  assert.equal((await ask()).json.error, "unauthorized_client");
});

test("client_credentials is refused for public applications, without the registered grant, and without authentication (CVE-2026-44476; D31, D32)", async () => {
  const grantTypes = ["client_credentials"] as const;
  const unticked = await anApplication(world);
  const by = { authorization: unticked.basic };
  const reply = await tokenCall(world, { grant_type: "client_credentials" }, by);
  assert.equal(reply.status, 400);
  assert.equal(reply.json.error, "unauthorized_client");
  const robot = await anApplication(world, { grantTypes });
  const bare = await tokenCall(world, { grant_type: "client_credentials", client_id: robot.uid });
  assert.equal(bare.status, 401);
  // A row from before this rule.
  await world.platform.db.run(sql`update applications set confidential = false where id = ${robot.id}`);
  const open = await tokenCall(world, { grant_type: "client_credentials", client_id: robot.uid });
  assert.equal(open.json.error, "unauthorized_client");
  await assert.rejects(anApplication(world, { grantTypes, confidential: false }));
});

test("a user code that is taken is replaced by another, and when none is free the response is 503 with Retry-After (reference reliability A12)", async () => {
  await world.owner.run(sql`create sequence device_tries`);
  await world.owner.run(sql`create function taken() returns trigger language plpgsql security definer as
    'begin if nextval(''device_tries'') % 6 = 5 then return new; end if; return null; end'`);
  await world.owner.run(
    sql`create trigger taken before insert on device_authorizations for each row execute function taken()`,
  );
  const replies = [await ask(), await ask()];
  await world.owner.run(sql`drop function taken cascade`);
  await world.owner.run(sql`drop sequence device_tries`);
  const [fifth, none] = replies.map(({ status, json, headers }) => [
    status,
    json.error,
    headers.get("retry-after"),
  ]);
  assert.deepEqual(fifth, [200, undefined, null]);
  assert.deepEqual(none, [503, "temporarily_unavailable", "2"]);
});
