/** Attacks with refresh tokens: reuse, strangers, wider scopes, lost grounds, and a database that fails midway. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sendNotices } from "../../../src/accounts/send-notices.ts";
import { buildApp } from "../../../src/app.ts";
import { openDb } from "../../../src/platform/db.ts";
import { Sql, sql } from "../../../src/platform/sql.ts";
import { aPair, apiStatus, aScene, counted, type Pair, refused } from "../../support/attacks.ts";
import { PATIENCE_MS } from "../../support/database.ts";
import {
  aCode,
  anApplication,
  aProof,
  exchange,
  hiddenFields,
  refresh,
  signedIn,
  type TestApplication,
  type Visitor,
} from "../../support/oauth.ts";
import { worldWithMail } from "../../support/post-office.ts";
import type { World } from "../../support/world.ts";

let world: World;
let dev: Visitor;
let application: TestApplication;

before(async () => {
  // One of the attacks makes the database fail, which would be told at length.
  ({ world, dev, application } = await aScene({ GATEHOUSE_LOG_LEVEL: "silent" }));
});

const run = (statement: Parameters<World["platform"]["db"]["run"]>[0]) => world.platform.db.run(statement);

async function isDead({ access_token, refresh_token }: Pair, by = application): Promise<void> {
  assert.equal(await apiStatus(world, access_token), 401);
  await refused(refresh(world, by, refresh_token), "dead");
}

test("a token used again after its time ends every token of its authorization, and no other's (reference oauth D22, reliability S40)", async () => {
  const [mine, other] = [await aPair(world, dev, application), await aPair(world, dev, application)];
  const second = (await refresh(world, application, mine.refresh_token)).json;
  const third = (await refresh(world, application, second.refresh_token)).json;
  const lost = await aPair(world, dev, application);
  const unseen = (await refresh(world, application, lost.refresh_token)).json;
  await run(
    sql`update refresh_tokens set spent_at = spent_at - interval '31 seconds' where spent_at is not null`,
  );
  await refused(refresh(world, application, mine.refresh_token), "reused");
  await isDead(second);
  await isDead(third);
  await refused(refresh(world, application, lost.refresh_token), "reused, though its successor was not");
  await isDead(unseen);
  assert.equal(await apiStatus(world, other.access_token), 200, "another authorization of the same person");
});

test("the person hears by mail that a token was used twice, and the audit log keeps it without the token (reference oauth D22, D89)", async () => {
  const office = await worldWithMail();
  const made = await anApplication(office.world);
  const gus = await signedIn(office.world, "gus");
  const first = await aPair(office.world, gus, made);
  const second = (await refresh(office.world, made, first.refresh_token)).json;
  await refresh(office.world, made, second.refresh_token);
  assert.equal((await refresh(office.world, made, first.refresh_token)).json.error, "invalid_grant");
  await sendNotices(office.world.platform);
  const { text } = await office.mailTo("gus@example.org");
  assert.match(text, /used twice, and its access was revoked/);
  assert.match(text, /profile\/applications/);
  assert.doesNotMatch(text, /gor_|goa_|From: *$/m);
  const log = await (await signedIn(office.world, "ada")).get("/admin/audit");
  assert.match(log.text, /class="title">A code or refresh token was used twice; access ended</);
  assert.doesNotMatch(log.text, /gor_|goa_|goc_/);
});

test("parallel refreshes make one successor pair and leave one live access token (reference oauth D23, reliability F35)", async () => {
  const pair = await aPair(world, dev, application);
  const replies = await Promise.all(
    Array.from({ length: 16 }, () => refresh(world, application, pair.refresh_token)),
  );
  assert.equal(new Set(replies.map(({ json }) => `${json.access_token} ${json.refresh_token}`)).size, 1);
  const live = await counted(
    world,
    sql`select count(*) as n from access_tokens t where t.revoked_at is null and t.authorization_id =
      (select max(id) from authorizations)`,
  );
  assert.equal(live, 1);
});

test("a wider scope is refused and spends nothing; a narrower one narrows this token alone (reference oauth D24, reliability S39)", async () => {
  const pair = await aPair(world, dev, application, { scope: "read_user profile" });
  for (const scope of [
    "api",
    "read_user api",
    "openid",
    "read_user  profile",
    "READ_USER",
    "read_user\tprofile",
  ]) {
    const { json } = await refresh(world, application, pair.refresh_token, { scope });
    assert.equal(json.error, "invalid_scope", scope);
  }
  const narrow = (await refresh(world, application, pair.refresh_token, { scope: "profile" })).json;
  assert.equal(narrow.scope, "profile");
  assert.equal(await apiStatus(world, narrow.access_token), 403);
  const whole = (await refresh(world, application, narrow.refresh_token)).json;
  assert.equal(whole.scope, "read_user profile");
});

test("thirty idle days and 180 in all end a refresh token, however often it was renewed (reference oauth D25, reliability S43)", async () => {
  const pair = await aPair(world, dev, application);
  let last: Pair = pair;
  const days = (n: number) =>
    sql`where authorization_id = (select max(id) from authorizations) and spent_at is null and expires_at > now() + make_interval(days => ${n})`;
  for (let rotation = 0; rotation < 3; rotation++) {
    last = (await refresh(world, application, last.refresh_token)).json;
    assert.equal(await counted(world, sql`select count(*) as n from refresh_tokens ${days(29)}`), 1);
    assert.equal(await counted(world, sql`select count(*) as n from refresh_tokens ${days(30)}`), 0);
  }
  await run(
    sql`update authorizations set created_at = created_at - interval '179 days' where id = (select max(id) from authorizations)`,
  );
  last = (await refresh(world, application, last.refresh_token)).json;
  assert.equal(
    await counted(world, sql`select count(*) as n from refresh_tokens ${days(1)}`),
    0,
    "a day is left",
  );
  await run(
    sql`update refresh_tokens set expires_at = now() where authorization_id = (select max(id) from authorizations)`,
  );
  await refused(refresh(world, application, last.refresh_token), "over");
});

test("a public application renews by its own id alone; strangers and the nameless do not (reference oauth D26, reliability S38)", async () => {
  const { verifier, challenge } = aProof();
  const open = await anApplication(world, { confidential: false });
  const other = await anApplication(world, { confidential: false });
  const code = await aCode(dev, open, { code_challenge: challenge, code_challenge_method: "S256" });
  const own = { client_secret: undefined };
  const pair: Pair = (await exchange(world, open, code, { ...own, code_verifier: verifier })).json;
  const nameless = await refresh(world, open, pair.refresh_token, { ...own, client_id: undefined });
  assert.equal(nameless.json.error, "invalid_client");
  await refused(refresh(world, other, pair.refresh_token, own), "another public application");
  await refused(refresh(world, application, pair.refresh_token), "a confidential one");
  const next = await refresh(world, open, pair.refresh_token, own);
  assert.equal(next.status, 200, "strangers did not spend it");
  const confidential = await aPair(world, dev, application);
  await refused(
    refresh(world, open, confidential.refresh_token, own),
    "a public one with a confidential one's token",
  );
  assert.equal((await refresh(world, application, confidential.refresh_token)).status, 200);
});

test("blocked, withdrawn, narrowed or deleted meanwhile: nothing is renewed (reference oauth D27, reliability S43)", async () => {
  const gus = await signedIn(world, "gus");
  const blocked = await aPair(world, gus, application);
  const block = (word: string) =>
    world.call(`/api/v4/users/${world.ids.gus}/${word}`, { as: "ada", method: "POST" });
  await block("block");
  await refused(refresh(world, application, blocked.refresh_token), "blocked");
  await block("unblock");

  const withdrawn = await aPair(world, dev, application);
  const list = await dev.get("/profile/applications");
  const path = `/profile/applications/${application.id}/revoke`;
  assert.equal((await dev.post(path, hiddenFields(list.text, path))).status, 303);
  await isDead(withdrawn);

  const narrowed = await anApplication(world);
  const pair = await aPair(world, dev, narrowed, { scope: "read_user" });
  await run(sql`update applications set scopes = '{openid}' where id = ${narrowed.id}`);
  await refused(refresh(world, narrowed, pair.refresh_token), "scope taken");

  const unticked = await anApplication(world);
  const second = await aPair(world, dev, unticked);
  await run(sql`update applications set grant_types = '{authorization_code}' where id = ${unticked.id}`);
  assert.equal((await refresh(world, unticked, second.refresh_token)).json.error, "unauthorized_client");

  const deleted = await anApplication(world);
  const third = await aPair(world, dev, deleted);
  await run(sql`delete from applications where id = ${deleted.id}`);
  assert.equal((await refresh(world, deleted, third.refresh_token)).json.error, "invalid_client");
  assert.equal(await apiStatus(world, third.access_token), 401);
});

test("the same answer again names no scope that the application has lost since, and is none without a scope (decisions 0012, 0029)", async () => {
  const losing = await anApplication(world);
  const pair = await aPair(world, dev, losing, { scope: "read_user profile" });
  const first = (await refresh(world, losing, pair.refresh_token)).json;
  await run(sql`update applications set scopes = '{profile}' where id = ${losing.id}`);
  const again = (await refresh(world, losing, pair.refresh_token)).json;
  assert.deepEqual(
    [first.scope, again.scope, again.access_token === first.access_token],
    ["read_user profile", "profile", true],
  );
  await run(sql`update applications set scopes = '{openid}' where id = ${losing.id}`);
  await refused(refresh(world, losing, pair.refresh_token), "no scope left");
  const other = await aPair(world, dev, application, { scope: "read_user profile" });
  const narrow = (await refresh(world, application, other.refresh_token, { scope: "profile" })).json;
  await refused(refresh(world, application, other.refresh_token), "another request than the first");
  const same = await refresh(world, application, other.refresh_token, { scope: "profile" });
  assert.equal(same.json.access_token, narrow.access_token, same.text);
});

/** Makes every insertion of a refresh token do something bad. */
async function sabotaged(statement: string, work: () => Promise<void>): Promise<void> {
  const body = `create function sabotage() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$`;
  await world.owner.run(new Sql([body], []));
  await world.owner.run(
    sql`create trigger sabotage before insert on refresh_tokens for each row execute function sabotage()`,
  );
  try {
    await work();
  } finally {
    await world.owner.run(sql`drop trigger sabotage on refresh_tokens`);
    await world.owner.run(sql`drop function sabotage`);
  }
}

test("a database that fails between revocation and issue leaves the old pair as it was (reference oauth D28, reliability S42)", async () => {
  const pair = await aPair(world, dev, application);
  await sabotaged("raise exception 'disk on fire'", async () => {
    const failed = await refresh(world, application, pair.refresh_token);
    assert.ok(failed.status >= 500, failed.text);
    assert.doesNotMatch(failed.text, /disk on fire|sabotage|select|insert/i);
  });
  assert.equal(await apiStatus(world, pair.access_token), 200);
  await sabotaged("perform pg_terminate_backend(pg_backend_pid())", async () => {
    const failed = await refresh(world, application, pair.refresh_token);
    assert.equal(failed.status, 503, failed.text);
    assert.equal(failed.json.error, "temporarily_unavailable");
  });
  assert.equal(await apiStatus(world, pair.access_token), 200);
  assert.equal((await refresh(world, application, pair.refresh_token)).status, 200);
});

test("what was spent stays spent for a process that was started since (reliability S41)", async () => {
  const first = await aPair(world, dev, application);
  const second: Pair = (await refresh(world, application, first.refresh_token)).json;
  await refresh(world, application, second.refresh_token);
  const db = openDb({ connection: world.connection, checkRows: true, patienceMs: PATIENCE_MS });
  const app = await buildApp({ ...world.platform, db });
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: first.refresh_token,
    client_id: application.uid,
    client_secret: application.secret,
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const reused = await app.inject({ url: "/oauth/token", method: "POST", payload: form.toString(), headers });
  assert.deepEqual([reused.statusCode, reused.json().error], [400, "invalid_grant"]);
  await app.close();
  await db.close();
  await isDead(second);
});

test("access and refresh tokens do not stand in for each other, nor for another's (reference oauth D29, reliability S49)", async () => {
  const pair = await aPair(world, dev, application);
  await refused(refresh(world, application, pair.access_token), "access token as refresh token");
  assert.equal(await apiStatus(world, pair.refresh_token), 401);
  await refused(
    refresh(world, application, await world.tokenOf("dev", "api")),
    "personal token as refresh token",
  );
  assert.equal(await apiStatus(world, pair.access_token), 200);
});
