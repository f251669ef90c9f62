/** Back-channel logout: which application is sent a logout token, when, how often, and with which claims. */
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { createPasswordLink } from "../../src/accounts/create-password-link.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { counted } from "../support/attacks.ts";
import { meanwhile } from "../support/meanwhile.ts";
import {
  aCode,
  anApplication,
  authorizePath,
  aVisitor,
  decide,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { aRelyingParty, deliver, onlySids, type RelyingParty, twoParties } from "../support/relying-party.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
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

const submit = async (visitor: Visitor, page: string, action: string, more: Record<string, string> = {}) => {
  const shown = await visitor.get(page);
  const reply = await visitor.post(action, { ...hiddenFields(shown.text, action), ...more });
  assert.equal(reply.status, 303, reply.text);
  return reply;
};
const signOut = (visitor: Visitor) => submit(visitor, "/profile/sessions", "/users/sign_out");
const waiting = () =>
  counted(
    world,
    sql`select count(*) as n from outbox_deliveries where channel = 'logout' and state = 'waiting'`,
  );
const asAda = async (path: string, method: string, json?: unknown) => {
  const reply = await world.call(`/api/v4${path}`, { as: "ada", method, ...(json ? { json } : {}) });
  assert.ok(reply.status < 300, reply.text);
};

test("discovery announces back-channel logout, and the ID token's sid is the same for every sign-in and refresh of a session and differs between sessions (OpenID Connect Back-Channel Logout §2.1, §2.2)", async () => {
  const { json } = await world.call("/.well-known/openid-configuration");
  assert.equal(json.backchannel_logout_supported, true);
  assert.equal(json.backchannel_logout_session_supported, true);
  assert.ok(json.claims_supported.includes("sid"));
  const dev = await signedIn(world, "dev");
  const { sid = "" } = await desk.signIn(dev);
  assert.match(sid, /^[0-9a-f-]{36}$/);
  assert.equal((await desk.signIn(dev)).sid, sid);
  const pair = (
    await exchange(world, desk.application, await aCode(dev, desk.application, { scope: "openid" }))
  ).json;
  const next = (await refresh(world, desk.application, pair.refresh_token)).json;
  const claims = JSON.parse(Buffer.from(next.id_token.split(".")[1], "base64url").toString());
  assert.equal(claims.sid, sid);
  assert.notEqual((await desk.signIn(await signedIn(world, "dev"))).sid, sid);
  const asSecret = await world.call("/profile/applications", { headers: { cookie: `session=${sid}` } });
  assert.equal(asSecret.status, 302, "sid is not a session cookie");
});

test("signing out sends one logout token to each application that got an ID token in that session, and to no other (OpenID Connect Back-Channel Logout §2.3, §2.4, §2.5)", async () => {
  const [here, elsewhere] = [await signedIn(world, "dev"), await signedIn(world, "dev")];
  const { sid } = await desk.signIn(here);
  await desk.signIn(here);
  const other = await wiki.signIn(elsewhere);
  // No identity was given without openid, without a redeemed code, or by a token in the fragment.
  const third = await aRelyingParty(world, { name: "Third" });
  const code = await aCode(here, third.application, { scope: "read_user" });
  assert.equal((await exchange(world, third.application, code)).status, 200);
  await aCode(here, third.application, { scope: "openid" });
  const byFragment = await here.get(
    authorizePath(third.application, { response_type: "token", scope: "openid" }),
  );
  assert.match(byFragment.headers.get("location") ?? "", /#access_token=/);
  await signOut(here);
  assert.equal(await waiting(), 1);
  const sub = String(world.ids.dev);
  const told = await desk.told();
  assert.deepEqual(
    told.map((one) => [one.sub, one.sid]),
    [[sub, sid]],
  );
  assert.deepEqual([await wiki.told(), await third.told()], [[], []]);
  await signOut(elsewhere);
  assert.deepEqual(await onlySids(wiki), [other.sid]);
  assert.deepEqual(await desk.told(), []);
});

test("a logout started by an application notifies all applications of the session, including itself (OpenID Connect Back-Channel Logout §2.3; RP-Initiated Logout §2)", async () => {
  const max = await signedIn(world, "max");
  const { sid, raw } = await desk.signIn(max);
  await wiki.signIn(max);
  await max.get(`/oauth/logout?${new URLSearchParams({ id_token_hint: raw })}`);
  assert.deepEqual([await onlySids(desk), await onlySids(wiki)], [[sid], [sid]]);
  const again = await signedIn(world, "max");
  const second = await desk.signIn(again);
  await decide(again, authorizePath(wiki.application, { scope: "openid", prompt: "consent" }), "switch");
  assert.deepEqual(await onlySids(desk), [second.sid], "switching the account ends the session too");
});

test("ending sessions from the list sends logout tokens for these and not for the one that remains (OpenID Connect Back-Channel Logout §2.3)", async () => {
  const browsers = await Promise.all([1, 2, 3].map(() => signedIn(world, "rep")));
  const sids: (string | undefined)[] = [];
  for (const browser of browsers) sids.push((await desk.signIn(browser)).sid);
  const [mine] = browsers as [Visitor];
  const list = (await mine.get("/profile/sessions")).text;
  const [, action = ""] = /action="(\/profile\/sessions\/[0-9a-f]+\/end)"/.exec(list) ?? [];
  await submit(mine, "/profile/sessions", action);
  const first = await onlySids(desk);
  assert.equal(first.length, 1);
  await submit(mine, "/profile/sessions", "/profile/sessions/end_others");
  const second = await onlySids(desk);
  assert.deepEqual([...first, ...second].sort(), sids.slice(1).sort());
  await signOut(mine);
  assert.deepEqual(await onlySids(desk), [sids[0]]);
});

test("a changed password ends the other sessions; the current one continues with the same sid (OpenID Connect Back-Channel Logout §2.3)", async () => {
  const [mine, other] = [await signedIn(world, "gus"), await signedIn(world, "gus")];
  const [kept, ended] = [await desk.signIn(mine), await desk.signIn(other)];
  const next = { current_password: PASSWORD, password: PASSWORD };
  await submit(mine, "/profile/password", "/profile/password", next);
  assert.deepEqual(await onlySids(desk), [ended.sid]);
  assert.equal((await other.get("/profile/password")).status, 302);
  assert.equal((await desk.signIn(mine)).sid, kept.sid);
  await signOut(mine);
  assert.deepEqual(await onlySids(desk), [kept.sid]);
});

test("turning on two-factor sign-in ends the other sessions; the current one continues with the same sid (OpenID Connect Back-Channel Logout §2.3)", async () => {
  const [mine, other] = [await signedIn(world, "stan"), await signedIn(world, "stan")];
  const [kept, ended] = [await desk.signIn(mine), await desk.signIn(other)];
  await submit(mine, "/profile/two_factor", "/profile/two_factor", { password: PASSWORD });
  const page = (await mine.get("/profile/two_factor")).text;
  const key = /id="key"[^>]*>([A-Z2-7 ]+)</.exec(page)?.[1]?.replaceAll(" ", "") ?? "";
  await submit(mine, "/profile/two_factor", "/profile/two_factor/confirm", { code: codeOf(key) });
  assert.deepEqual(await onlySids(desk), [ended.sid]);
  assert.equal((await desk.signIn(mine)).sid, kept.sid);
  await submit(mine, "/profile/two_factor", "/profile/two_factor/off", { password: PASSWORD });
});

async function byDevice(person: Visitor, party: RelyingParty): Promise<void> {
  const client = { client_id: party.application.uid, client_secret: party.application.secret };
  const begun = await world.call("/oauth/authorize_device", { form: { ...client, scope: "openid" } });
  const { device_code, user_code } = begun.json;
  const form = hiddenFields((await person.get("/oauth/device")).text, "/oauth/device");
  const question = await person.post("/oauth/device", { ...form, user_code });
  const answered = hiddenFields(question.text, "/oauth/device");
  await person.post("/oauth/device", { ...answered, decision: "allow" });
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const { json } = await tokenCall(world, { ...client, grant_type, device_code });
  assert.ok(json.id_token);
  assert.equal("sid" in JSON.parse(Buffer.from(json.id_token.split(".")[1], "base64url").toString()), false);
}

const ENDS: Record<string, (person: Person) => Promise<unknown>> = {
  "a password set by an administrator": (person) =>
    asAda(`/users/${world.ids[person]}`, "PUT", { password: PASSWORD }),
  "a role given by an administrator": async (person) => {
    await asAda(`/users/${world.ids[person]}`, "PUT", { admin: true });
  },
  "a second factor turned on by the API": (person) => turnOnTwoFactor(world, person),
  "blocking the user": async (person) => {
    await asAda(`/users/${world.ids[person]}/block`, "POST");
    await asAda(`/users/${world.ids[person]}/unblock`, "POST");
  },
};

for (const [what, end] of Object.entries(ENDS)) {
  test(`${what} ends all sessions: each application gets one logout token, also for devices and former sessions (OpenID Connect Back-Channel Logout §2.3, §2.4)`, async () => {
    const person: Person = what.includes("role") ? "olga" : what.includes("factor") ? "rep" : "dev";
    const strict = await aRelyingParty(world, { name: "Strict", backchannelLogoutSessionRequired: true });
    const telly = await aRelyingParty(world, { name: "Telly" });
    const [one, two] = [await signedIn(world, person), await signedIn(world, person)];
    await desk.signIn(one);
    await desk.signIn(two);
    const sids = [(await strict.signIn(one)).sid, (await strict.signIn(two)).sid];
    await byDevice(one, telly);
    await byDevice(one, strict);
    const gone = await signedIn(world, person);
    await wiki.signIn(gone);
    await world.platform.db.run(
      sql`delete from sessions where sid in (select session_sid from authorizations g
        join applications a on a.id = g.application_id where a.uid = ${wiki.application.uid} order by g.id desc limit 1)
        and expires_at > now() + interval '1 day'`,
    );
    await wiki.told();
    await end(person);
    const all = [[String(world.ids[person]), undefined]];
    for (const party of [desk, telly, wiki]) {
      assert.deepEqual(
        (await party.told()).map(({ sub, sid }) => [sub, sid]),
        all,
      );
    }
    // Strict requires a sid in every logout token; the device authorization has none.
    assert.deepEqual((await onlySids(strict)).sort(), sids.sort());
    assert.equal(await waiting(), 0);
  });
}

test("resetting a forgotten password signs the person out everywhere (OpenID Connect Back-Channel Logout §2.3)", async () => {
  await desk.signIn(await signedIn(world, "max"));
  const act = { actorId: world.ids.ada, ip: "127.0.0.1" };
  const link = new URL(await createPasswordLink(world.platform, world.ids.max, act));
  const stranger = aVisitor(world);
  await submit(stranger, link.pathname + link.search, "/users/password", { password: PASSWORD });
  assert.deepEqual(await onlySids(desk), [undefined]);
});

test("removing an account sends logout tokens to its applications, although its authorizations are deleted (OpenID Connect Back-Channel Logout §2.3)", async () => {
  const made = await world.call("/api/v4/users", {
    as: "ada",
    json: { username: "temp", name: "Temp", email: "temp@example.org", password: PASSWORD },
  });
  const temp = await signedIn(world, "temp" as Person);
  const { sub } = await desk.signIn(temp);
  await wiki.signIn(temp);
  // A revoked consent does not end the session at that application, so it is notified as well.
  await world.platform.db.run(
    sql`update authorizations set revoked_at = now() where user_id = ${made.json.id}
      and application_id = (select id from applications where uid = ${wiki.application.uid})`,
  );
  await asAda(`/users/${made.json.id}`, "DELETE");
  for (const party of [desk, wiki]) {
    assert.deepEqual(
      (await party.told()).map((one) => [one.sub, one.sid]),
      [[sub, undefined]],
    );
  }
});

test("a rolled-back sign-out sends nothing, and of concurrent sign-outs only one sends a logout token (decision 0154)", async () => {
  const dev = await signedIn(world, "dev");
  const { sid } = await desk.signIn(dev);
  const { db } = world.platform;
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.run(sql`delete from sessions where sid = ${sid}::uuid`);
      throw new Error("changed my mind");
    }),
  );
  assert.equal(await waiting(), 0);
  const page = await dev.get("/profile/sessions");
  const fields = hiddenFields(page.text, "/users/sign_out");
  await Promise.all([1, 2, 3, 4].map(() => dev.post("/users/sign_out", fields)));
  assert.deepEqual(await onlySids(desk), [sid]);
});

test("an application that redeems a code after the session ended is sent the logout token then (decision 0154)", async () => {
  const dev = await signedIn(world, "dev");
  const code = await aCode(dev, desk.application, { scope: "openid" });
  const { sid } = await wiki.signIn(dev);
  await signOut(dev);
  assert.deepEqual([await desk.told(), await onlySids(wiki)], [[], [sid]]);
  const { json } = await exchange(world, desk.application, code);
  assert.ok(json.id_token);
  assert.deepEqual(await onlySids(desk), [sid]);
});

test("an application that had signed in in the session before it ended is sent another logout token for each code that it redeems after (decision 0154)", async () => {
  const dev = await signedIn(world, "dev");
  const { sid } = await desk.signIn(dev);
  const codes = [
    await aCode(dev, desk.application, { scope: "openid" }),
    await aCode(dev, desk.application, { scope: "openid" }),
  ];
  await signOut(dev);
  const first = await desk.told();
  assert.deepEqual(
    first.map((one) => one.sid),
    [sid],
  );
  const jtis = new Set(first.map(({ jti }) => jti));
  for (const code of codes) {
    assert.ok((await exchange(world, desk.application, code)).json.id_token);
    const told = await desk.told();
    assert.deepEqual(
      told.map((one) => one.sid),
      [sid],
    );
    for (const { jti } of told) jtis.add(jti);
  }
  assert.equal(jtis.size, 3);
  assert.deepEqual(await onlySids(wiki), []);
});

test("a session that ends during a code exchange is still notified, and one that ends during consent yields no code (decision 0154)", async () => {
  const dev = await signedIn(world, "dev");
  const { sid } = await wiki.signIn(dev);
  const end = [["delete from sessions where sid = $1", sid]] as const;
  const code = await aCode(dev, desk.application, { scope: "openid" });
  const exchanged = await meanwhile(world, end, () => exchange(world, desk.application, code));
  assert.equal(exchanged.status, 200);
  assert.deepEqual([await onlySids(desk), await onlySids(wiki)], [[sid], [sid]]);

  const max = await signedIn(world, "max");
  const second = await wiki.signIn(max);
  const ended = [["delete from sessions where sid = $1", second.sid]] as const;
  const page = await max.get(authorizePath(desk.application, { scope: "openid", prompt: "consent" }));
  const fields = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow" };
  const answered = await meanwhile(world, ended, () => max.post("/oauth/authorize", fields));
  assert.doesNotMatch(answered.headers.get("location") ?? "", /code=/);
});

test("a failed logout delivery is retried with the same jti, given up after 15 minutes, and recorded with its reason in the application's events (OpenID Connect Back-Channel Logout §2.5, §2.8; decision 0154)", async () => {
  const dev = await signedIn(world, "dev");
  await desk.signIn(dev);
  desk.receiver.answers(500, 204);
  await signOut(dev);
  const { db } = world.platform;
  await deliver(world);
  await db.run(
    sql`update outbox_deliveries set due_at = date_trunc('milliseconds', now()) where channel = 'logout' and state = 'waiting'`,
  );
  const tries = await desk.told();
  assert.equal(tries.length, 2);
  assert.equal(new Set(tries.map(({ jti }) => jti)).size, 1);

  const max = await signedIn(world, "max");
  await desk.signIn(max);
  await wiki.signIn(max);
  desk.receiver.answers({ status: 503, headers: { "retry-after": "3600" } });
  wiki.receiver.answers(400);
  await signOut(max);
  const { minutes } = await db.one(
    row({ minutes: integer }),
    sql`select max(extract(epoch from give_up_at - created_at) / 60)::int as minutes from outbox_deliveries
      where channel = 'logout' and state = 'waiting'`,
  );
  assert.equal(minutes, 15);
  await deliver(world);
  assert.equal(await waiting(), 0);
  const eventsOf = async ({ application }: RelyingParty) =>
    (
      await world.call(`/api/v4/applications/${application.id}/events?endpoint=backchannel_logout`, {
        as: "olga",
      })
    ).json;
  for (const [party, reason] of [
    [desk, "The response had status 503."],
    [wiki, "The application refused the logout token (status 400)."],
  ] as const) {
    const [event, ...others] = await eventsOf(party);
    assert.deepEqual(others, []);
    const host = new URL(party.receiver.url).host;
    assert.equal(event.reason, `${host} was not told of a sign-out, after 1 try. ${reason}`);
    assert.deepEqual([event.answer, event.user.username, event.network], ["not_delivered", "max", ""]);
    assert.match(event.request_id, /^msg_/);
  }
  const olga = await signedIn(world, "olga");
  const shown = await olga.get(`/profile/applications/${desk.application.id}/events`);
  assert.match(shown.text, /Back-channel logout/);
  assert.match(shown.text, /was not told of a sign-out/);
});

test("an application that removed its back-channel logout URI is sent nothing more (decision 0154)", async () => {
  const fourth = await aRelyingParty(world, { name: "Fourth" });
  const dev = await signedIn(world, "dev");
  await fourth.signIn(dev);
  await signOut(dev);
  const { id } = fourth.application;
  await asAda(`/applications/${id}`, "PUT", { backchannel_logout_uri: "" });
  assert.deepEqual(await fourth.told(), []);
  assert.equal(await waiting(), 0);
  const { json: events } = await world.call(`/api/v4/applications/${id}/events`, { as: "ada" });
  assert.match(events[0].reason, /after 1 try\. The application no longer has a back-channel logout URI\.$/);
  const again = await signedIn(world, "dev");
  await fourth.signIn(again);
  await signOut(again);
  assert.equal(await waiting(), 0);
});

test("the back-channel logout URI is set by API and form, shown, and kept in the form when it is invalid (OpenID Connect Back-Channel Logout §2.2)", async () => {
  const fields = { name: "Fifth", redirect_uri: "https://app.example.org/cb", scopes: "openid" };
  const uri = "https://app.example.org/backchannel";
  const made = await world.call("/api/v4/applications", {
    as: "ada",
    json: { ...fields, backchannel_logout_uri: uri, backchannel_logout_session_required: true },
  });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.json.backchannel_logout_uri, uri);
  assert.equal(made.json.backchannel_logout_session_required, true);
  const path = `/api/v4/applications/${made.json.id}`;
  const kept = await world.call(path, { as: "ada", method: "PUT", json: { name: "Fifth of all" } });
  assert.equal(kept.json.backchannel_logout_uri, uri, "omitted fields are kept");
  const wrong = await world.call(path, {
    as: "ada",
    method: "PUT",
    json: { backchannel_logout_uri: "ftp://a" },
  });
  assert.deepEqual(
    [wrong.status, wrong.json],
    [400, { message: { backchannel_logout_uri: ["is forbidden by the server."] } }],
  );

  const own = await anApplication(world, { name: "Sixth" });
  const olga = await signedIn(world, "olga");
  const at = `/profile/applications/${own.id}`;
  const form = {
    name: "Sixth",
    redirect_uri: "https://app.example.org/cb",
    scopes: "openid",
    grant_types: "authorization_code",
    confidential: "1",
  };
  const csrf = hiddenFields((await olga.get(`${at}/edit`)).text, at);
  const refused = await olga.post(at, { ...csrf, ...form, backchannel_logout_uri: "https://10.0.0.1/out" });
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /The address must not lead into a private network\./);
  assert.match(refused.text, /name="backchannel_logout_uri"[^>]*value="https:\/\/10\.0\.0\.1\/out"/);
  const saved = await olga.post(at, {
    ...csrf,
    ...form,
    backchannel_logout_uri: uri,
    backchannel_logout_session_required: "1",
  });
  assert.equal(saved.status, 303, saved.text);
  assert.match(
    (await olga.get(at)).text,
    /Back-channel logout URI[\s\S]*https:\/\/app\.example\.org\/backchannel[\s\S]*Always with sid/,
  );
  const found = await world.platform.db.one(
    row({ uri: text, n: integer }),
    sql`select backchannel_logout_uri as uri, backchannel_logout_session_required::int as n from applications where id = ${own.id}`,
  );
  assert.deepEqual(found, { uri, n: 1 });
});
