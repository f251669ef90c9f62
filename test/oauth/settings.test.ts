/** The settings of the instance, each at the endpoint that it affects. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { meanwhile } from "../support/meanwhile.ts";
import {
  aCode,
  anApplication,
  answerOf,
  aProof,
  authorizePath,
  decide,
  exchange,
  hiddenFields,
  signedIn,
  type TestApplication,
  tokenCall,
  type Visitor,
} from "../support/oauth.ts";
import { PASSWORD, startWorld, type World } from "../support/world.ts";

const HOME = "/admin/settings";
let world: World;
let ada: Visitor;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  ada = await signedIn(world, "ada");
  dev = await signedIn(world, "dev");
  application = await anApplication(world);
});

async function set(fields: Record<string, string>) {
  const page = await ada.get(HOME);
  return ada.post(HOME, { ...hiddenFields(page.text, HOME), ...fields });
}

const metadata = async () => (await world.call("/.well-known/oauth-authorization-server")).json;
const byPassword = (of: TestApplication, on: World = world) =>
  tokenCall(on, {
    grant_type: "password",
    username: "dev",
    password: PASSWORD,
    client_id: of.uid,
    client_secret: of.secret,
  });

test("switching off implicit and password flows takes effect at once, is reversible, and shows in the metadata (contract §4, flows; decision 0082)", async () => {
  const implicit = authorizePath(application, { response_type: "token" });
  assert.equal((await dev.get(implicit)).status, 200);
  assert.equal((await byPassword(application)).status, 200);
  assert.equal((await set({ allowImplicit: "off", allowPassword: "off" })).status, 303);
  assert.equal(answerOf(await dev.get(implicit)).error, "unsupported_response_type");
  const refused = await byPassword(application);
  assert.deepEqual([refused.status, refused.json.error], [400, "unsupported_grant_type"]);
  const closed = await metadata();
  assert.deepEqual(closed.response_types_supported, ["code"]);
  assert.equal(closed.grant_types_supported.includes("password"), false);
  assert.equal(closed.grant_types_supported.includes("implicit"), false);
  await set({});
  assert.equal((await dev.get(implicit)).status, 200);
  assert.ok((await metadata()).grant_types_supported.includes("password"));
});

test("tokens in the query can be switched off for all endpoints; headers still work (RFC 9700 §4.3.2; reference oauth D66)", async () => {
  const token = await world.tokenOf("dev", "api");
  await set({ allowQueryTokens: "off" });
  for (const path of [
    `/api/v4/user?access_token=${token}`,
    `/api/v4/user?private_token=${token}`,
    `/oauth/token/info?access_token=${token}`,
    `/oauth/token/info?bearer_token=${token}`,
  ]) {
    const { status, json } = await world.call(path);
    assert.deepEqual([status, json.error], [400, "invalid_request"], path);
  }
  assert.equal((await world.call("/api/v4/user", { token })).status, 200);
  await set({ allowQueryTokens: "on" });
  assert.equal((await world.call(`/api/v4/user?access_token=${token}`)).status, 200);
});

test("PKCE can be required of every application (RFC 9700 §2.1.1)", async () => {
  await set({ requirePkce: "on" });
  assert.equal(answerOf(await dev.get(authorizePath(application))).error, "invalid_request");
  const { challenge } = aProof();
  const proven = { code_challenge: challenge, code_challenge_method: "S256" };
  assert.equal((await dev.get(authorizePath(application, proven))).status, 200);
  await set({});
  assert.equal((await dev.get(authorizePath(application))).status, 200);
});

test("the lifetime of a code can be 60 to 600 seconds; other values are rejected (contract §4, lifetimes)", async () => {
  for (const codeSeconds of ["59", "601", "1e9", "abc", "60.5"]) {
    const wrong = await set({ codeSeconds });
    assert.equal(wrong.status, 422, codeSeconds);
    assert.match(wrong.text, /must be a whole number from 60 to 600/);
  }
  for (const codeSeconds of ["60", "600"])
    assert.equal((await set({ codeSeconds })).status, 303, codeSeconds);
  await set({ codeSeconds: "300" });
  await aCode(dev, application);
  const { run } = world.platform.db;
  const lively = sql`delete from authorization_codes where expires_at > now() + interval '200 seconds'`;
  assert.equal(await run(lively), 1);
  await set({});
});

test("a guard keeps administrators from giving full access to untrusted applications, which learn of it no more than of a denial (reference oauth A2; decision 0082)", async () => {
  await set({ guardAdministrators: "on" });
  const path = authorizePath(application, { scope: "api" });
  const asked = await ada.get(path);
  assert.deepEqual([asked.status, asked.headers.get("location")], [200, null]);
  assert.match(asked.text, /you cannot allow full access/);
  const other = await ada.get(authorizePath(application, { scope: "read_user" }));
  assert.equal(other.status, 200);
  assert.doesNotMatch(other.text, /cannot allow/);
  assert.doesNotMatch(
    (await dev.get(authorizePath(application, { scope: "api", prompt: "consent" }))).text,
    /cannot/,
  );
  assert.match(answerOf(await dev.get(path)).code ?? "", /^goc_/);
  await set({});
  const open = await ada.get(path);
  assert.doesNotMatch(open.text, /cannot allow/);
  const fields = { ...hiddenFields(open.text, "/oauth/authorize"), decision: "allow" };
  await set({ guardAdministrators: "on" });
  const again = await ada.post("/oauth/authorize", fields);
  assert.deepEqual([again.status, again.headers.get("location")], [422, null]);
  assert.match(again.text, /you cannot allow full access/);
  const denied = { ...hiddenFields(again.text, "/oauth/authorize"), decision: "deny" };
  const { error, error_description } = answerOf(await ada.post("/oauth/authorize", denied));
  assert.deepEqual([error, error_description], ["access_denied", "The person denied the request."]);
  await set({});
  assert.ok(answerOf(await decide(ada, path)).code);
  await set({ guardAdministrators: "on" });
  assert.equal((await ada.get(path)).status, 200, "the consent of before does not count");
  await set({});
});

test("with the guard of administrators they can allow the other scopes that an application asks for (reference oauth A2; decision 0194)", async () => {
  await set({ guardAdministrators: "on" });
  const page = await ada.get(authorizePath(application, { scope: "api read_user" }));
  assert.match(page.text, /It is cleared: allow the rest, or deny the request/);
  assert.match(page.text, /name="allow_read_user" value="1" form="question" checked/);
  assert.doesNotMatch(page.text, /name="allow_api" value="1" form="question" checked/);
  const typed = { ...hiddenFields(page.text, "/oauth/authorize"), decision: "allow", chosen: "1" };
  const nothing = await ada.post("/oauth/authorize", typed);
  assert.match(nothing.text, /Nothing is selected/);
  assert.match(nothing.text, /you cannot allow full access/);
  const fields = { ...typed, ...hiddenFields(nothing.text, "/oauth/authorize") };
  const { code } = answerOf(await ada.post("/oauth/authorize", { ...fields, allow_read_user: "1" }));
  assert.equal((await exchange(world, application, code ?? "")).json.scope, "read_user");
  await set({});
});

test("with prompt=none the guard of administrators tells neither an application nor its owner who administers the server (OpenID Connect Core §3.1.2.6; decisions 0082, 0149)", async () => {
  const own = await anApplication(world);
  const path = authorizePath(own, { scope: "api", prompt: "none" });
  const ofOther = authorizePath(own, { scope: "read_user", prompt: "none" });
  const answers = async () => {
    const replies = [await ada.get(path), await dev.get(path)];
    return replies.map(answerOf).map(({ error, error_description: words = "" }) => ({ error, words }));
  };
  await set({ guardAdministrators: "on" });
  const [admin, person] = await answers();
  assert.deepEqual(admin, person);
  assert.equal(admin?.error, "consent_required");
  assert.match(admin.words, /spares its administrators/);
  assert.doesNotMatch(answerOf(await ada.get(ofOther)).error_description ?? "", /administrators/);
  const { json } = await world.call(`/api/v4/applications/${own.id}/events?per_page=10`, {
    as: "ada",
  });
  const told = json.filter(({ reason }: { reason: string }) => reason === admin.words);
  assert.deepEqual([...new Set(told.map(({ answer }: { answer: string }) => answer))], ["consent_required"]);
  // Allowed before, it ends with the guard.
  await set({});
  assert.ok(answerOf(await decide(ada, authorizePath(own, { scope: "api" }))).code);
  assert.ok(answerOf(await ada.get(path)).code);
  await set({ guardAdministrators: "on" });
  assert.equal(answerOf(await ada.get(path)).error, "consent_required");
  await set({});
});

test("the guard of administrators lets them allow a device only without full access (reference oauth A2; decisions 0082, 0194)", async () => {
  const device = await anApplication(world, { redirectUris: [], grantTypes: ["device_code"] });
  const by = { authorization: device.basic };
  await set({ guardAdministrators: "on" });
  for (const [boxes, status, scope] of [
    [{ chosen: "1", allow_api: "1", allow_read_user: "1" }, 403, undefined],
    [{}, 403, undefined],
    [{ chosen: "1", allow_read_user: "1" }, 303, "read_user"],
  ] as [Record<string, string>, number, string | undefined][]) {
    const form = { scope: "api read_user" };
    const { json } = await world.call("/oauth/authorize_device", { form, headers: by });
    const typed = hiddenFields((await ada.get("/oauth/device")).text, "/oauth/device");
    const answer = { ...typed, user_code: json.user_code, decision: "allow" };
    const answered = await ada.post("/oauth/device", { ...answer, ...boxes });
    assert.equal(answered.status, status, JSON.stringify(boxes));
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:device_code" };
    const poll = await tokenCall(world, { ...grant, device_code: json.device_code }, by);
    assert.equal(poll.json.scope, scope, poll.text);
    if (scope !== undefined) continue;
    // The refusal decides nothing: another person may be meant to answer, or the same one with fewer scopes.
    assert.equal(poll.json.error, "authorization_pending");
    const fewer = { ...answer, chosen: "1", allow_read_user: "1" };
    assert.equal((await ada.post("/oauth/device", fewer)).status, 303);
  }
  await set({});
});

test("the guard of administrators also applies to password and client_credentials grants, without revealing who is an administrator (reference oauth A2, D51)", async () => {
  const grantTypes = ["password", "client_credentials"] as const;
  const own = await anApplication(world, { owner: "ada", grantTypes: [...grantTypes] });
  const trusted = await anApplication(world, { owner: "ada", grantTypes: [...grantTypes], trusted: true });
  const olgas = await anApplication(world, { grantTypes });
  const ask = (of: TestApplication, more: Record<string, string>) =>
    tokenCall(world, { client_id: of.uid, client_secret: of.secret, ...more });
  const password = (of: TestApplication, username: string, more: Record<string, string> = {}) =>
    ask(of, { grant_type: "password", username, password: PASSWORD, ...more });
  const itself = (of: TestApplication, more: Record<string, string> = {}) =>
    ask(of, { grant_type: "client_credentials", ...more });
  assert.equal((await password(own, "ada")).status, 200);
  assert.equal((await itself(own)).status, 200);

  await set({ guardAdministrators: "on" });
  const refused = await password(own, "ada");
  assert.deepEqual([refused.status, refused.json.error], [400, "invalid_grant"]);
  const wrong = await password(own, "dev", { password: "not this one at all" });
  assert.equal(refused.text, wrong.text);
  const machine = await itself(own);
  assert.deepEqual([machine.status, machine.json.error], [400, "invalid_scope"]);
  assert.equal((await itself(own, { scope: "api" })).status, 400);
  // Dev has not used the application yet, so the event reveals nothing about Dev (decision 0149).
  const { json } = await world.call(`/api/v4/applications/${own.id}/events?per_page=10`, { as: "ada" });
  const reasons = json.map(({ reason }: { reason: string }) => reason);
  assert.equal(reasons.filter((reason: string) => /spares its administrators/.test(reason)).length, 1);
  assert.equal(reasons.filter((reason: string) => /people who have used/.test(reason)).length, 1);
  assert.ok(reasons.some((reason: string) => /acts for an administrator/.test(reason)));
  for (const passes of [
    password(own, "ada", { scope: "read_user" }),
    password(own, "dev"),
    password(trusted, "ada"),
    itself(olgas),
    itself(own, { scope: "read_user" }),
    itself(trusted),
  ]) {
    const { status, text } = await passes;
    assert.equal(status, 200, text);
  }
  await set({});
  assert.equal((await password(own, "ada")).status, 200);
});

test("concurrent changes of different settings by two administrators are both kept (decision 0246)", async () => {
  await set({});
  const { csrf_token, shown } = hiddenFields((await ada.get(HOME)).text, HOME);
  const fields = { csrf_token: csrf_token ?? "", shown: shown?.replaceAll("&quot;", '"') ?? "" };
  const closed = ["update instance_settings set allow_password = false"] as const;
  const saved = await meanwhile(world, [closed], () => ada.post(HOME, { ...fields, codeSeconds: "90" }));
  assert.equal(saved.status, 303, saved.text);
  assert.match((await ada.get(HOME)).text, /name="codeSeconds"[^>]* value="90"/);
  assert.equal((await byPassword(application)).json.error, "unsupported_grant_type");
  await set({});
});

test("only administrators can open the settings, each change is audited, and changing them needs a recent password check (reference oauth D89)", async () => {
  assert.equal((await dev.get(HOME)).status, 404);
  const csrf = hiddenFields((await dev.get("/profile/applications")).text).csrf_token ?? "";
  assert.equal((await dev.post(HOME, { csrf_token: csrf, allowPassword: "off" })).status, 404);
  assert.equal((await ada.post(HOME, { allowPassword: "off" })).status, 403);
  await set({ requirePkce: "on" });
  const told =
    /class="title">Changed the settings of the instance<.*?data-label="About"[^>]*>(.*?)<\/td>/s.exec(
      (await ada.get("/admin/audit")).text,
    )?.[1];
  assert.match(told ?? "", /This Gatehouse/);
  await set({});
  await world.platform.db.run(
    sql`update sessions set authenticated_at = now() - interval '20 minutes' where user_id = ${world.ids.ada}`,
  );
  assert.equal((await set({ requirePkce: "on" })).headers.get("location"), "/users/prove");
});

test("the hardened profile switches off password and implicit flows and query tokens and requires PKCE; one can be switched on alone (decision 0082)", async () => {
  const hard = await startWorld({ GATEHOUSE_SECURITY_PROFILE: "hardened" });
  const own = await anApplication(hard);
  assert.equal((await byPassword(own, hard)).json.error, "unsupported_grant_type");
  const token = await hard.tokenOf("dev", "api");
  assert.equal((await hard.call(`/api/v4/user?access_token=${token}`)).status, 400);
  const person = await signedIn(hard, "dev");
  assert.equal(answerOf(await person.get(authorizePath(own))).error, "invalid_request");
  assert.equal(
    answerOf(await person.get(authorizePath(own, { response_type: "token" }))).error,
    "unsupported_response_type",
  );
  const administrator = await signedIn(hard, "ada");
  const page = await administrator.get(HOME);
  assert.match(page.text, /Profile: hardened/);
  await administrator.post(HOME, { ...hiddenFields(page.text, HOME), allowPassword: "on" });
  assert.equal((await byPassword(own, hard)).status, 200);
  const form = (await person.get("/profile/applications")).text;
  assert.equal(form.match(/Switched off here/g)?.length, 1);
});
