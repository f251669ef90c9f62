/** How many rows a batch of a removal reads, in an installation with many others. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { startWorld, type World } from "../support/world.ts";

const PORTION = 200;
/** The monthly partitions. */
const EVENTS = "^events_([0-9]|later)";
let world: World;
before(async () => {
  world = await startWorld();
  const { pooled } = world.platform.db;
  for (const [project, many] of [
    [world.rocket.id, 20_000],
    [world.open.id, 60_000],
  ] as const) {
    await pooled.run(sql`insert into event_targets (project_id, source_id, kind, key)
      select ${project}, 0, 'issue', n::text from generate_series(1, ${many / 10}::integer) n`);
    await pooled.run(sql`insert into events (created_at, project_id, author_id, action, cap)
      select now() - n * interval '10 minutes', ${project}, ${world.ids.dev}, 'joined', 'project'
      from generate_series(1, ${many}::integer) n`);
  }
  await world.owner.run(sql`analyze events, event_targets`);
});

/** Rows of the matching tables that one batch reads, and how many it removes; the batch is rolled back. */
async function readBy(portion: Sql, tables: string): Promise<{ removed: number; seen: number }> {
  const read = { removed: 0, seen: 0 };
  const undo = new Error("undone");
  await world.platform.db
    .transaction(async (tx) => {
      const seen = () =>
        tx.one(
          row({ n: integer }),
          sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as n from pg_stat_xact_user_tables
            where relname ~ ${tables}`,
        );
      const { n: first } = await seen();
      read.removed = (await tx.one(row({ removed: integer }), sql`select ${portion} as removed`)).removed;
      read.seen = (await seen()).n - first;
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return read;
}

test("a batch of a project's removal reads little more than it removes, not all events (decisions 0152, 0169)", async () => {
  const { pooled } = world.platform.db;
  const some = sql`remove_some_of_project(${world.rocket.id}::bigint, ${PORTION}::integer)`;
  const events = await readBy(some, EVENTS);
  assert.equal(events.removed, PORTION);
  assert.ok(events.seen <= 4 * PORTION, `${events.seen} rows of events`);
  await pooled.run(sql`delete from events where project_id = ${world.rocket.id}`);
  const targets = await readBy(some, "^event_targets$");
  assert.equal(targets.removed, PORTION);
  assert.ok(targets.seen <= 4 * PORTION, `${targets.seen} rows of event_targets`);
});

test("images are removed a few at a time, before their alerts and incidents (decisions 0152, 0201, 0204)", async () => {
  const { pooled } = world.platform.db;
  const place = `/api/v4/projects/${world.free.id}`;
  const { id } = (await world.call(`${place}/issues`, { as: "olga", json: { title: "Slow" } })).json;
  await pooled.run(sql`insert into alert_metric_images (incident_id, author_id, filename, media_type, bytes)
    select ${id}, ${world.ids.olga}, 'chart.png', 'image/png', 'x' from generate_series(1, 5)`);
  const few = async () => {
    const portion = sql`select remove_some_of_project(${world.free.id}::bigint, 100) as removed`;
    return (await pooled.one(row({ removed: integer }), portion)).removed;
  };
  const left = async () =>
    (await pooled.one(row({ n: integer }), sql`select count(*) as n from alert_metric_images`)).n;
  for (const [removed, kept] of [
    [2, 3],
    [2, 1],
    [1, 0],
  ]) {
    assert.deepEqual([await few(), await left()], [removed, kept]);
  }
  assert.ok((await few()) > 0, "the rest follows");
});

test("a batch of expired events reads little more than it removes either (decision 0169)", async () => {
  const { pooled } = world.platform.db;
  await pooled.run(sql`update projects set event_retention_days = 30 where id = ${world.open.id}`);
  const overdue = sql`remove_overdue_events(${world.open.id}::bigint, ${PORTION}::integer)`;
  const { removed, seen } = await readBy(overdue, EVENTS);
  assert.equal(removed, PORTION);
  assert.ok(seen <= 4 * PORTION, `${seen} rows`);
});
