/** Lists and usage pages of heavily used applications: how many rows they read, and that their numbers are right. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { listAuthorizedApplications } from "../../src/oauth/store.ts";
import {
  findApplicationInCare,
  findManagedApplication,
  listManagedApplications,
} from "../../src/oauth/store-applications.ts";
import {
  countListedPeople,
  countPeopleOfApplication,
  listFlowsOfApplication,
  listPeopleOfApplication,
} from "../../src/oauth/store-usage.ts";
import type { Queries } from "../../src/platform/db.ts";
import { instant, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { anApplication, type TestApplication } from "../support/oauth.ts";
import { rowsHandled } from "../support/plans.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

/** More rows than are counted. */
const MANY = 12_000;
const PAGE = { limit: 50, offset: 0 };
let world: World;
let busy: TestApplication;

before(async () => {
  world = await startWorld();
  busy = await anApplication(world, { name: "Busy" });
  await world.platform.db.pooled.run(sql`with people as (
      insert into users (username, name, email)
      select 'reader-' || n, 'Reader ' || n, 'reader-' || n || '@example.org' from generate_series(1, ${MANY}::integer) n
      returning id)
    insert into consents (user_id, application_id, scopes, created_at)
    select id, ${busy.id}, '{api}', now() - interval '300 days' + id * interval '1 minute' from people`);
});

/** Adds authorizations with one token each, one a minute going back, half of them Dev's and half the readers'. */
async function use(from: number): Promise<void> {
  const { pooled } = world.platform.db;
  const { dev } = world.ids;
  await pooled.run(sql`with made as (
      insert into authorizations (application_id, user_id, flow, scopes, created_at)
      select ${busy.id}, case when n % 2 = 0 then ${dev}::bigint else u.id end, 'authorization_code', '{api}',
        now() - n * interval '1 minute'
      from generate_series(${from}::integer + 1, ${from}::integer + ${MANY}::integer) n
        join (select id, row_number() over (order by id) as place from users where username ~ '^reader-') u
          on u.place = n - ${from}::integer
      returning id, user_id, created_at)
    insert into access_tokens
      (digest, kind, user_id, scopes, application_id, authorization_id, created_at, expires_at, last_used_at)
    select sha256(convert_to('b' || id, 'UTF8')), 'oauth', user_id, '{api}', ${busy.id}, id, created_at,
      created_at + interval '2 hours', created_at from made`);
  await world.owner.run(sql`analyze authorizations, access_tokens, consents, users`);
}

/** When the busy application's newest token was issued, the second newest and so on. */
async function givenAt(place: number): Promise<Date> {
  const { at } = await world.platform.db.one(
    row({ at: instant }),
    sql`select created_at as at from access_tokens where application_id = ${busy.id}
      order by created_at desc offset ${place - 1} limit 1`,
  );
  return at;
}

test("lists and usage pages read no more rows for an application used twice as much (decision 0172)", async () => {
  const { olga, dev } = world.ids;
  const asks: Readonly<Record<string, (db: Queries) => Promise<unknown>>> = {
    "a person's list": (db) =>
      listManagedApplications(db, { kind: "person", userId: olga }, { search: "", ...PAGE }),
    "everybody's list": (db) => listManagedApplications(db, { kind: "everywhere" }, { search: "", ...PAGE }),
    "one application": (db) => findManagedApplication(db, { kind: "everywhere" }, busy.id),
    "one for its owner": (db) => findApplicationInCare(db, { id: olga, isAdmin: false }, busy.id),
    "what a person authorized": (db) => listAuthorizedApplications(db, dev),
    "its people": (db) => listPeopleOfApplication(db, busy.id, PAGE),
    "how many are listed": (db) => countListedPeople(db, busy.id),
    "how many people": (db) => countPeopleOfApplication(db, busy.id),
    "its flows": (db) => listFlowsOfApplication(db, busy.id),
  };
  const readBy = async () => {
    const rows: [string, number][] = [];
    for (const [name, ask] of Object.entries(asks)) rows.push([name, await rowsHandled(world, ask)]);
    return rows;
  };
  await use(0);
  const first = await readBy();
  await use(MANY);
  const later = new Map(await readBy());
  for (const [name, rows] of first)
    assert.ok((later.get(name) ?? 0) <= 1.1 * rows, `${name}: ${rows} rows, then ${later.get(name)}`);
  for (const name of ["a person's list", "everybody's list", "one application", "one for its owner"])
    assert.ok((later.get(name) ?? 0) < 3000, `${name}: ${later.get(name)}`);
});

describe("a heavily used application", () => {
  test('is listed with its newest token, and with "999+ people" (decision 0172)', async () => {
    const olga = await signedIn(world, "olga");
    const list = await olga.get("/profile/applications");
    assert.match(list.text, /999\+ people/);
    const asked = await olga.get(`/profile/applications/${busy.id}/delete`);
    assert.match(asked.text, /999\+ people have authorized it\./);
    const newest = await findManagedApplication(world.platform.db, { kind: "everywhere" }, busy.id);
    assert.deepEqual(newest?.lastTokenAt, await givenAt(1));
  });

  test("has a usage page that says since when usage is counted, and who is listed (decision 0172)", async () => {
    const path = `/api/v4/applications/${busy.id}/usage`;
    const { people, counted_since: since, flows } = (await world.call(path, { as: "olga" })).json;
    assert.equal(people, MANY + 1, "everybody, and Dev by a token that is still valid");
    const [{ authorizations, tokens, refreshes, live_tokens: live }] = flows;
    assert.deepEqual([authorizations, tokens, refreshes], [9999, 9999, 0]);
    assert.ok(live > 0 && live < 120, `${live}`);
    assert.equal(since, (await givenAt(10_000)).toISOString());
    const olga = await signedIn(world, "olga");
    const { text } = await olga.get(`/profile/applications/${busy.id}/usage`);
    assert.match(text, /came by each flow since <time[^>]*>[^<]*<\/time>, as far back as its newest 10,000/);
    assert.match(text, /12001 people/);
    const [, listed] = /Listed are (\d+): those of its newest 10,000 tokens/.exec(text) ?? [];
    assert.ok(Number(listed) >= 10_000 && Number(listed) <= MANY, listed);
    assert.match(text, /@reader-1<[\s\S]*@dev</);
  });

  test("is listed for a person with that person's own tokens and last use (decision 0172)", async () => {
    const dev = await signedIn(world, "dev");
    const { text } = await dev.get("/profile/applications");
    assert.match(text, /Its \d\d? active tokens stop working/);
    const [application] = await listAuthorizedApplications(world.platform.db, world.ids.dev);
    assert.deepEqual([application?.id, application?.scopes], [busy.id, ["api"]]);
    assert.deepEqual(application?.lastUsedAt, await givenAt(2), "Dev's is the second newest");
    assert.equal((await listAuthorizedApplications(world.platform.db, world.ids.gus)).length, 0);
  });
});

test("all tokens of an authorization but the first count as refreshes, also if the first is too old to be counted (decision 0172)", async () => {
  const { id } = await anApplication(world);
  for (const [approvedDaysAgo, tokensDaysAgo] of [
    [40, [40, 20, 10]],
    [5, [5, 4, 3]],
    [2, [2]],
  ] as const)
    await world.platform.db.run(sql`with made as (
        insert into authorizations (application_id, user_id, flow, scopes, created_at)
        values (${id}, ${world.ids.gus}, 'authorization_code', '{api}', now() - make_interval(days => ${approvedDaysAgo}))
        returning id, user_id)
      insert into access_tokens (digest, kind, user_id, scopes, application_id, authorization_id, created_at, expires_at)
      select sha256(convert_to('f' || made.id || '-' || ago, 'UTF8')), 'oauth', user_id, '{api}', ${id}, made.id,
        now() - make_interval(days => ago), now() - make_interval(days => ago) + interval '2 hours'
      from made, unnest(${tokensDaysAgo}::integer[]) ago`);
  const [use] = await listFlowsOfApplication(world.platform.db, id);
  assert.deepEqual(
    [use?.authorizations, use?.tokens, use?.refreshes, use?.people, use?.countedSince],
    [2, 6, 4, 1, null],
  );
});
