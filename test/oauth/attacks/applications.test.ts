/** Attacks on registered applications: those of others, fields that are not yours, secrets shown twice, remains. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row, text } from "../../../src/platform/row.ts";
import { Sql, sql } from "../../../src/platform/sql.ts";
import { aPair, apiStatus } from "../../support/attacks.ts";
import {
  aCode,
  anApplication,
  authorizePath,
  decide,
  hiddenFields,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import { startWorld, type World } from "../../support/world.ts";

const HOME = "/profile/applications";
let world: World;
let olga: Visitor;
let stan: Visitor;
let application: TestApplication;

before(async () => {
  world = await startWorld();
  olga = await signedIn(world, "olga");
  stan = await signedIn(world, "stan");
  application = await anApplication(world);
});

const csrfOf = async (visitor: Visitor) =>
  hiddenFields((await visitor.get(HOME)).text, HOME).csrf_token ?? "";

test("another person's application, authorization and token are as if absent, in page and API (reference oauth D79)", async () => {
  const csrf_token = await csrfOf(stan);
  const there = `${HOME}/${application.id}`;
  const nowhere = `${HOME}/99999999`;
  const bare = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|value="[\w-]{43}"/g, "");
  for (const ending of ["", "/edit"]) {
    const [one, two] = [await stan.get(there + ending), await stan.get(nowhere + ending)];
    assert.equal(one.status, 404, ending);
    assert.equal(bare(one.text), bare(two.text));
  }
  for (const ending of ["", "/renew_secret", "/delete", "/revoke"]) {
    const reply = await stan.post(there + ending, { csrf_token, name: "mine" });
    assert.equal(reply.status, 404, ending);
  }
  const self = await world.call("/api/v4/personal_access_tokens/self", { as: "olga" });
  for (const [path, method] of [
    [`/api/v4/personal_access_tokens/${self.json.id}`, "GET"],
    [`/api/v4/personal_access_tokens/${self.json.id}`, "DELETE"],
    [`/api/v4/personal_access_tokens/${self.json.id}/rotate`, "POST"],
  ] as const) {
    assert.equal((await world.call(path, { as: "stan", method })).status, 404, `${method} ${path}`);
  }
  const page = await stan.post(`/profile/personal_access_tokens/${self.json.id}/revoke`, { csrf_token });
  assert.equal(page.status, 404);
  assert.equal((await world.call("/api/v4/user", { as: "olga" })).status, 200);
  const { access_token } = await aPair(world, olga, application);
  assert.equal(await apiStatus(world, access_token), 200);
});

test("trusted, owner, id and secret are set by nobody's form, at making and at changing (reference oauth D80)", async () => {
  const sly = {
    trusted: "1",
    owner_id: String(world.ids.ada),
    uid: "f".repeat(64),
    client_id: "f".repeat(64),
    secret: "chosen",
    client_secret: "chosen",
    id: "1",
  };
  const fields = {
    name: "Sly",
    redirect_uri: "https://sly.example/cb",
    scopes: "read_user",
    grant_types: "authorization_code",
    confidential: "1",
  };
  assert.equal((await stan.post(HOME, { csrf_token: await csrfOf(stan), ...fields, ...sly })).status, 303);
  const shown = await stan.get(HOME);
  const uid = /id="application-id"[^>]*>([0-9a-f]{64})</.exec(shown.text)?.[1] ?? "";
  assert.notEqual(uid, "f".repeat(64));
  assert.equal(shown.text.includes("chosen"), false);
  // Still asked for: it is not trusted.
  const dev = await signedIn(world, "dev");
  const path = authorizePath({ uid, redirectUri: "https://sly.example/cb" });
  assert.equal((await dev.get(path)).status, 200);
  const list = await world.call("/api/v4/applications?per_page=100", { as: "ada" });
  const made = list.json.find((one: { application_id: string }) => one.application_id === uid);
  assert.deepEqual([made.trusted, made.owner_id], [false, world.ids.stan]);
});

test("a secret is shown once and is in no page, list or answer afterwards, nor is its digest (CVE-2020-10187; reference oauth D35; reliability S83)", async () => {
  const { secret } = application;
  const dev = await signedIn(world, "dev");
  await decide(dev, authorizePath(application));
  const { digest } = await import("../../../src/platform/secret.ts");
  const hashed = digest(secret);
  const seen: string[] = [];
  for (const [visitor, path] of [
    [olga, HOME],
    [olga, `${HOME}/${application.id}`],
    [olga, `${HOME}/${application.id}/edit`],
    [dev, HOME],
    [dev, authorizePath(application, { prompt: "consent" })],
  ] as const) {
    const page = await visitor.get(path);
    assert.equal(page.status, 200, path);
    seen.push(page.text);
  }
  seen.push((await world.call("/api/v4/applications?per_page=100", { as: "ada" })).text);
  for (const text of seen) {
    for (const form of [
      secret,
      hashed.toString("hex"),
      hashed.toString("base64"),
      hashed.toString("base64url"),
    ]) {
      assert.equal(text.includes(form), false);
    }
  }
});

test("with an application go its codes, tokens, consents, questions and secrets (reference oauth D81)", async () => {
  const going = await anApplication(world, {
    grantTypes: ["authorization_code", "refresh_token", "device_code"],
  });
  const dev = await signedIn(world, "dev");
  const pair = await aPair(world, dev, going);
  await aCode(dev, going);
  const page = await dev.get(authorizePath(going, { prompt: "consent" }));
  await world.call("/oauth/authorize_device", {
    form: { scope: "api" },
    headers: { authorization: going.basic },
  });
  const csrf_token = await csrfOf(olga);
  assert.equal((await olga.post(`${HOME}/${going.id}/delete`, { csrf_token })).status, 303);
  for (const table of [
    "application_secrets",
    "authorizations",
    "consents",
    "authorization_requests",
    "device_authorizations",
    "access_tokens",
  ]) {
    const { n } = await world.platform.db.one(
      row({ n: integer }),
      new Sql([`select count(*) as n from ${table} where application_id = `, ""], [going.id]),
    );
    assert.equal(n, 0, table);
  }
  assert.equal(await apiStatus(world, pair.access_token), 401);
  const late = await dev.post("/oauth/authorize", {
    ...hiddenFields(page.text, "/oauth/authorize"),
    decision: "allow",
  });
  assert.equal(late.status, 400);
  assert.equal(late.headers.get("location"), null);
});

test("a renewed secret ends the old one at the same moment, and a delay is bounded by a day (reference oauth D34)", async () => {
  const made = await anApplication(world, { owner: null });
  const renew = (json: unknown) =>
    world.call(`/api/v4/applications/${made.id}/renew-secret`, { as: "ada", json });
  const proven = async (client_secret: string) => {
    const form = { grant_type: "refresh_token", refresh_token: "x", client_id: made.uid, client_secret };
    return (await world.call("/oauth/token", { form })).json.error === "invalid_grant";
  };
  const next = (await renew({})).json.secret;
  assert.deepEqual([await proven(made.secret), await proven(next)], [false, true]);
  assert.equal((await renew({ grace_seconds: 86_401 })).status, 400);
  const last = (await renew({ grace_seconds: 60 })).json.secret;
  assert.deepEqual([await proven(next), await proven(last)], [true, true]);
  await world.platform.db.run(
    new Sql([`update application_secrets set expires_at = now() where expires_at is not null`], []),
  );
  assert.deepEqual([await proven(next), await proven(last)], [false, true]);
});

test("the audit log keeps registrations, changes, grants, denials, withdrawals, refused passwords and ended tokens, and no secret (reference oauth D89)", async () => {
  const max = await signedIn(world, "max");
  const csrf_token = await csrfOf(max);
  const fields = {
    csrf_token,
    name: "Watched",
    redirect_uri: "https://watched.example/cb",
    scopes: "api",
    grant_types: "authorization_code",
    confidential: "1",
  };
  await max.post(HOME, fields);
  const shown = (await max.get(HOME)).text;
  const [, uid = ""] = /id="application-id"[^>]*>([0-9a-f]{64})</.exec(shown) ?? [];
  const [, secret = ""] = /id="client-secret"[^>]*>(gos_\w+)</.exec(shown) ?? [];
  const { json: all } = await world.call("/api/v4/applications?per_page=100", { as: "ada" });
  const { id } = all.find((one: { application_id: string }) => one.application_id === uid);
  const watched = { id, uid, secret, redirectUri: "https://watched.example/cb", basic: "" };
  await max.post(`${HOME}/${id}`, { ...fields, name: "Watched still" });
  await decide(max, authorizePath(watched, { prompt: "consent" }), "deny");
  const code = await aCode(max, watched);
  await max.post(`${HOME}/${id}/revoke`, { csrf_token });
  await max.post(`${HOME}/${id}/renew_secret`, { csrf_token });
  await max.post(`${HOME}/${id}/delete`, { csrf_token });
  const form = { grant_type: "password", username: "max", password: "a password that is wrong" };
  await world.call("/oauth/token", { form, headers: { authorization: application.basic } });
  const entries = await world.platform.db.many(
    row({ action: text, line: text }),
    sql`select action, e::text as line from audit_entries e where user_id = ${world.ids.max} or actor_id = ${world.ids.max}`,
  );
  const actions = new Set(entries.map(({ action }) => action));
  for (const action of [
    "application_created",
    "application_changed",
    "application_deleted",
    "secret_renewed",
    "access_granted",
    "access_denied",
    "access_withdrawn",
    "password_refused",
    "sign_in",
  ]) {
    assert.ok(actions.has(action), action);
  }
  for (const { line } of entries) {
    for (const kept of [secret, code, "a password that is wrong"]) assert.equal(line.includes(kept), false);
  }
});
