/**
 * Authorizing a pushed request: sign-in, consent, prompts, reloads, and what owners read about refusals (RFC 9126 §4;
 * decision 0205).
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { aPair, counted } from "../support/attacks.ts";
import {
  aCode,
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  aVisitor,
  decide,
  exchange,
  hiddenFields,
  setRegistration,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../support/oauth.ts";
import { push, pushed, pushedPath, pushedWay } from "../support/pushed.ts";
import { codeOf, turnOnTwoFactor } from "../support/two-factor.ts";
import { PASSWORD, type Person, type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  application = await anApplication(world);
});

const GONE = /is unknown, was already answered, or has expired/;

/** Submits the sign-in form; returns the location of the redirect. */
async function enter(visitor: Visitor, person: Person): Promise<string> {
  const page = await visitor.get("/users/sign_in");
  const fields = { ...hiddenFields(page.text, "/users/sign_in"), username: person, password: PASSWORD };
  const entered = await visitor.post("/users/sign_in", fields);
  assert.equal(entered.status, 303, entered.text);
  return entered.headers.get("location") ?? "";
}

/** Asserts a page which says that the request_uri is not valid, without a redirect. */
function assertGone(reply: Reply): void {
  assert.equal(reply.status, 400, reply.text);
  assert.match(reply.text, GONE);
  assert.equal(reply.headers.get("location"), null);
}

/** Expires every pushed request that has not been opened, after 90 seconds. */
const letExpire = () =>
  world.platform.db.run(sql`update pushed_requests set expires_at = expires_at - interval '90 seconds'`);

test("a pushed request gives a code with its own state, scope and code challenge (RFC 9126 §4)", async () => {
  const dev = await signedIn(world, "dev");
  const { verifier, challenge } = aProof();
  const more = { scope: "read_user", code_challenge: challenge, code_challenge_method: "S256" };
  const answer = answerOf(await decide(dev, await pushedWay(world, application, more)));
  assert.deepEqual([answer.state, answer.iss], ["s-1", world.url]);
  const unproven = await exchange(world, application, answer.code ?? "");
  assert.equal(unproven.json.error, "invalid_grant");
  const again = answerOf(await dev.get(await pushedWay(world, application, more)));
  const tokens = await exchange(world, application, again.code ?? "", { code_verifier: verifier });
  assert.equal(tokens.json.scope, "read_user");
});

test("a pushed request can ask for a token, which is returned in the fragment (RFC 9126 §4; RFC 6749 §4.2)", async () => {
  const max = await signedIn(world, "max");
  const answer = answerOf(await decide(max, await pushedWay(world, application, { response_type: "token" })));
  assert.match(answer.access_token ?? "", /^goa_/);
});

test("parameters in the address beside request_uri are ignored, even if they contradict the pushed ones (RFC 9126 §4; RFC 9101 §6.3)", async () => {
  const rep = await signedIn(world, "rep");
  const path = pushedPath(application, await pushed(world, application, { scope: "read_user" }), {
    ...{ scope: "api", state: "mine", response_type: "token", prompt: "none" },
    redirect_uri: "https://evil.example.org/callback",
  });
  const page = await rep.get(path);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /evil/);
  const answer = await rep.post("/oauth/authorize", hiddenFields(page.text, "/oauth/authorize"));
  assert.ok(answer.headers.get("location")?.startsWith(`${application.redirectUri}?`));
  assert.equal(answerOf(answer).state, "s-1");
  const tokens = await exchange(world, application, answerOf(answer).code ?? "");
  assert.equal(tokens.json.scope, "read_user");
});

test("the page can be reloaded until the question is answered; a code, an error or a denial uses the request_uri up (RFC 9126 §4; decision 0205)", async () => {
  const dev = await signedIn(world, "dev");
  for (const decision of ["allow", "deny"] as const) {
    const path = await pushedWay(world, application, { prompt: "consent" });
    assert.equal((await dev.get(path)).status, 200);
    assert.equal((await dev.get(path)).status, 200, "reloaded");
    const answer = answerOf(await decide(dev, path, decision));
    assert.equal(answer.error, decision === "deny" ? "access_denied" : undefined);
    assertGone(await dev.get(path));
  }
  const unasked = await pushedWay(world, application);
  assert.match(answerOf(await dev.get(unasked)).code ?? "", /^goc_/);
  assertGone(await dev.get(unasked));
  const silent = await pushedWay(world, application, { prompt: "none" });
  assert.equal(answerOf(await aVisitor(world).get(silent)).error, "login_required");
  assertGone(await dev.get(silent));
});

test("when two tabs answer the same pushed request, only the first answer counts (RFC 9126 §4; decision 0205)", async () => {
  for (const [first, second] of [
    ["allow", "allow"],
    ["allow", "deny"],
    ["deny", "allow"],
    ["deny", "deny"],
  ] as const) {
    const max = await signedIn(world, "max");
    const path = await pushedWay(world, application, { prompt: "consent" });
    const tabs = [await max.get(path), await max.get(path)];
    const [one, other] = tabs.map(({ text }) => hiddenFields(text, "/oauth/authorize"));
    answerOf(await max.post("/oauth/authorize", { ...one, decision: first }));
    assertGone(await max.post("/oauth/authorize", { ...other, decision: second }));
  }
  const rep = await signedIn(world, "rep");
  const path = await pushedWay(world, application, { prompt: "consent" });
  const forms = await Promise.all(
    [1, 2, 3, 4].map(async () => hiddenFields((await rep.get(path)).text, "/oauth/authorize")),
  );
  const answers = await Promise.all(
    forms.map((form) => rep.post("/oauth/authorize", { ...form, decision: "allow" })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 400, 400, 400]);
});

test("a denial that comes after an answer in another tab is not logged as a denial (RFC 9126 §4; decisions 0080, 0205)", async () => {
  const max = await signedIn(world, "max");
  const own = await anApplication(world);
  const audited = () =>
    counted(
      world,
      sql`select count(*) as n from audit_entries where action = 'access_denied' and details->>'uid' = ${own.uid}`,
    );
  const answers = async (): Promise<string[]> => {
    const { json } = await world.call(`/api/v4/applications/${own.id}/events`, { as: "olga" });
    return json.map(({ answer }: { answer: string }) => answer);
  };
  const path = await pushedWay(world, own, { prompt: "consent" });
  const [one, other] = [await max.get(path), await max.get(path)].map(({ text }) =>
    hiddenFields(text, "/oauth/authorize"),
  );
  const allowed = await max.post("/oauth/authorize", { ...one, decision: "allow" });
  assert.match(answerOf(allowed).code ?? "", /^goc_/);
  assertGone(await max.post("/oauth/authorize", { ...other, decision: "deny" }));
  assert.equal(await audited(), 0);
  assert.deepEqual(await answers(), ["invalid_request_uri"]);
  const denied = await decide(max, await pushedWay(world, own, { prompt: "consent" }), "deny");
  assert.equal(answerOf(denied).error, "access_denied");
  assert.equal(await audited(), 1);
  assert.deepEqual(await answers(), ["access_denied", "invalid_request_uri"]);
});

test("after a sign-in with two factors the person returns to the pushed request, also after its 90 seconds (RFC 9126 §4; decision 0205)", async () => {
  const { secret } = await turnOnTwoFactor(world, "gus");
  const visitor = aVisitor(world);
  const path = await pushedWay(world, application, { login_hint: "gus" });
  assert.equal((await visitor.get(path)).headers.get("location"), "/users/sign_in");
  const form = await visitor.get("/users/sign_in");
  assert.match(form.text, /value="gus"/);
  assert.match(form.text, /Relay Console/);
  await letExpire();
  assert.equal(await enter(visitor, "gus"), "/users/two_factor");
  const step = await visitor.get("/users/two_factor");
  const fields = { ...hiddenFields(step.text, "/users/two_factor"), code: codeOf(secret) };
  const entered = await visitor.post("/users/two_factor", fields);
  assert.match(answerOf(await decide(visitor, entered.headers.get("location") ?? "")).code ?? "", /^goc_/);
});

test("prompt=login and an exceeded max_age require one new sign-in in the same session since the request was opened (OpenID Connect Core §3.1.2.1; decision 0205)", async () => {
  for (const more of [{ prompt: "login" }, { max_age: "600" }, { max_age: "0" }]) {
    const max = await signedIn(world, "max");
    const other = await signedIn(world, "max");
    await world.platform.db.run(
      sql`update sessions set authenticated_at = now() - interval '601 seconds' where user_id = ${world.ids.max}`,
    );
    const path = await pushedWay(world, application, more);
    const away = await max.get(path);
    assert.equal(away.headers.get("location"), path, "signed out, and the request_uri stays valid");
    assert.equal((await max.get(path)).headers.get("location"), "/users/sign_in");
    assert.equal((await other.get(path)).headers.get("location"), path, "another session must sign in too");
    const back = await max.get(await enter(max, "max"));
    assert.match(answerOf(back).code ?? "", /^goc_/);
    await aCode(max, application);
  }
});

test("a pushed id_token_hint prefills the sign-in, and anybody else gets login_required (decisions 0136, 0149)", async () => {
  const of = await anApplication(world, { scopes: ["openid", "profile"] });
  const { id_token } = await aPair(world, await signedIn(world, "dev"), of, { scope: "openid profile" });
  const more = { scope: "openid", id_token_hint: id_token };
  const rep = await signedIn(world, "rep");
  const path = await pushedWay(world, of, more);
  const away = await rep.get(path);
  assert.equal(away.headers.get("location"), path);
  assert.equal((await rep.get(path)).headers.get("location"), "/users/sign_in");
  assert.match((await rep.get("/users/sign_in")).text, /value="dev"/);
  const wrong = answerOf(await rep.get(await enter(rep, "rep")));
  assert.equal(wrong.error, "login_required");
  const right = await pushedWay(world, of, more);
  const visitor = aVisitor(world);
  await visitor.get(right);
  assert.match(answerOf(await visitor.get(await enter(visitor, "dev"))).code ?? "", /^goc_/);
});

test("switching the account on the consent page signs out and returns to the same pushed request (decision 0205)", async () => {
  const rep = await signedIn(world, "rep");
  const path = await pushedWay(world, application, { prompt: "select_account" });
  const page = await rep.get(path);
  const [form = ""] = page.text.match(/<form id="not-you"[\s\S]*?<\/form>/) ?? [];
  const fields = hiddenFields(form, "/oauth/authorize");
  const away = await rep.post("/oauth/authorize", { ...fields, decision: "switch" });
  assert.equal(away.headers.get("location"), path);
  assert.equal((await rep.get(path)).headers.get("location"), "/users/sign_in");
  const back = await enter(rep, "max");
  assert.match(answerOf(await decide(rep, back)).code ?? "", /^goc_/);
});

test("an answer with no scope ticked shows the question again, and the next answer counts (decisions 0194, 0205)", async () => {
  const strict = await anApplication(world, { requirePushed: true });
  const dev = await signedIn(world, "dev");
  const path = await pushedWay(world, strict, { scope: "read_user profile" });
  const fields = hiddenFields((await dev.get(path)).text, "/oauth/authorize");
  const again = await dev.post("/oauth/authorize", { ...fields, decision: "allow", chosen: "1" });
  assert.equal(again.status, 422);
  const more = hiddenFields(again.text, "/oauth/authorize");
  const answer = await dev.post("/oauth/authorize", { ...more, decision: "allow" });
  assert.match(answerOf(answer).code ?? "", /^goc_/);
  assertGone(await dev.get(path));
});

test("an application that requires pushed requests gets invalid_request for any other (RFC 9126 §6)", async () => {
  const strict = await anApplication(world, { requirePushed: true });
  const dev = await signedIn(world, "dev");
  const refused = answerOf(await dev.get(authorizePath(strict)));
  assert.deepEqual([refused.error, refused.state], ["invalid_request", "s-1"]);
  assert.match(refused.error_description ?? "", /Pushed authorization request is required/);
  assert.match(answerOf(await decide(dev, await pushedWay(world, strict))).code ?? "", /^goc_/);
  // Required from the moment on, while a consent page is open.
  const lax = await anApplication(world);
  const fields = hiddenFields((await dev.get(authorizePath(lax))).text, "/oauth/authorize");
  await world.platform.db.run(sql`update applications set require_pushed = true where id = ${lax.id}`);
  const late = await dev.post("/oauth/authorize", { ...fields, decision: "allow" });
  assert.equal(answerOf(late).error, "invalid_request");
});

test("a pushed request is validated again when the person opens it and when they answer (RFC 9126 §4, §7.4; decision 0205)", async () => {
  const { db } = world.platform;
  const changes = {
    scope: sql`update applications set scopes = '{profile}'`,
    flow: sql`update applications set grant_types = '{refresh_token,implicit}'`,
    address: sql`update applications set redirect_uris = '{https://app.example.org/new}'`,
    removed: sql`delete from applications`,
  };
  for (const [what, change] of Object.entries(changes)) {
    for (const isAsked of [false, true]) {
      const own = await anApplication(world);
      const dev = await signedIn(world, "dev");
      const path = await pushedWay(world, own, { scope: "read_user" });
      const fields = isAsked ? hiddenFields((await dev.get(path)).text, "/oauth/authorize") : {};
      await db.run(sql`${change} where id = ${own.id}`);
      const reply = isAsked
        ? await dev.post("/oauth/authorize", { ...fields, decision: "allow" })
        : await dev.get(path);
      if (what === "scope" || what === "flow") {
        const error = what === "scope" ? "invalid_scope" : "unauthorized_client";
        assert.equal(answerOf(reply).error, error, `${what} ${isAsked}`);
        assert.equal((await dev.get(path)).status, 400, "used up by the answer");
      } else {
        assert.equal(reply.status, 400, `${what} ${isAsked}`);
        assert.equal(reply.headers.get("location"), null);
      }
    }
  }
});

test("the application's events say why a request_uri was refused, and which error a pushed request ended with (decision 0080)", async () => {
  const own = await anApplication(world);
  const other = await anApplication(world);
  const dev = await signedIn(world, "dev");
  const newest = async () => {
    const [event] = (await world.call(`/api/v4/applications/${own.id}/events`, { as: "olga" })).json;
    return [event.endpoint, event.answer, event.reason, event.grant_type, event.user?.username];
  };
  // Named only once they have authorized the application (decision 0149).
  let named: string | undefined;
  const refusedFor = async (requestUri: string) => {
    assertGone(await dev.get(pushedPath(own, requestUri)));
    const [endpoint, answer, reason, , username] = await newest();
    assert.deepEqual([endpoint, answer, username], ["authorize", "invalid_request_uri", named]);
    return reason;
  };
  const unknown = await refusedFor(`urn:ietf:params:oauth:request_uri:${"0".repeat(64)}`);
  assert.equal(unknown, "request_uri is unknown: it was never given out, or has expired and is forgotten");
  const foreign = await pushed(world, other);
  assert.equal(await refusedFor(foreign), "request_uri was given to another application");
  assert.match(
    answerOf(await decide(dev, pushedPath(other, foreign))).code ?? "",
    /^goc_/,
    "still valid for its own application",
  );
  const used = await pushed(world, own);
  await decide(dev, pushedPath(own, used));
  named = "dev";
  assert.equal(await refusedFor(used), "request_uri was answered before");
  const late = await pushed(world, own);
  await letExpire();
  assert.match(await refusedFor(late), /^request_uri expired \d+ s before$/);
  const silent = await pushedWay(world, own, { prompt: "none", response_type: "token" });
  answerOf(await aVisitor(world).get(silent));
  const [, answer, , flow] = await newest();
  assert.deepEqual([answer, flow], ["login_required", "token"]);
});

test("a pushed request opened in time can be answered for half an hour, and no longer (decision 0205)", async () => {
  const dev = await signedIn(world, "dev");
  const path = await pushedWay(world, application, { prompt: "consent" });
  const page = await dev.get(path);
  await letExpire();
  const pass = (minutes: number) =>
    world.platform.db.run(
      sql`update pushed_requests set expires_at = expires_at - make_interval(mins => ${minutes}::integer)`,
    );
  await pass(27);
  assert.equal((await dev.get(path)).status, 200, "which does not extend the time");
  await pass(2);
  assertGone(await dev.get(path));
  assertGone(await dev.post("/oauth/authorize", hiddenFields(page.text, "/oauth/authorize")));
});

test("a posted request with request_uri is redirected to the address (OpenID Connect Core §3.1.2.1)", async () => {
  const dev = await signedIn(world, "dev");
  const form = {
    client_id: application.uid,
    request_uri: await pushed(world, application, { prompt: "consent" }),
  };
  const asked = await dev.post("/oauth/authorize", form);
  assert.equal(asked.status, 303);
  assert.match(answerOf(await decide(dev, asked.headers.get("location") ?? "")).code ?? "", /^goc_/);
});

test("a self-registered application can push requests, and is called unverified (decision 0196)", async () => {
  await setRegistration(world, true);
  const json = { redirect_uris: ["http://127.0.0.1/cb"], client_name: "Helper" };
  const { client_id: uid } = (await world.call("/oauth/register", { json })).json;
  const { challenge } = aProof();
  const more = { code_challenge: challenge, code_challenge_method: "S256", client_secret: undefined };
  const stranger = { id: 0, uid, secret: "", redirectUri: "http://127.0.0.1/cb", basic: "" };
  const { json: named } = await push(world, stranger, more);
  const page = await (await signedIn(world, "dev")).get(pushedPath(stranger, named.request_uri));
  assert.equal(page.status, 200);
  assert.match(page.text, /Unverified/);
});
