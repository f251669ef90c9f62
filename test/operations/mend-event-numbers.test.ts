/** Databases whose transaction numbers are another server's, as pg_dump and logical replication bring them. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import pg from "pg";
import { feedHooks } from "../../src/events/feed-hooks.ts";
import { hookLetter } from "../../src/events/wire-hooks.ts";
import { examineDatabase } from "../../src/operations/examine-database.ts";
import { readConfig } from "../../src/platform/config.ts";
import { jsonb, row, text } from "../../src/platform/row.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { addressOf } from "../support/database.ts";
import { about, allArrived, record } from "../support/events.ts";
import { newInstallation } from "../support/installation.ts";
import { startWorld, type World } from "../support/world.ts";

const HOOKS = "/api/v4/projects/acme%2Frocket/hooks";
const LIST = "/api/v4/projects/acme%2Frocket/events";
const DeliveryRow = row({ content: jsonb<{ body: { data: { id: number } } }>() });
/** What a restore by pg_restore writes: the numbers of a server that has counted further. */
const OF_EVENTS = sql`update events set arrived_in = (arrived_in::text::bigint + 5000000)::text::xid8`;
const OF_HOOKS = sql`update event_hooks set read_in = (read_in::text::bigint + 5000000)::text::xid8`;
const OF_EPOCH = sql`update event_epoch set settled = (settled::text::bigint + 5000000)::text::xid8`;

let world: World;
let restored: number[];

beforeEach(async () => {
  world = await startWorld();
  assert.equal(
    (await world.call(HOOKS, { as: "max", json: { url: "https://ci.example.org/" } })).status,
    201,
  );
  restored = [await anIssue(1), await anIssue(2)];
  await feedHooks(world.platform, hookLetter);
  assert.deepEqual(await delivered(), restored);
});

async function anIssue(iid: number): Promise<number> {
  const made = { projectId: world.rocket.id, authorId: world.ids.dev };
  const [id = 0] = await record(world, [{ ...about("created", "Issue", iid), ...made }]);
  return id;
}

async function delivered(): Promise<number[]> {
  const rows = await world.platform.db.many(
    DeliveryRow,
    sql`select content from outbox_deliveries order by id`,
  );
  return rows.map(({ content }) => content.body.data.id);
}

async function since(position: string): Promise<{ status: number; ids: number[]; next: string }> {
  const { status, json, headers } = await world.call(`${LIST}?since=${position}&per_page=100`, { as: "dev" });
  const ids = status === 200 ? json.map(({ id }: { id: number }) => id) : [];
  return { status, ids, next: headers.get("x-next-since") ?? "" };
}

async function epoch(): Promise<string> {
  return (await world.platform.db.one(row({ epoch: text }), sql`select epoch from event_epoch`)).epoch;
}

async function bring(...numbers: readonly Sql[]): Promise<void> {
  for (const statement of numbers) await world.owner.run(statement);
}

async function start(): Promise<void> {
  const { environment } = await newInstallation({
    DATABASE_URL: addressOf(world.connection),
    GATEHOUSE_LOG_LEVEL: "silent",
  });
  // With a master key of its own: nothing that is encrypted is read.
  await (await startPlatform(readConfig(environment), { anyKey: true })).stop();
}

async function examined(): Promise<string | undefined> {
  const findings = await examineDatabase(world.platform);
  return findings.find(({ name }) => name === "event numbers")?.state;
}

test("after a start on a database that pg_dump moved, hooks and cursors have new events at once, and restored ones once (decision 0317)", async () => {
  const { next } = await since("start");
  const before = await since("start");
  await bring(OF_EVENTS, OF_HOOKS, OF_EPOCH);
  // One that arrived while nobody had noticed.
  restored.push(await anIssue(3));
  // Two processes that start at the same time.
  await Promise.all([start(), start()]);
  await allArrived(world.platform.db);
  assert.equal((await since(next)).status, 400, "positions of the other server are refused");
  const all = await since("start");
  assert.deepEqual(all.ids, [...before.ids, restored.at(-1)]);
  const fresh = await anIssue(4);
  assert.deepEqual((await since(all.next)).ids, [fresh]);
  await feedHooks(world.platform, hookLetter);
  assert.deepEqual(await delivered(), [...restored.slice(0, 2), fresh]);
});

test("any of the numbers that lies ahead is noticed by the doctor and mended by a start (decision 0317)", async () => {
  await since("start");
  for (const numbers of [[OF_EVENTS], [OF_HOOKS], [OF_EPOCH]]) {
    assert.equal(await examined(), "ok");
    await bring(...numbers);
    assert.equal(await examined(), "bad");
    await start();
    assert.equal(await examined(), "ok");
  }
});

test("a start on its own database keeps the cursors of readers (decisions 0108, 0317)", async () => {
  const [{ next }, before] = [await since("start"), await epoch()];
  await start();
  assert.equal(await epoch(), before);
  const { status, ids } = await since(next);
  assert.deepEqual({ status, ids }, { status: 200, ids: [] });
});

test("renumbering leaves columns, defaults and indexes of events as migrations make them (decision 0317)", async () => {
  const shape = () =>
    world.owner.many(
      row({ line: text }),
      sql`select indexdef as line from pg_indexes where schemaname = current_schema() and tablename ~ '^events'
        union all
        select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attislocal,
          pg_get_expr(d.adbin, d.adrelid))
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where c.relnamespace = current_schema()::regnamespace and c.relname ~ '^events' and c.relkind in ('r', 'p')
        order by 1`,
    );
  const before = await shape();
  await world.owner.run(sql`select renumber_events()`);
  assert.deepEqual(await shape(), before);
  // Rows move from the last partition to that of their month by the order of the columns.
  await world.owner.run(sql`select ensure_event_partitions(25, 5)`);
  assert.equal((await since("start")).ids.length > 0, true);
});

test("while others read the events, a start serves all the same and the next one renumbers (decision 0317)", async () => {
  await bring(OF_EVENTS);
  const backup = new pg.Client(world.connection);
  await backup.connect();
  try {
    await backup.query("begin");
    await backup.query("lock table events in access share mode");
    await start();
    assert.equal(await examined(), "bad");
  } finally {
    await backup.end();
  }
  await start();
  assert.equal(await examined(), "ok");
});
