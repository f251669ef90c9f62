/**
 * Application events: each refusal of a request is recorded with its true reason, for the application's owner and
 * administrators.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { GRANT_TYPES } from "../../src/oauth/application.ts";
import { flushRefusals, recordRefusal } from "../../src/oauth/record-refusal.ts";
import {
  countApplicationEvents,
  deleteCrowdedEvents,
  listApplicationEvents,
} from "../../src/oauth/store-application-events.ts";
import { sweepRefusals } from "../../src/oauth/sweep.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import {
  aCode,
  anApplication,
  aProof,
  authorizePath,
  aVisitor,
  decide,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { rowsRead } from "../support/plans.ts";
import { push } from "../support/pushed.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  dev = await signedIn(world, "dev");
});

const eventsOf = async (of: TestApplication, query = "") =>
  (await world.call(`/api/v4/applications/${of.id}/events${query}`, { as: "olga" })).json;

/** The newest event, without the members that differ from run to run. */
async function newest(of: TestApplication) {
  const [{ endpoint, grant_type, answer, reason, user }] = await eventsOf(of);
  return { endpoint, grant_type, answer, reason, user: user?.username };
}

const age = (set: ReturnType<typeof sql>) => world.platform.db.run(set);

test("a refused code is recorded with its true reason, while the response keeps one generic error_description (reference oauth C3)", async () => {
  application = await anApplication(world);
  const token = { endpoint: "token", grant_type: "authorization_code", answer: "invalid_grant", user: "dev" };
  const expired = await aCode(dev, application);
  await age(
    sql`update authorization_codes set expires_at = now() - interval '12.5 seconds' where spent_at is null`,
  );
  const reply = await exchange(world, application, expired);
  const { reason, ...rest } = await newest(application);
  assert.match(reason, /^code expired 1\d s before$/);
  assert.deepEqual({ ...rest, reason: undefined }, { ...token, reason: undefined });
  const [event] = await eventsOf(application);
  assert.equal(event.request_id, reply.headers.get("x-request-id"));
  assert.match(event.network, /^127\.0\.0\.0\/24$|::\/64$/);

  const code = await aCode(dev, application);
  const wrong = await exchange(world, application, code, { redirect_uri: "https://app.example.org/other" });
  assert.equal(wrong.json.error_description, reply.json.error_description);
  assert.deepEqual(await newest(application), {
    ...token,
    reason:
      "redirect_uri differs: sent https://app.example.org/other, the code was asked for with https://app.example.org/callback",
  });
  await exchange(world, application, code, { code_verifier: "v".repeat(43) });
  assert.match((await newest(application)).reason, /code_verifier sent, but .* had no code_challenge/);
  assert.equal((await exchange(world, application, code)).status, 200);
  await exchange(world, application, code);
  assert.match((await newest(application)).reason, /code used again, \d+ s after its first use/);

  const { challenge, verifier } = aProof();
  const asked = { code_challenge: challenge, code_challenge_method: "S256" };
  const proven = await aCode(dev, application, asked);
  await exchange(world, application, proven);
  assert.match((await newest(application)).reason, /code_verifier missing/);
  await exchange(world, application, proven, { code_verifier: `${verifier}x` });
  assert.match((await newest(application)).reason, /does not belong to the code_challenge/);
  const pasted = await exchange(world, application, application.secret);
  assert.equal(pasted.status, 400);
  const told = await newest(application);
  assert.equal(told.reason, "code: what was sent is not one (it is a client secret)");
});

test("other refusals at the token endpoint are recorded too: client secrets, refresh tokens, expired tokens, scopes, grant types (reference oauth C3)", async () => {
  const other = await anApplication(world, { grantTypes: ["authorization_code", "refresh_token"] });
  await exchange(world, other, "x", { client_secret: "wrong" });
  assert.deepEqual(await newest(other), {
    endpoint: "token",
    grant_type: "authorization_code",
    answer: "invalid_client",
    reason: "client secret missing or wrong",
    user: undefined,
  });
  const issued = (await exchange(world, other, await aCode(dev, other))).json;
  await refresh(world, other, issued.refresh_token, { scope: "nonsense" });
  assert.match((await newest(other)).reason, /sent “nonsense”; .* registered for api read_user profile/);
  await refresh(world, other, issued.refresh_token);
  await age(
    sql`update refresh_tokens set spent_at = spent_at - interval '2 minutes' where spent_at is not null`,
  );
  await refresh(world, other, issued.refresh_token);
  assert.match(
    (await newest(other)).reason,
    /refresh_token used again, 12\d s after its first use; every token/,
  );
  const late = (await exchange(world, other, await aCode(dev, other, { scope: "api" }))).json;
  for (const tokens of [sql`refresh_tokens`, sql`access_tokens`]) {
    await age(
      sql`update ${tokens} set expires_at = now() - interval '12.5 seconds' where expires_at is not null`,
    );
  }
  await refresh(world, other, late.refresh_token);
  assert.match((await newest(other)).reason, /^refresh_token expired 1\d s before$/);
  await world.call("/oauth/userinfo", { token: late.access_token });
  assert.match((await newest(other)).reason, /^access_token expired 1\d s before$/);
  await tokenCall(world, {
    grant_type: "password",
    username: "dev",
    password: PASSWORD,
    client_id: other.uid,
    client_secret: other.secret,
  });
  assert.equal((await newest(other)).answer, "unauthorized_client");
});

test("requests of a known application that are too long or of a wrong media type are recorded too (decision 0080)", async () => {
  const other = await anApplication(world);
  const authorization = other.basic;
  const form = "application/x-www-form-urlencoded";
  const asked = new URLSearchParams({ response_type: "code", redirect_uri: other.redirectUri });
  for (const [path, type, body, status, reason] of [
    ["token", "text/plain", "grant_type=client_credentials", 415, "media type: sent text/plain"],
    [
      "revoke",
      "multipart/form-data; boundary=x",
      "--x--",
      415,
      "media type: sent multipart/form-data; boundary=x",
    ],
    [
      "par",
      form,
      `${asked}&nonce=${"x".repeat(17_000)}`,
      413,
      "The parameters are longer than 16 KiB together.",
    ],
  ] as const) {
    const headers = { authorization, "content-type": type };
    const reply = await fetch(`${world.url}/oauth/${path}`, { method: "POST", headers, body });
    assert.equal(reply.status, status, path);
    const [event] = await eventsOf(other);
    assert.deepEqual(
      [event.endpoint, event.answer, event.reason, event.request_id],
      [path, "invalid_request", reason, reply.headers.get("x-request-id")],
    );
  }
  const headers = { authorization, "content-type": form, "content-encoding": "gzip" };
  await world.call("/oauth/token", { headers, body: gzipSync("grant_type=password") });
  assert.match((await newest(other)).reason, /without Content-Encoding: gzip/);
});

test("using the tokens or the code of an ended authorization is recorded with the reason why it ended (decision 0080)", async () => {
  const other = await anApplication(world);
  const issued = async () => (await exchange(world, other, await aCode(dev, other))).json;
  const reasons = async (tokens: { access_token: string; refresh_token: string }) => {
    await refresh(world, other, tokens.refresh_token);
    const [refreshed] = await eventsOf(other);
    await world.call("/oauth/userinfo", { token: tokens.access_token });
    const [shown] = await eventsOf(other);
    return [refreshed.reason, shown.reason].map((words) =>
      words.replace(/ used again, \d+ s /, " used again "),
    );
  };
  const ended = (words: string) =>
    ["refresh_token", "access_token"].map((name) => `${name}: the authorization had ended: ${words}`);

  const given = await issued();
  const proof = { client_id: other.uid, client_secret: other.secret };
  await world.call("/oauth/revoke", { form: { ...proof, token: given.refresh_token } });
  assert.deepEqual(await reasons(given), ended("revoked by its application"));

  const leaked = await aCode(dev, other);
  const stolen = (await exchange(world, other, leaked)).json;
  await exchange(world, other, leaked);
  assert.match((await newest(other)).reason, /^code used again/);
  assert.deepEqual(await reasons(stolen), ended("code used twice"));

  const [taken, waiting] = [await issued(), await aCode(dev, other)];
  const path = `/profile/applications/${other.id}/revoke`;
  await dev.post(path, hiddenFields((await dev.get("/profile/applications")).text, path));
  assert.deepEqual(await reasons(taken), ended("taken back by its user"));
  await exchange(world, other, waiting);
  assert.equal((await newest(other)).reason, "code: the authorization had ended: taken back by its user");

  const shown = await aCode(await signedIn(world, "stan"), other);
  await world.call(`/api/v4/users/${world.ids.stan}/block`, { as: "ada", method: "POST" });
  await exchange(world, other, shown);
  assert.equal((await newest(other)).reason, "the user is blocked; the code was ended");
  await world.call(`/api/v4/users/${world.ids.stan}/unblock`, { as: "ada", method: "POST" });
  await exchange(world, other, shown);
  const words = "code: the authorization had ended: its code was shown while the user was blocked";
  assert.equal((await newest(other)).reason, words);
});

test("a refused password grant is recorded with what is known of the user, never with whether the password was right (reference oauth D54)", async () => {
  const other = await anApplication(world);
  const ask = (username: string, password: string) =>
    tokenCall(world, {
      grant_type: "password",
      username,
      password,
      client_id: other.uid,
      client_secret: other.secret,
    });
  for (const person of ["gus", "rep"] as const) await aCode(await signedIn(world, person), other);
  await ask("gus", "not the password");
  assert.equal((await newest(other)).reason, "username or password is wrong");
  assert.equal((await newest(other)).user, "gus");
  await age(sql`update users set totp_confirmed_at = now(), totp_sealed = 'x' where id = ${world.ids.rep}`);
  const reasons: string[] = [];
  for (const password of [PASSWORD, "not the password"]) {
    await ask("rep", password);
    reasons.push((await newest(other)).reason);
  }
  assert.match(reasons[0] ?? "", /two-factor sign-in on/);
  assert.equal(reasons[0], reasons[1]);
  await age(
    sql`insert into sign_in_failures (login, network)
      select login, network from sign_in_failures, generate_series(1, 20) where login = counted_login('gus')`,
  );
  await ask("gus", PASSWORD);
  assert.equal((await newest(other)).reason, "too many failed tries; the user must wait");
  await age(sql`delete from sign_in_failures`);
  await ask("nobody-here", "not the password");
  assert.equal((await newest(other)).user, undefined);
  const all = JSON.stringify(await eventsOf(other));
  for (const never of ["not the password", PASSWORD, "nobody-here"]) assert.ok(!all.includes(never), never);
});

test("a refused password grant for a user who never used the application gets one uniform event, which reveals neither user nor account state (decision 0149)", async () => {
  const other = await anApplication(world);
  const proof = { client_id: other.uid, client_secret: other.secret };
  const told = [];
  await age(sql`update users set totp_confirmed_at = now(), totp_sealed = 'x' where id = ${world.ids.max}`);
  for (const username of ["max@example.org", "max", "gus@example.org", "nobody@example.org"]) {
    await tokenCall(world, { grant_type: "password", username, password: "a guess at it", ...proof });
    told.push(await newest(other));
  }
  assert.deepEqual([told[1], told[2], told[3]], [told[0], told[0], told[0]]);
  assert.match(told[0]?.reason ?? "", /wrong, or the account cannot use the password flow/);
  assert.equal(told[0]?.user, undefined);
  await tokenCall(world, { grant_type: "password", username: "olga", password: "a guess at it", ...proof });
  assert.equal((await newest(other)).user, "olga", "the owner trying the application out is named");
});

test("refusals at the authorize, revoke, introspect, device and userinfo endpoints are recorded, and can be filtered and paged (reference oauth C2)", async () => {
  const other = await anApplication(world);
  const foreign = await anApplication(world);
  await aVisitor(world).get(authorizePath(other, { redirect_uri: "https://app.example.org/callback/" }));
  assert.deepEqual(await newest(other), {
    endpoint: "authorize",
    grant_type: "code",
    answer: "invalid_redirect_uri",
    reason:
      "redirect_uri differs: sent https://app.example.org/callback/, registered https://app.example.org/callback",
    user: undefined,
  });
  await aVisitor(world).get(authorizePath(foreign, { state: "x".repeat(4097) }));
  assert.deepEqual(await newest(foreign), {
    endpoint: "authorize",
    grant_type: "code",
    answer: "invalid_request",
    reason: "The state is longer than 4 KiB.",
    user: undefined,
  });
  await dev.get(authorizePath(other, { scope: "openid" }).replace("scope=openid", "scope=nonsense"));
  assert.match((await newest(other)).reason, /sent “nonsense”/);
  await decide(dev, authorizePath(other), "deny");
  assert.deepEqual((await newest(other)).answer, "access_denied");
  const issued = (await exchange(world, other, await aCode(dev, other))).json;
  const proof = { client_id: foreign.uid, client_secret: foreign.secret };
  for (const door of ["revoke", "introspect"]) {
    await world.call(`/oauth/${door}`, { form: { ...proof, token: issued.access_token } });
    assert.deepEqual(await newest(foreign), {
      endpoint: door,
      grant_type: null,
      answer: "unauthorized_client",
      reason: "token of another application",
      user: undefined,
    });
  }
  await world.call("/oauth/authorize_device", {
    form: { client_id: other.uid, client_secret: other.secret },
  });
  assert.deepEqual((await newest(other)).endpoint, "device");
  await world.call("/oauth/userinfo", { token: issued.access_token });
  assert.match((await newest(other)).reason, /access_token lacks the scope/);
  assert.deepEqual(
    (await eventsOf(other, "?endpoint=device")).map((event: { endpoint: string }) => event.endpoint),
    ["device"],
  );
  assert.equal((await eventsOf(other, "?search=NONSENSE")).length, 1);
  assert.equal((await eventsOf(other, "?answer=access_denied")).length, 1);
  const page = await world.call(`/api/v4/applications/${other.id}/events?per_page=2`, { as: "ada" });
  assert.equal(page.headers.get("x-total"), "5");
  const pages = [
    page.json,
    ...(await Promise.all([2, 3].map((n) => eventsOf(other, `?per_page=2&page=${n}`)))),
  ];
  assert.deepEqual(
    pages.map((each) => each.length),
    [2, 2, 1],
  );
  assert.deepEqual(pages.flat(), await eventsOf(other));
});

test("a refusal at the authorize or logout endpoint names the signed-in person to the owner only once they have authorized the application, and a grant of another application names nobody (decision 0149)", async () => {
  const [trap, foreign] = [await anApplication(world, { scopes: ["openid"] }), await anApplication(world)];
  const gus = await signedIn(world, "gus");
  const led = async (visitor: Visitor) => {
    const logout = new URLSearchParams({
      client_id: trap.uid,
      post_logout_redirect_uri: "https://x.example",
    });
    await visitor.get(authorizePath(trap, { scope: "visitor-8471" }));
    await visitor.get(authorizePath(trap, { redirect_uri: "https://app.example.org/other" }));
    await visitor.get(authorizePath(trap, { state: "x".repeat(4097), scope: "openid" }));
    await decide(visitor, authorizePath(trap, { scope: "openid", prompt: "consent" }), "deny");
    await visitor.get(`/oauth/logout?${logout}`);
    const events: { id: number; user: { username: string } | null }[] = await eventsOf(trap, "?per_page=100");
    return events.map(({ user }) => user?.username ?? null);
  };
  assert.deepEqual(await led(gus), [null, null, null, null, null]);
  const code = await aCode(gus, foreign);
  await exchange(world, trap, code);
  assert.match((await newest(trap)).reason, /it was issued to another application/);
  assert.equal((await newest(trap)).user, undefined);
  const { refresh_token } = (await exchange(world, foreign, await aCode(gus, foreign))).json;
  await refresh(world, trap, refresh_token);
  assert.match((await newest(trap)).reason, /it was issued to another application/);
  assert.equal((await newest(trap)).user, undefined);

  await aCode(gus, trap, { scope: "openid" });
  const known = (await led(gus)).filter((name) => name !== null);
  assert.deepEqual(known, ["gus", "gus", "gus", "gus", "gus"]);
  assert.ok((await led(await signedIn(world, "olga"))).includes("olga"), "and the owner is named");
});

test("a refusal of the consent form is recorded with the requested grant and scopes, and a gl_auth_type is named as such (reference oauth C3, A2)", async () => {
  const other = await anApplication(world);
  await decide(dev, authorizePath(other, { response_type: "token", scope: "read_user" }), "deny");
  assert.equal((await newest(other)).grant_type, "token");
  const page = await dev.get(authorizePath(other, { scope: "read_user profile" }));
  await world.call(`/api/v4/applications/${other.id}`, {
    as: "ada",
    method: "PUT",
    json: { scopes: "openid" },
  });
  await dev.post("/oauth/authorize", hiddenFields(page.text, "/oauth/authorize"));
  assert.deepEqual(await newest(other), {
    endpoint: "authorize",
    grant_type: "code",
    answer: "invalid_scope",
    reason: "scope: sent “read_user profile”; the application is registered for openid",
    user: undefined,
  });
  await dev.get(authorizePath(other, { scope: "openid", gl_auth_type: "login" }));
  assert.equal(
    (await newest(other)).reason,
    "scope: sent gl_auth_type=login, which asks for read_user; the application is registered for openid",
  );
  for (const scope of ["openid", undefined]) {
    const asked = { scope, gl_auth_type: "login" };
    assert.equal((await push(world, other, asked)).json.error, "invalid_scope");
    const { endpoint, reason } = await newest(other);
    assert.deepEqual(
      [endpoint, reason],
      [
        "par",
        "scope: sent gl_auth_type=login, which asks for read_user; the application is registered for openid",
      ],
    );
  }
});

test("use of a replaced access token, or of a scope that the application has lost, is recorded with that reason (reference oauth C3; decision 0029)", async () => {
  const other = await anApplication(world, { scopes: ["openid", "read_user"] });
  const told = async (token: string) => {
    assert.notEqual((await world.call("/oauth/userinfo", { token })).status, 200);
    return (await newest(other)).reason;
  };
  const keep = async (scopes: string) =>
    world.call(`/api/v4/applications/${other.id}`, { as: "ada", method: "PUT", json: { scopes } });
  const first = (await exchange(world, other, await aCode(dev, other))).json;
  const next = (await refresh(world, other, first.refresh_token)).json;
  assert.equal(await told(first.access_token), "access_token: a refresh had put another in its place");
  await keep("read_user");
  assert.equal(
    await told(next.access_token),
    "access_token lacks the scope: it has openid read_user; the application is registered for read_user now",
  );
  assert.equal(
    (await refresh(world, other, next.refresh_token, { scope: "openid" })).json.error,
    "invalid_scope",
  );
  assert.equal(
    (await newest(other)).reason,
    "scope: sent “openid”; the application is registered for read_user",
  );
  await keep("openid email read_user");
  await refresh(world, other, next.refresh_token, { scope: "email" });
  assert.match(
    (await newest(other)).reason,
    /sent “email”; more than the authorization of the refresh_token has/,
  );
  await world.call("/oauth/revoke", {
    form: { token: next.access_token, client_id: other.uid, client_secret: other.secret },
  });
  assert.match(await told(next.access_token), /the authorization had ended: revoked by its application/);
});

test("only the owner and administrators can read an application's events; everybody else gets 404 (reference oauth D79)", async () => {
  const other = await anApplication(world);
  for (const [as, status] of [
    ["olga", 200],
    ["ada", 200],
    ["dev", 404],
  ] as const) {
    assert.equal((await world.call(`/api/v4/applications/${other.id}/events`, { as })).status, status, as);
  }
  const path = `/profile/applications/${other.id}/events`;
  assert.equal((await dev.get(path)).status, 404);
  assert.equal((await dev.get(`/profile/applications/${other.id}/usage`)).status, 404);
  await exchange(world, other, "x", { client_secret: "wrong" });
  const olga = await signedIn(world, "olga");
  const shown = await olga.get(path);
  assert.match(shown.text, /client secret missing or wrong/);
  assert.match((await olga.get(`${path}?search=elsewhere`)).text, /No such event/);
});

test("repeated refusals are merged into one event with a count, and an application keeps its newest 1,000 events for 30 days (decision 0080)", async () => {
  const other = await anApplication(world);
  const refusal = {
    applicationId: other.id,
    endpoint: "token" as const,
    grantType: "password",
    answer: "invalid_client",
    requestId: "r",
    network: "127.0.0.0/24",
    userId: null,
  };
  for (let n = 0; n < 500; n++) recordRefusal(world.platform, { ...refusal, reason: "the same" });
  for (let n = 0; n < 500; n++) recordRefusal(world.platform, { ...refusal, reason: `another ${n}` });
  await flushRefusals(world.platform);
  const events = await eventsOf(other, "?per_page=100");
  assert.equal(events.length, 10, "ten kinds a second from one network");
  const [same] = events.filter((event: { reason: string }) => event.reason === "the same");
  assert.equal(same.times, 500);
  for (const requestId of ["soon", "later"]) {
    recordRefusal(world.platform, { ...refusal, reason: "the same", requestId });
  }
  const after = (await eventsOf(other, "?per_page=100"))[0];
  assert.deepEqual([after.id, after.times, after.request_id], [same.id, 502, "later"]);
  assert.equal(after.created_at, same.created_at);
  assert.ok(after.last_at > same.last_at);
  const found = (await eventsOf(other, "?search=r&per_page=100")).map(({ id }: { id: number }) => id);
  assert.ok(found.includes(same.id), "the first request id still finds the event");
  await world.platform.db.run(
    sql`insert into application_events (application_id, endpoint, answer, reason, request_id, at)
      select ${other.id}, 'token', 'x', 'r', 'r', now() - make_interval(days => case when n < 10 then 31 else 0 end)
      from generate_series(1, 1200) n`,
  );
  await world.platform.db.run(
    sql`update application_events set first_at = now() - interval '31 days' where id = ${same.id}`,
  );
  await sweepRefusals(world.platform.db);
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from application_events where application_id = ${other.id}`,
  );
  assert.equal(n, 1000);
  assert.equal((await eventsOf(other, "?search=the%20same")).length, 1, "rare kinds of events are kept");
  recordRefusal(world.platform, { ...refusal, reason: `sent ${other.secret} and goa_abcdefghijklmnop` });
  assert.equal((await newest(other)).reason, "sent [secret] and [secret]");
  const within = `sent /cb_${other.secret} and ${other.secret.replace("_", "%5F")}`;
  recordRefusal(world.platform, { ...refusal, reason: within });
  assert.equal((await newest(other)).reason, "sent /cb_SECRET and SECRET");
});

test("listing and counting one application's events reads none of another application's rows (decision 0080)", async () => {
  const [quiet, noisy] = [await anApplication(world), await anApplication(world)];
  const refused = (of: TestApplication, times: number, days: number) =>
    world.platform.db.run(sql`insert into application_events (application_id, endpoint, answer, reason, request_id, at)
      select ${of.id}, 'token', 'x', 'r', 'r', now() - make_interval(days => ${days}::integer)
      from generate_series(1, ${times}::integer)`);
  await refused(quiet, 30, 3);
  for (let n = 0; n < 10; n++) await refused(noisy, 500, 1);
  await world.owner.run(sql`analyze application_events`);
  const filter = { endpoint: "token" as const };
  const page = { limit: 20, offset: 0 };
  for (const ask of [
    (db: Queries) => listApplicationEvents(db, quiet.id, filter, page),
    (db: Queries) => countApplicationEvents(db, quiet.id, filter),
  ]) {
    assert.equal(await rowsRead(world, "application_events", ask), 30);
  }
});

test("pruning one application's surplus events reads none of another application's rows (decision 0080)", async () => {
  const [crowded, other] = [await anApplication(world), await anApplication(world)];
  for (const [of, times] of [
    [crowded, 1200],
    [other, 990],
  ] as const) {
    await world.platform.db.run(sql`insert into application_events (application_id, endpoint, answer, reason, request_id)
      select ${of.id}, 'token', 'x', 'r', 'r' from generate_series(1, ${times}::integer)`);
  }
  await world.owner.run(sql`analyze application_events`);
  const read = await rowsRead(world, "application_events", (db) => deleteCrowdedEvents(db, crowded.id));
  // Each event of the application is read to rank it, and each surplus one once more to delete it.
  assert.equal(read, 1200 + 200);
  await sweepRefusals(world.platform.db);
  for (const [of, kept] of [
    [crowded, "1000"],
    [other, "990"],
  ] as const) {
    const { headers } = await world.call(`/api/v4/applications/${of.id}/events`, { as: "olga" });
    assert.equal(headers.get("x-total"), kept);
  }
});

test("a flood of refusals pushes out only events of its own kind and network (decision 0080)", async () => {
  const other = await anApplication(world);
  await exchange(world, other, "x");
  const [own] = await eventsOf(other);
  assert.equal(own.answer, "invalid_grant");
  await world.platform.db.run(
    sql`update application_events set at = at - interval '2 days' where id = ${own.id}`,
  );
  const flood = (networks: number, answer: string) =>
    world.platform.db.run(
      sql`insert into application_events (application_id, endpoint, answer, reason, request_id, network)
        select ${other.id}, 'token', ${answer}, 'r ' || n, 'r', 'net ' || n % ${networks}::integer
        from generate_series(1, 3000) n`,
    );
  await flood(3000, "invalid_client");
  await sweepRefusals(world.platform.db);
  assert.equal(
    (await eventsOf(other, `?search=${own.request_id}`)).length,
    1,
    "an event of another kind stays",
  );
  await flood(5, "invalid_grant");
  await sweepRefusals(world.platform.db);
  assert.equal(
    (await eventsOf(other, `?search=${own.request_id}`)).length,
    1,
    "an event of another network stays",
  );
  const { headers } = await world.call(`/api/v4/applications/${other.id}/events`, { as: "olga" });
  assert.equal(headers.get("x-total"), "1000");
});

test("a refusal with characters that cannot be stored does not keep other refusals from being recorded (decision 0080)", async () => {
  const [other, another] = [await anApplication(world), await anApplication(world)];
  await exchange(world, other, "x");
  const proof = { client_id: another.uid, client_secret: another.secret };
  await tokenCall(world, { ...proof, grant_type: "pass\0word" });
  await dev.get(authorizePath(another).replace("response_type=code", "response_type=co%00de"));
  const grants = (await eventsOf(another)).map((event: { grant_type: string }) => event.grant_type);
  assert.deepEqual(grants.toSorted(), ["co de", "pass word"]);
  assert.equal((await eventsOf(other)).length, 1);
});

test("the usage page shows the owner who uses the application, by which flow and with how many tokens (reference ux §6)", async () => {
  const other = await anApplication(world, { name: "Usage probe", grantTypes: GRANT_TYPES });
  const itself = { client_id: other.uid, client_secret: other.secret };
  const issued = (await exchange(world, other, await aCode(dev, other))).json;
  await world.call("/api/v4/user", { token: issued.access_token });
  await tokenCall(world, {
    grant_type: "password",
    username: "gus",
    password: PASSWORD,
    ...itself,
  });
  const renewed = (await refresh(world, other, issued.refresh_token)).json;
  await refresh(world, other, renewed.refresh_token);
  await dev.get(authorizePath(other, { response_type: "token" }));
  const { json: begun } = await world.call("/oauth/authorize_device", { form: itself });
  const typed = hiddenFields((await dev.get("/oauth/device")).text, "/oauth/device");
  const question = await dev.post("/oauth/device", { ...typed, user_code: begun.user_code });
  await dev.post("/oauth/device", { ...hiddenFields(question.text, "/oauth/device"), decision: "allow" });
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  await tokenCall(world, { grant_type, device_code: begun.device_code, ...itself });
  await tokenCall(world, { grant_type: "client_credentials", ...itself });
  const olga = await signedIn(world, "olga");
  const usage = (as: "olga" | "dev") => world.call(`/api/v4/applications/${other.id}/usage`, { as });
  assert.equal((await usage("dev")).status, 404);
  const { people, flows } = (await usage("olga")).json;
  assert.equal(people, 3);
  const once = { authorizations: 1, tokens: 1, refreshes: 0, people: 1, live_tokens: 1 };
  assert.deepEqual(
    flows.map(({ last_at: _, ...use }: { last_at: string }) => use),
    [
      { flow: "authorization_code", authorizations: 1, tokens: 3, refreshes: 2, people: 1, live_tokens: 1 },
      ...["client_credentials", "device_code", "implicit", "password"].map((flow) => ({ flow, ...once })),
    ],
  );
  const page = await olga.get(`/profile/applications/${other.id}/usage`);
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /3 people/);
  assert.match(page.text, /@dev[\s\S]*Authorization code/);
  assert.match(page.text, /@gus[\s\S]*Without a question[\s\S]*Password/);
});
