/** Passkeys over HTTP alone, with a simulated authenticator that can send false values. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import { before, describe, it, test } from "node:test";
import { row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { Authenticator, addPasskey, type Lies, optionsOf } from "../support/authenticator.ts";
import { anApplication, tokenCall } from "../support/oauth.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { signedIn, Visitor } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const HOME = "/profile/two_factor";
const SIGN_IN = "/users/sign_in/passkey";

/** Signs a user in and adds a passkey, without any from before. */
async function withPasskey(person: Person) {
  await world.platform.db.run(sql`delete from passkeys where user_id = ${world.ids[person]}`);
  await world.platform.db.run(
    sql`update users set totp_sealed = null, totp_confirmed_at = null where id = ${world.ids[person]}`,
  );
  const visitor = await signedIn(world, person);
  return { visitor, ...(await addPasskey(visitor, world.url)) };
}

/** A visitor on the sign-in page who has requested the options of the challenge. */
async function asked() {
  const visitor = new Visitor(world.url);
  await visitor.get("/users/sign_in");
  return { visitor, options: await optionsOf(visitor, `${SIGN_IN}/options`) };
}

async function atSecondStep(person: Person) {
  const visitor = new Visitor(world.url);
  const first = await visitor.submit("/users/sign_in", { username: person, password: PASSWORD });
  assert.equal(first.location, "/users/two_factor");
  return { visitor, page: await visitor.get("/users/two_factor") };
}

/** The reason of the last refusal of a passkey in the audit log. */
async function lastRefusal() {
  const { reason } = await world.platform.db.one(
    row({ reason: text }),
    sql`select details->>'reason' as reason from audit_entries where action = 'passkey_refused' order by id desc limit 1`,
  );
  return reason;
}

describe("an invalid passkey response", () => {
  it("is refused wherever passkeys are accepted, also if it names a known credential (reference reliability A18)", async () => {
    const { visitor, authenticator } = await withPasskey("stan");
    const id = authenticator.id.toString("base64url");
    const lies = [
      "null",
      "[]",
      "{}",
      `{"id":"${id}"}`,
      `{"id":"${id}","response":null}`,
      `{"id":"${id}","response":[]}`,
    ];
    for (const passkey of lies) {
      const { visitor: stranger } = await asked();
      assert.equal((await stranger.post(SIGN_IN, { passkey })).status, 422, passkey);
      const half = await atSecondStep("stan");
      await optionsOf(half.visitor, "/users/two_factor/passkey/options");
      assert.equal((await half.visitor.post("/users/two_factor", { passkey })).status, 422, passkey);
      await visitor.get("/users/prove");
      await optionsOf(visitor, "/users/prove/passkey/options");
      assert.equal((await visitor.post("/users/prove", { passkey })).status, 422, passkey);
      await visitor.get(HOME);
      await optionsOf(visitor, `${HOME}/passkeys/options`);
      assert.equal((await visitor.post(`${HOME}/passkeys`, { name: "Key", passkey })).status, 422, passkey);
    }
  });
});

describe("a passkey as second factor", () => {
  it("turns two-factor sign-in on with recovery codes, ends other sessions, and is asked for after the password (reference oauth C12)", async () => {
    const other = await signedIn(world, "dev");
    const { authenticator, codes, page } = await withPasskey("dev");
    assert.match(page.text, /Two-factor sign-in is on/);
    assert.match(page.text, /Blue key/);
    assert.equal(codes.length, 10);
    assert.equal((await other.get("/")).location, "/users/sign_in");
    assert.equal((await world.call("/api/v4/user", { as: "dev" })).json.two_factor_enabled, true);
    const { visitor, page: step } = await atSecondStep("dev");
    assert.match(step.text, /Use your passkey/);
    assert.match(step.text, /Recovery code/);
    const options = await optionsOf(visitor, "/users/two_factor/passkey/options");
    assert.deepEqual(
      options.allowCredentials.map((key: { id: string }) => key.id),
      [authenticator.id.toString("base64url")],
    );
    const passkey = authenticator.get(options, { verified: false, userHandle: null });
    assert.equal((await visitor.post("/users/two_factor", { passkey })).status, 303);
    assert.equal((await visitor.get("/")).status, 200);
  });

  it("works next to an authenticator app, whose codes are accepted too, and the first recovery codes stay valid (reference oauth C12)", async () => {
    const { secret, codes } = await turnOnTwoFactor(world, "rep");
    const visitor = new Visitor(world.url);
    await visitor.submit("/users/sign_in", { username: "rep", password: PASSWORD });
    await visitor.submit("/users/two_factor", { code: codes[0] ?? "" });
    const { codes: more } = await addPasskey(visitor, world.url);
    assert.deepEqual(more, []);
    const { visitor: next } = await atSecondStep("rep");
    assert.equal((await next.post("/users/two_factor", { code: codeOf(secret) })).status, 303);
    const { visitor: last } = await atSecondStep("rep");
    assert.equal((await last.post("/users/two_factor", { code: codes[1] ?? "" })).status, 303);
    const off = await last.submit(`${HOME}/app/remove`, {}, HOME);
    assert.equal(off.location, HOME);
    const { visitor: without, page } = await atSecondStep("rep");
    assert.match(page.text, /Recovery code/);
    assert.equal((await without.post("/users/two_factor", { code: codeOf(secret, 1) })).status, 422);
  });

  it("means that an app added later does not come with new recovery codes (reference oauth C12)", async () => {
    await withPasskey("olga");
    const started = await world.call("/api/v4/user/two_factor", { as: "olga", json: { password: PASSWORD } });
    const json = { code: codeOf(started.json.secret) };
    const confirmed = await world.call("/api/v4/user/two_factor/confirm", { as: "olga", json });
    assert.deepEqual([confirmed.status, confirmed.json.recovery_codes], [201, []]);
    const json2 = { password: PASSWORD };
    const off = await world.call("/api/v4/user/two_factor", { as: "olga", method: "DELETE", json: json2 });
    assert.equal(off.status, 204);
    assert.equal((await world.call("/api/v4/user", { as: "olga" })).json.two_factor_enabled, false);
    assert.doesNotMatch((await (await signedIn(world, "olga")).get(HOME)).text, /Blue key/);
  });

  it("revokes the tokens of the password flow and refuses new ones, like every second factor (reference reliability S61; reference oauth D54)", async () => {
    const application = await anApplication(world, { owner: "max" });
    const credentials = { grant_type: "password", username: "gus", password: PASSWORD };
    const authorization = application.basic;
    const given = await tokenCall(world, credentials, { authorization });
    assert.equal(given.status, 200, given.text);
    await withPasskey("gus");
    assert.equal((await world.call("/api/v4/user", { token: given.json.access_token })).status, 401);
    const refused = await tokenCall(world, credentials, { authorization });
    const wrong = await tokenCall(world, { ...credentials, password: "not it at all" }, { authorization });
    assert.deepEqual([refused.status, refused.text], [wrong.status, wrong.text]);
  });

  it("allows 30 sign-ins within a minute from one address, with the passkey as second factor (contract §4, rate limits)", async () => {
    const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
    const { authenticator } = await addPasskey(await signedIn(limited, "dev"), limited.url);
    for (let times = 0; times < 29; times++) {
      const visitor = new Visitor(limited.url);
      await visitor.submit("/users/sign_in", { username: "dev", password: PASSWORD });
      await visitor.get("/users/two_factor");
      const passkey = authenticator.get(await optionsOf(visitor, "/users/two_factor/passkey/options"));
      assert.equal((await visitor.post("/users/two_factor", { passkey })).status, 303, `sign-in ${times}`);
    }
  });

  it("is not delayed by somebody who guesses codes (reference reliability S63)", async () => {
    const { authenticator } = await withPasskey("stan");
    const { visitor: guesser } = await atSecondStep("stan");
    for (let tries = 0; tries < 8; tries++) await guesser.post("/users/two_factor", { code: "000000" });
    const { visitor } = await atSecondStep("stan");
    const passkey = authenticator.get(await optionsOf(visitor, "/users/two_factor/passkey/options"));
    assert.equal((await visitor.post("/users/two_factor", { passkey })).status, 303);
  });
});

describe("a passkey without a password", () => {
  it("signs its owner in without username, password or code, and returns to the requested page (reference oauth C12)", async () => {
    const { authenticator } = await withPasskey("dev");
    const visitor = new Visitor(world.url);
    await visitor.follow(await visitor.get("/projects/new"));
    const options = await optionsOf(visitor, `${SIGN_IN}/options`);
    assert.deepEqual(
      [options.rpId, options.userVerification, options.allowCredentials],
      ["localhost", "required", []],
    );
    const before = visitor.cookie("session");
    const entered = await visitor.post(SIGN_IN, { passkey: authenticator.get(options) });
    assert.deepEqual([entered.status, entered.location], [303, "/projects/new"]);
    assert.notEqual(visitor.cookie("session"), before);
    assert.equal((await visitor.get("/")).status, 200);
    assert.match((await visitor.get("/profile/security_log")).text, /passkey/);
  });

  const refused: readonly (readonly [what: string, lies: Lies, reason: string])[] = [
    ["without user verification", { verified: false }, "verification"],
    ["made for another site", { origin: "https://gatehouse.example" }, "signature"],
    ["made for another port", { origin: "http://localhost:1" }, "signature"],
    ["made for another domain", { rpId: "example.org" }, "signature"],
    ["to another challenge", { challenge: "bm90IHRoZSBjaGFsbGVuZ2U" }, "signature"],
    ["of a registration", { type: "webauthn.create" }, "signature"],
    ["with the user handle of another user", { userHandle: "c29tZWJvZHkgZWxzZQ" }, "key"],
    ["without a user handle", { userHandle: null }, "key"],
  ];
  for (const [what, lies, reason] of refused) {
    it(`is refused with a response ${what} (WebAuthn 3 §7.2)`, async () => {
      const { authenticator } = await withPasskey("max");
      const { visitor, options } = await asked();
      const page = await visitor.post(SIGN_IN, { passkey: authenticator.get(options, lies) });
      assert.equal(page.status, 422);
      assert.match(page.text, /That passkey was not accepted/);
      assert.equal(await lastRefusal(), reason);
      assert.equal((await visitor.get("/")).location, "/users/sign_in");
    });
  }

  it("is refused if its signature counter did not increase, and the log gives this as the reason (WebAuthn 3 §6.1.1)", async () => {
    const { authenticator } = await withPasskey("max");
    const first = await asked();
    assert.equal(
      (await first.visitor.post(SIGN_IN, { passkey: authenticator.get(first.options, { counter: 9 }) }))
        .status,
      303,
    );
    for (const counter of [9, 8, 0]) {
      const { visitor, options } = await asked();
      assert.equal(
        (await visitor.post(SIGN_IN, { passkey: authenticator.get(options, { counter }) })).status,
        422,
      );
      assert.equal(await lastRefusal(), "counter");
    }
    const { visitor, options } = await asked();
    assert.equal(
      (await visitor.post(SIGN_IN, { passkey: authenticator.get(options, { counter: 10 }) })).status,
      303,
    );
  });

  it("may come from an authenticator without a counter (WebAuthn 3 §6.1.1)", async () => {
    const { authenticator } = await withPasskey("max");
    for (let times = 0; times < 2; times++) {
      const { visitor, options } = await asked();
      assert.equal(
        (await visitor.post(SIGN_IN, { passkey: authenticator.get(options, { counter: 0 }) })).status,
        303,
      );
    }
  });

  it("is refused if another key made the signature (WebAuthn 3 §7.2)", async () => {
    const { authenticator } = await withPasskey("max");
    const stranger = new Authenticator(world.url);
    const { visitor, options } = await asked();
    const right = JSON.parse(authenticator.get(options));
    const wrong = JSON.parse(stranger.get(options));
    right.response.signature = wrong.response.signature;
    assert.equal((await visitor.post(SIGN_IN, { passkey: JSON.stringify(right) })).status, 422);
    assert.equal(await lastRefusal(), "signature");
  });

  it("cannot be replayed: a response is valid once, in its session, for its purpose, and for five minutes (WebAuthn 3 §13.4.3)", async () => {
    const { authenticator, visitor: owner } = await withPasskey("max");
    const { visitor, options } = await asked();
    const passkey = authenticator.get(options);
    const other = await asked();
    assert.equal((await other.visitor.post(SIGN_IN, { passkey })).status, 422, "in another session");
    assert.equal((await visitor.post(SIGN_IN, { passkey })).status, 303);
    await visitor.submit("/users/sign_out", {}, "/projects");
    await visitor.get("/users/sign_in");
    assert.equal((await visitor.post(SIGN_IN, { passkey })).status, 422, "a second time");
    assert.equal(await lastRefusal(), "question");

    await owner.get("/users/prove");
    const proof = authenticator.get(await optionsOf(owner, "/users/prove/passkey/options"));
    const third = await asked();
    assert.equal((await third.visitor.post(SIGN_IN, { passkey: proof })).status, 422, "for another purpose");

    const late = await asked();
    await world.platform.db.run(sql`update passkey_challenges set expires_at = now() - interval '1 second'`);
    assert.equal(
      (await late.visitor.post(SIGN_IN, { passkey: authenticator.get(late.options) })).status,
      422,
    );
    assert.equal(await lastRefusal(), "question");
  });

  it("counts as a failed sign-in of its network when it is refused, and is rate limited with the others (reference reliability E)", async () => {
    const limited = await startWorld({ GATEHOUSE_RATE_LIMITS: "on" });
    const { db } = limited.platform;
    const { authenticator } = await addPasskey(await signedIn(limited, "dev"), limited.url);
    const answered = async (lies: Lies = {}) => {
      const visitor = new Visitor(limited.url);
      await visitor.get("/users/sign_in");
      const passkey = authenticator.get(await optionsOf(visitor, `${SIGN_IN}/options`), lies);
      return visitor.post(SIGN_IN, { passkey });
    };
    const network = async () =>
      db.many(row({ network: text }), sql`select distinct network from sign_in_failures`);
    await answered({ verified: false });
    const [mine, ...others] = await network();
    assert.ok(mine && others.length === 0);
    await db.run(
      sql`insert into sign_in_failures (login, network) select 'guess ' || i, ${mine.network} from generate_series(1, 98) i`,
    );
    assert.equal((await answered()).status, 303, "after 99 failures");
    assert.equal((await answered({ verified: false })).status, 422);
    const waits = await answered();
    assert.equal(waits.status, 429);
    assert.ok(Number(waits.headers.get("retry-after")) > 0);
  });

  it("signs in only one of several identical concurrent requests (reference reliability S60)", async () => {
    const { authenticator } = await withPasskey("max");
    const { visitor, options } = await asked();
    const session = visitor.cookie("session") ?? "";
    const passkey = authenticator.get(options);
    const pages = await Promise.all(
      Array.from({ length: 12 }, () => {
        const copy = new Visitor(world.url);
        copy.setCookie("session", session);
        copy.csrfToken = visitor.csrfToken;
        return copy.post(SIGN_IN, { passkey });
      }),
    );
    assert.equal(pages.filter(({ status }) => status === 303).length, 1);
  });

  it("does not work once it is removed or its owner is blocked (reference oauth D59)", async () => {
    const { authenticator, visitor: owner } = await withPasskey("max");
    const { visitor, options } = await asked();
    await world.platform.db.run(sql`update users set state = 'blocked' where id = ${world.ids.max}`);
    assert.equal((await visitor.post(SIGN_IN, { passkey: authenticator.get(options) })).status, 422);
    assert.equal(await lastRefusal(), "blocked");
    await world.platform.db.run(sql`update users set state = 'active' where id = ${world.ids.max}`);
    const next = await asked();
    const id = /passkeys\/(\d+)\/remove/.exec((await owner.get(HOME)).text)?.[1];
    const off = await owner.follow(await owner.post(`${HOME}/passkeys/${id}/remove`, {}));
    assert.match(off.text, /Two-factor sign-in is off/);
    assert.equal(
      (await next.visitor.post(SIGN_IN, { passkey: authenticator.get(next.options) })).status,
      422,
    );
    assert.equal(await lastRefusal(), "key");
    await signedIn(world, "max");
  });

  it("refuses malformed input like any other wrong response (WebAuthn 3 §7.2)", async () => {
    for (const passkey of [
      "",
      "{",
      "null",
      "[]",
      '{"id":"x"}',
      '{"id":"x","response":{}}',
      '{"id":5,"response":{}}',
      "x".repeat(60_000),
    ]) {
      const { visitor } = await asked();
      assert.equal((await visitor.post(SIGN_IN, { passkey })).status, 422, passkey.slice(0, 40));
    }
  });

  it("is bound to the configured host, whatever Host and the forwarding headers say (reference reliability S64)", async () => {
    const visitor = new Visitor(world.url);
    await visitor.get("/users/sign_in");
    const body = new URLSearchParams({ csrf_token: visitor.csrfToken }).toString();
    const headers = {
      ...{ host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
      "content-type": "application/x-www-form-urlencoded",
      cookie: `session=${visitor.cookie("session")}`,
    };
    // By node:http, since fetch does not send a Host that differs from the address.
    const sent = request(`${world.url}${SIGN_IN}/options`, { method: "POST", headers });
    sent.end(body);
    const [reply] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(reply.statusCode, 200);
    assert.equal(((await json(reply)) as { rpId: string }).rpId, "localhost");
  });
});

describe("the passkey of another user", () => {
  it("is not accepted as second factor or re-authentication (reference oauth C12)", async () => {
    const mine = await withPasskey("dev");
    const theirs = await withPasskey("max");
    const { visitor } = await atSecondStep("dev");
    const options = await optionsOf(visitor, "/users/two_factor/passkey/options");
    assert.equal(
      (await visitor.post("/users/two_factor", { passkey: theirs.authenticator.get(options) })).status,
      422,
    );
    assert.equal(await lastRefusal(), "key");
    await mine.visitor.get("/users/prove");
    const asks = await optionsOf(mine.visitor, "/users/prove/passkey/options");
    const page = await mine.visitor.post("/users/prove", { passkey: theirs.authenticator.get(asks) });
    assert.equal(page.status, 422);
    assert.match(page.text, /That passkey was not accepted/);
  });

  it("cannot be registered a second time, renamed or removed (contract §4, visibility)", async () => {
    const mine = await withPasskey("dev");
    const theirs = await withPasskey("max");
    await mine.visitor.get(HOME);
    const options = await optionsOf(mine.visitor, `${HOME}/passkeys/options`);
    const passkey = theirs.authenticator.create(options);
    const again = await mine.visitor.post(`${HOME}/passkeys`, { name: "Copy", passkey });
    assert.equal(again.status, 422);
    assert.match(again.text, /registered already/);
    const id = /passkeys\/(\d+)\/remove/.exec((await theirs.visitor.get(HOME)).text)?.[1];
    await mine.visitor.get(HOME);
    assert.equal((await mine.visitor.post(`${HOME}/passkeys/${id}/remove`, {})).status, 404);
    assert.equal((await mine.visitor.post(`${HOME}/passkeys/${id}/name`, { name: "Mine" })).status, 404);
    assert.equal((await mine.visitor.post(`${HOME}/passkeys/nonsense/remove`, {})).status, 404);
    assert.match((await theirs.visitor.get(HOME)).text, /Blue key/);
  });
});

describe("the list of passkeys", () => {
  it("contains several with their names, and shows when each was last used (reference ux §7)", async () => {
    const { visitor, authenticator } = await withPasskey("dev");
    assert.match((await visitor.get(HOME)).text, /Never/);
    const id = /passkeys\/(\d+)\/name/.exec((await visitor.get(HOME)).text)?.[1];
    const named = await visitor.follow(
      await visitor.post(`${HOME}/passkeys/${id}/name`, { name: "Door <key>" }),
    );
    assert.match(named.text, /Door &lt;key&gt;/);
    const empty = await visitor.post(`${HOME}/passkeys/${id}/name`, { name: " " });
    assert.equal(empty.status, 422);
    assert.match(empty.text, /Name can&#39;t be blank/);
    const { page } = await addPasskey(visitor, world.url, "Second key");
    assert.match(page.text, /Second key/);
    const { excludeCredentials: known } = await optionsOf(visitor, `${HOME}/passkeys/options`);
    assert.equal(
      known.length,
      2,
      "an authenticator that holds one of them creates no second one (WebAuthn 3 §5.4.3)",
    );
    assert.ok(known.some(({ id }: { id: string }) => id === authenticator.id.toString("base64url")));
    const options = await asked();
    assert.equal(
      (await options.visitor.post(SIGN_IN, { passkey: authenticator.get(options.options) })).status,
      303,
    );
    const { text } = await visitor.get(HOME);
    assert.match(text, /just now/);
    const removed = await visitor.follow(await visitor.post(`${HOME}/passkeys/${id}/remove`, {}));
    assert.match(removed.text, /The passkey is removed\./);
    assert.doesNotMatch(removed.text, /Door/);
    assert.match(removed.text, /Second key/);
  });

  it("holds at most 25, also if a page was opened before the last one was added (reference reliability E)", async () => {
    const { visitor, authenticator } = await withPasskey("rep");
    await world.platform.db.run(
      sql`insert into passkeys (user_id, credential_id, public_key, sign_count, transports, name, backed_up)
        select user_id, sha256(('key ' || i)::bytea), public_key, 0, transports, name, false
        from passkeys, generate_series(1, 23) i where user_id = ${world.ids.rep}`,
    );
    const { visitor: late, options } = await asked();
    assert.equal((await late.post(SIGN_IN, { passkey: authenticator.get(options) })).status, 303);
    await late.get(HOME);
    const passkey = new Authenticator(world.url).create(await optionsOf(late, `${HOME}/passkeys/options`));
    await addPasskey(visitor, world.url, "The last one");
    const more = await visitor.post(`${HOME}/passkeys/options`, {});
    const { message } = JSON.parse(more.text);
    assert.deepEqual([more.status, message], [422, "You have 25 passkeys. Remove one first."]);
    const refused = await late.post(`${HOME}/passkeys`, { name: "One more", passkey });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /You have 25 passkeys/);
  });

  it("changes only after a re-authentication in the last 15 minutes, for which a passkey is enough (decision 0047; decision 0028)", async () => {
    const { visitor, authenticator } = await withPasskey("dev");
    await world.platform.db.run(sql`update sessions set authenticated_at = now() - interval '16 minutes'`);
    const id = /passkeys\/(\d+)\/remove/.exec((await visitor.get(HOME)).text)?.[1];
    for (const path of [`${HOME}/passkeys/options`, `${HOME}/passkeys`, `${HOME}/passkeys/${id}/remove`]) {
      assert.equal((await visitor.post(path, {})).location, "/users/prove", path);
    }
    const page = await visitor.get("/users/prove");
    assert.match(page.text, /Use your passkey/);
    const options = await optionsOf(visitor, "/users/prove/passkey/options");
    const weak = await visitor.post("/users/prove", {
      passkey: authenticator.get(options, { verified: false }),
    });
    assert.equal(weak.status, 422);
    const again = await optionsOf(visitor, "/users/prove/passkey/options");
    const proven = await visitor.post("/users/prove", { passkey: authenticator.get(again) });
    assert.equal(proven.location, HOME);
    await visitor.get(HOME);
    assert.equal((await visitor.post(`${HOME}/passkeys/${id}/remove`, {})).location, HOME);
  });

  it("new recovery codes require the password and replace the old ones (reference reliability S60)", async () => {
    const { visitor, codes } = await withPasskey("dev");
    const wrong = await visitor.submit(`${HOME}/codes`, { password: "no such passphrase" }, HOME);
    assert.equal(wrong.status, 422);
    const page = await visitor.follow(await visitor.post(`${HOME}/codes`, { password: PASSWORD }));
    const fresh = /id="recovery-codes"[^>]*>([^<]+)</.exec(page.text)?.[1]?.trim().split(/\s+/) ?? [];
    assert.equal(fresh.length, 10);
    const { visitor: at } = await atSecondStep("dev");
    assert.equal((await at.post("/users/two_factor", { code: codes[0] ?? "" })).status, 422);
    assert.equal((await at.post("/users/two_factor", { code: fresh[0] ?? "" })).status, 303);
  });
});

test("the page names the second factors that the user has: passkeys, an app, or both (decision 0028)", async () => {
  const { visitor } = await withPasskey("olga");
  const words = async () => /Beside your password you need [^<]*/.exec((await visitor.get(HOME)).text)?.[0];
  const alone = "A passkey that knows your finger, face or PIN opens the door alone.";
  const passkey = "Beside your password you need one of the passkeys below";
  assert.equal(await words(), `${passkey}, or a recovery code. ${alone}`);
  await visitor.post(HOME, { password: PASSWORD });
  const waiting = (await visitor.get(HOME)).text;
  assert.match(waiting, /Two-factor sign-in is on once you have typed a code from the app\./);
  const key = /id="key"[^>]*>([A-Z2-7 ]+)</.exec(waiting)?.[1]?.replaceAll(" ", "") ?? "";
  await visitor.post(`${HOME}/confirm`, { code: codeOf(key) });
  assert.equal(await words(), `${passkey}, a code of your app, or a recovery code. ${alone}`);
  await world.platform.db.run(sql`delete from passkeys where user_id = ${world.ids.olga}`);
  assert.equal(await words(), "Beside your password you need a code of your app, or a recovery code.");
});
