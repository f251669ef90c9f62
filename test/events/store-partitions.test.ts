/** The monthly partitions of events: created ahead, filled from the partition for later events, dropped when they are over. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { deleteOldKeys, makePartitions } from "../../src/events/store-partitions.ts";
import { sweepEvents } from "../../src/events/sweep.ts";
import type { Db } from "../../src/platform/db.ts";
import { integer, list, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { push, record } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let db: Db;
before(async () => {
  world = await startWorld();
  db = world.platform.db;
});

const placeOf = async (id: number | undefined) =>
  (
    await db.one(
      row({ place: text }),
      sql`select tableoid::regclass::text as place from events where id = ${id}`,
    )
  ).place;

test("an event after the last month is stored and listed, and moves when the partition of its month is created (decision 0020)", async () => {
  // As if no partitions had been created for months.
  await world.owner.run(sql`do $$
    declare month record;
    begin
      alter table events detach partition events_later;
      for month in select relname from pg_class where relkind = 'r' and relname ~ '^events_\\d{4}_\\d\\d$'
        and to_date(substr(relname, 8), 'YYYY_MM') > (now() at time zone 'UTC')::date loop
        execute format('drop table %I', month.relname);
      end loop;
      execute format('alter table events attach partition events_later for values from (%L) to (maxvalue)',
        (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC');
    end $$`);
  const [id] = await record(world, [{ ...push, projectId: world.open.id, authorId: world.ids.dev }]);
  const next = sql`(date_trunc('month', now() at time zone 'UTC') + interval '1 month 4 days') at time zone 'UTC'`;
  await db.run(sql`update events set created_at = ${next} where id = ${id}`);
  assert.equal(await placeOf(id), "events_later");
  assert.equal(await makePartitions(world.owner, 0, 3), 3);
  assert.match(await placeOf(id), /^events_\d{4}_\d\d$/);
  assert.equal(await makePartitions(world.owner, 0, 3), 0);
  const listed = await world.call("/api/v4/projects/acme%2Fopen/events");
  assert.equal(listed.json[0].id, id);
});

test("the partitions cover all time from two years back on, as ranges that can be read in order (decision 0020)", async () => {
  const { months } = await db.one(
    row({ months: integer }),
    sql`select count(*) as months from pg_inherits where inhparent = 'events'::regclass`,
  );
  assert.ok(months >= 28);
  const { bounds } = await db.one(
    row({ bounds: list(text) }),
    sql`select array_agg(pg_get_expr(c.relpartbound, c.oid)) as bounds from pg_inherits i
      join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass`,
  );
  assert.ok(!bounds.includes("DEFAULT"), "a default partition would force a merge of all partitions");
});

test("expired keys are deleted in batches, however many there are (decision 0020)", async () => {
  await db.run(sql`insert into event_keys (project_id, external_id, body_hash, event_ids, event_created_at)
    select ${world.open.id}::bigint, 'old ' || n, ''::bytea, '{}'::bigint[], now() - interval '2 years 2 days' from generate_series(1, 10005) n
    union all select ${world.open.id}::bigint, 'new', '', '{}', now() - interval '2 years'`);
  assert.equal(await deleteOldKeys(db.pooled, 7), 7);
  await sweepEvents(world.platform);
  const kept = await db.many(row({ name: text }), sql`select external_id as name from event_keys`);
  assert.deepEqual(kept, [{ name: "new" }]);
});

test("deliveries and refusals are kept for thirty days and commits as long as their event, to the minute or day (decision 0020)", async () => {
  const json = { name: "GitLab", type: "gitlab" };
  const made = await world.call(`/api/v4/projects/${world.open.id}/event_sources`, { as: "max", json });
  assert.equal(made.status, 201, made.text);
  const source = made.json.id;
  for (const [name, age] of [
    ["younger", "29 days 23 hours"],
    ["older", "30 days 1 minute"],
  ]) {
    await db.run(sql`insert into event_deliveries (source_id, delivery_id, kind, status, received_at)
      values (${source}, ${name}, 'push', 'ignored', now() - ${age}::interval)`);
    await db.run(sql`insert into event_refusals (source_id, status, reason, kind, headers, raw, body_bytes, received_at)
      values (${source}, 401, ${name}, 'push', '{}', '', 0, now() - ${age}::interval)`);
  }
  for (const [name, age] of [
    ["younger", "2 years"],
    ["older", "2 years 2 days"],
  ]) {
    await db.run(sql`insert into event_commits (created_at, event_id, commits)
      values (now() - ${age}::interval, 1, ${JSON.stringify(name)}::jsonb)`);
  }
  await sweepEvents(world.platform);
  const kept = await db.many(
    row({ name: text }),
    sql`select delivery_id as name from event_deliveries where source_id = ${source}
      union all select reason from event_refusals where source_id = ${source}
      union all select commits #>> '{}' from event_commits where event_id = 1`,
  );
  assert.deepEqual(
    kept.map(({ name }) => name),
    ["younger", "younger", "younger"],
  );
});
