/** Removal of applications with many tokens. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { FROM_SERVICE } from "../../src/accounts/audit.ts";
import { removeApplication, removeSomeOfGroup } from "../../src/oauth/remove-application.ts";
import { findApplication, updateApplication } from "../../src/oauth/store.ts";
import { integer, jsonb, row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { runJob } from "../support/jobs.ts";
import { anApplication, longUsed, tokenCall } from "../support/oauth.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** Makes a statement fail that deletes more than this many rows of a table. */
async function refusePortionsOver(most: number, table: string): Promise<void> {
  await world.owner.run(
    new Sql(
      [
        `create or replace function checks_${table}() returns trigger language plpgsql as $$ begin
          if (select count(*) from gone) > ${most} then raise exception 'too many at once'; end if;
          return null;
        end $$`,
      ],
      [],
    ),
  );
  const each = `referencing old table as gone for each statement execute function checks_${table}()`;
  await world.owner.run(
    new Sql([`create or replace trigger checks_portions after delete on ${table} ${each}`], []),
  );
}

/** How many tokens, authorizations and codes there are in total. */
const left = () =>
  world.platform.db.one(
    row({ tokens: integer, renewals: integer, authorizations: integer, codes: integer }),
    sql`select (select count(*) from access_tokens where kind = 'oauth') as tokens, (select count(*) from refresh_tokens) as renewals,
      (select count(*) from authorizations) as authorizations, (select count(*) from authorization_codes) as codes`,
  );

test("removing an application deletes all its tokens, in portions of at most 5,000 rows (decision 0168)", async () => {
  for (const table of ["access_tokens", "refresh_tokens", "authorizations"])
    await refusePortionsOver(5000, table);
  const [used, other] = [await anApplication(world), await anApplication(world)];
  await longUsed(world, used.id, 5100);
  await longUsed(world, other.id, 10);
  assert.deepEqual(await left(), { tokens: 5110, renewals: 5110, authorizations: 5110, codes: 5110 });
  const path = `/api/v4/applications/${used.id}`;
  assert.equal((await world.call(path, { as: "ada", method: "DELETE" })).status, 204);
  assert.deepEqual(await left(), { tokens: 10, renewals: 10, authorizations: 10, codes: 10 });
  assert.equal((await world.call(path, { as: "ada" })).status, 404);
});

test("concurrent removals of an application all succeed or get 404, and are audited once (decisions 0045, 0168)", async () => {
  const before = await left();
  const used = await anApplication(world);
  await longUsed(world, used.id, 12_000);
  const path = `/api/v4/applications/${used.id}`;
  const ends = await Promise.all(
    Array.from({ length: 3 }, () => world.call(path, { as: "ada", method: "DELETE" })),
  );
  assert.ok(ends.some(({ status }) => status === 204));
  for (const { status, text } of ends) assert.ok(status === 204 || status === 404, `${status} ${text}`);
  assert.deepEqual(await left(), before);
  const { entries } = await world.platform.db.one(
    row({ entries: integer }),
    sql`select count(*) as entries from audit_entries
      where action = 'application_deleted' and details ->> 'uid' = ${used.uid}`,
  );
  assert.equal(entries, 1);
});

test("the page answers before a large removal is complete, and the rest is removed in the background (decision 0168)", async () => {
  const before = await left();
  const used = await anApplication(world, { name: "Widely used" });
  for (let n = 0; n < 4; n++) await longUsed(world, used.id, 12_000);
  const ada = await signedIn(world, "ada");
  const home = "/admin/applications";
  const answer = await ada.submit(`${home}/${used.id}/delete`, {}, `${home}/${used.id}`);
  assert.equal(answer.location, home);
  assert.match((await ada.follow(answer)).text, /Widely used is being deleted\. Much was granted to it/);
  await until(
    async () => (await world.call(`/api/v4/applications/${used.id}`, { as: "ada" })).status === 404,
  );
  assert.deepEqual(await left(), before);
  const few = await anApplication(world, { name: "Hardly used" });
  const small = await ada.submit(`${home}/${few.id}/delete`, {}, `${home}/${few.id}`);
  assert.match((await ada.follow(small)).text, /Hardly used is deleted\./);
});

test("a removal can stop between two portions, and continues when it is requested again (decision 0168)", async () => {
  const { db } = world.platform;
  const before = await left();
  const { id } = await anApplication(world);
  await longUsed(world, id, 5100);
  const application = await findApplication(db, id);
  assert.ok(application);
  let portions = 0;
  assert.equal(await removeApplication(db, application, FROM_SERVICE, () => portions++ < 1), false);
  assert.deepEqual(await left(), {
    ...before,
    tokens: before.tokens + 100,
    renewals: before.renewals + 5100,
    authorizations: before.authorizations + 5100,
    codes: before.codes + 5100,
  });
  assert.equal(await removeApplication(db, application, FROM_SERVICE), true);
  assert.deepEqual(await left(), before);
});

test("an application in removal gets no tokens; the job continues the removal and audits it for whoever requested it (decision 0168)", async () => {
  const { db } = world.platform;
  const before = await left();
  const gone = await anApplication(world, { grantTypes: ["client_credentials", "refresh_token"] });
  const kept = await anApplication(world, { grantTypes: ["client_credentials"] });
  await longUsed(world, gone.id, 5100);
  const ask = (form: Record<string, string>) => tokenCall(world, form, { authorization: gone.basic });
  assert.equal((await ask({ grant_type: "client_credentials" })).status, 200);
  const application = await findApplication(db, gone.id);
  assert.ok(application);
  const act = { actorId: world.ids.ada, ip: "192.0.2.7" };
  const token = await world.tokenOf("ada", "api");
  const { id: tokenId } = (await world.call("/api/v4/personal_access_tokens/self", { token })).json;
  const byToken = { ...act, by: { tokenId, asAdministrator: true } };
  assert.equal(await removeApplication(db, application, byToken, () => false), false);
  const noted = await db.one(
    row({ removalAct: jsonb<object>() }),
    sql`select removal_act from applications where id = ${gone.id}`,
  );
  assert.deepEqual(noted.removalAct, act);
  await updateApplication(db, gone.id, application);
  for (const form of [
    { grant_type: "client_credentials" },
    { grant_type: "refresh_token", refresh_token: "x" },
  ]) {
    const refused = await ask(form);
    assert.deepEqual([refused.status, refused.json.error], [400, "unauthorized_client"]);
  }
  await runJob(world, "applications in removal");
  assert.equal(await findApplication(db, gone.id), undefined);
  assert.ok(await findApplication(db, kept.id));
  assert.deepEqual(await left(), before);
  const entry = await db.one(
    row({ actorId: integer, ip: text }),
    sql`select actor_id, ip from audit_entries where action = 'application_deleted' and details ->> 'uid' = ${gone.uid}`,
  );
  assert.deepEqual(entry, act);
});

test("removing an account removes its applications and its authorizations of others in portions (decisions 0104, 0168)", async () => {
  const { db } = world.platform;
  const before = await left();
  const json = {
    username: "temp",
    name: "Temp",
    email: "temp@example.org",
    password: "correct horse battery 9",
  };
  const made = await world.call("/api/v4/users", { as: "ada", json });
  assert.equal(made.status, 201, made.text);
  const { id } = made.json;
  const [theirs, other] = [await anApplication(world, { name: "Temp's" }), await anApplication(world)];
  await db.run(sql`update applications set owner_id = ${id} where id = ${theirs.id}`);
  await longUsed(world, theirs.id, 5100);
  await longUsed(world, other.id, 5100);
  for (const table of [sql`access_tokens`, sql`authorizations`])
    await db.run(sql`update ${table} set user_id = ${id} where application_id = ${other.id}`);
  const reply = await world.call(`/api/v4/users/${id}`, { as: "ada", method: "DELETE" });
  assert.equal(reply.status, 204, reply.text);
  assert.deepEqual(await left(), before);
  assert.equal((await world.call(`/api/v4/applications/${theirs.id}`, { as: "ada" })).status, 404);
  assert.equal((await world.call(`/api/v4/applications/${other.id}`, { as: "ada" })).status, 200);
});

test("removing a group removes its applications in portions, resumes after an interruption, and is audited (decisions 0152, 0168)", async () => {
  const { db } = world.platform;
  const before = await left();
  const aGroup = async (path: string, more: object = {}) => {
    const reply = await world.call("/api/v4/groups", { as: "olga", json: { name: path, path, ...more } });
    assert.equal(reply.status, 201, reply.text);
    return reply.json.id as number;
  };
  const top = await aGroup("makers");
  const below = await aGroup("inner", { parent_id: top });
  const used = await anApplication(world, { name: "Long used" });
  const young = await anApplication(world, { name: "Young" });
  for (const [{ id }, group] of [[used, below] as const, [young, top] as const])
    await db.run(sql`update applications set owner_id = null, owner_group_id = ${group} where id = ${id}`);
  await longUsed(world, used.id, 2100);
  await db.run(sql`with people as (
      insert into users (username, name, email) select 'many-' || n, 'Many', 'many-' || n || '@example.org'
      from generate_series(1, 2100) n returning id)
    insert into consents (user_id, application_id, scopes) select id, ${used.id}, '{api}' from people`);
  for (const table of [
    "access_tokens",
    "refresh_tokens",
    "authorizations",
    "authorization_codes",
    "consents",
  ])
    await refusePortionsOver(2000, table);
  await world.call(`/api/v4/groups/${top}`, { as: "olga", method: "DELETE" });
  await db.run(sql`update namespaces set removal_due_at = now() where id = ${top}`);
  await db.run(sql`select begin_removals()`);
  const list = "/groups/makers%2Finner/-/settings/applications";
  assert.equal((await (await signedIn(world, "olga")).get(list)).status, 404);

  // As if the process had stopped after its first portion.
  assert.equal(await removeSomeOfGroup(world.platform, top, 2000), 2000);
  assert.deepEqual(await left(), {
    ...before,
    tokens: before.tokens + 100,
    renewals: before.renewals + 2100,
    authorizations: before.authorizations + 2100,
    codes: before.codes + 2100,
  });
  await runJob(world, "removals");
  assert.deepEqual(await left(), before);
  const told = await db.many(
    row({ action: text, about: text }),
    sql`select action, coalesce(details ->> 'application', details ->> 'group') as about from audit_entries
      where action in ('application_deleted', 'group_removed') and coalesce(details ->> 'application', details ->> 'group') in ('Long used', 'Young', 'makers') order by id`,
  );
  assert.deepEqual(
    told.map(({ action, about }) => `${action} ${about}`),
    ["application_deleted Long used", "application_deleted Young", "group_removed makers"],
  );
});
