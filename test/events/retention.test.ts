/**
 * Events are kept for two years to the millisecond, in every time zone, and readers do not notice when months are dropped (spec:
 * Events 4).
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { buildApp } from "../../src/app.ts";
import { sweepEvents } from "../../src/events/sweep.ts";
import { openDb } from "../../src/platform/db.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { whenDone } from "../support/cleanup.ts";
import { PATIENCE_MS } from "../support/database.ts";
import { about, recordOnly } from "../support/events.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

const LIST = "/api/v4/projects/acme%2Fopen/events";
const DAY_MS = 86_400_000;
let world: World;
let edge: number;
before(async () => {
  world = await startWorld();
  const { ago } = await world.platform.db.one(
    row({ ago: integer }),
    sql`select (extract(epoch from now() - interval '2 years') * 1000)::bigint as ago`,
  );
  edge = ago;
});

const at = (milliseconds: number, targetIid: number) => ({
  ...about("created", "Issue", targetIid),
  projectId: world.open.id,
  authorId: world.ids.dev,
  createdAt: new Date(milliseconds),
});
const keptIds = async () =>
  (
    await world.platform.db.many(
      row({ id: integer }),
      sql`select id from events where project_id = ${world.open.id}`,
    )
  ).map(({ id }) => id);

test("no sweep removes an event younger than two years, and no older one is shown (spec: Events 4; decision 0020; reference reliability F44)", async () => {
  // The limit moves while the test runs, so events lie at least one or twenty minutes away from it.
  const distances = fc.oneof(
    fc.integer({ min: 1_200_000, max: 3 * DAY_MS }),
    fc.integer({ min: -20 * DAY_MS, max: -60_000 }),
  );
  let number = 1000;
  await fc.assert(
    fc.asyncProperty(fc.array(distances, { minLength: 1, maxLength: 6 }), async (given) => {
      const ids = await recordOnly(
        world,
        given.map((distance) => at(edge + distance, number++)),
      );
      await sweepEvents(world.platform);
      const young = ids.filter((_, index) => (given[index] ?? 0) > 0);
      const kept = new Set(await keptIds());
      assert.ok(young.every((id) => kept.has(id)));
      const shown = await world.call(`${LIST}?sort=asc&per_page=100&author_username=dev`);
      assert.ok(Number(shown.headers.get("x-total")) <= 100, "one page contains all of them");
      const all: number[] = shown.json.map(({ id }: { id: number }) => id);
      assert.ok(young.every((id) => all.includes(id)));
      assert.ok(ids.filter((id) => !young.includes(id)).every((id) => !all.includes(id)));
      assert.ok(shown.json.every((one: { created_at: string }) => Date.parse(one.created_at) >= edge));
    }),
    { numRuns: 15, seed: 7 },
  );
});

test("requests succeed while partitions are dropped (spec: Events 4; decision 0020)", async () => {
  await world.owner.run(sql`select ensure_event_partitions(40, 3)`);
  let isOver = false;
  const answers: number[] = [];
  const read = async () => {
    while (!isOver) {
      answers.push((await world.call(`${LIST}?per_page=100`)).status);
      answers.push((await world.call(`${LIST}?after=2020-01-01&sort=asc`)).status);
    }
  };
  const readers = [read(), read(), read()];
  const { dropped } = await sweepEvents(world.platform);
  isOver = true;
  await Promise.all(readers);
  assert.ok(dropped.length >= 10, `${dropped.length} months were dropped`);
  assert.ok(answers.length > 0);
  assert.deepEqual([...new Set(answers)], [200]);
});

test("while a transaction reads users and projects, dropping months gives up, and no other request waits behind it (decision 0163)", async () => {
  const { db } = world.platform;
  await world.owner.run(sql`select ensure_event_partitions(28, 3)`);
  let isSwept = false;
  let sweeping: Promise<unknown> = Promise.resolve();
  await db.transaction(async (tx) => {
    await tx.run(sql`lock table users, projects in access share mode`);
    sweeping = assert.rejects(sweepEvents(world.platform), /somebody reads all tables/).finally(() => {
      isSwept = true;
    });
    const waits = sql`select from pg_locks where not granted and mode = 'AccessExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())`;
    await until(async () => isSwept || (await tx.run(waits)) > 0);
    const asked = world.call(LIST, { as: "dev" });
    // Waiting for a lock on a whole table would take ten seconds, and delay all others. By the clock of the database, a pause of the
    // machine makes a short wait a long one: only one that is still there half a second later has not ended with the pause.
    const long = sql`select pid::bigint as pid, waitstart::text as since from pg_locks
      where clock_timestamp() - waitstart > interval '4 seconds'
        and database = (select oid from pg_database where datname = current_database())`;
    let seen = new Set<string>();
    let keptWaiting = 0;
    await until(async () => {
      const waits = (await tx.many(row({ pid: integer, since: text }), long)).map(
        ({ pid, since }) => `${pid} since ${since}`,
      );
      keptWaiting += waits.filter((wait) => seen.has(wait)).length;
      seen = new Set(waits);
      return isSwept || (await tx.run(sql`select pg_sleep(0.5)`)) < 0;
    });
    assert.equal((await asked).status, 200);
    assert.equal(keptWaiting, 0);
  });
  await sweeping;
  assert.ok((await sweepEvents(world.platform)).dropped.length > 0);
});

test("while somebody reads all events for long, as a backup does, the sweep says what holds the months up (decision 0163)", async () => {
  await world.owner.run(sql`select ensure_event_partitions(28, 3)`);
  await world.platform.db.transaction(async (tx) => {
    await tx.run(sql`lock table events in access share mode`);
    // While it waits for longer than the database lets an idle transaction live.
    const awake = setInterval(() => void tx.run(sql`select 1`).catch(() => {}), 5000);
    await assert
      .rejects(sweepEvents(world.platform), /somebody reads all tables/)
      .finally(() => clearInterval(awake));
  });
  assert.ok((await sweepEvents(world.platform)).dropped.length > 0);
});

test("neither the time zone of the process nor that of the database session changes a response (spec: Events 3)", async () => {
  const day = new Date(Date.now() - 5 * DAY_MS).toISOString().slice(0, 10);
  const start = Date.parse(day);
  await recordOnly(
    world,
    [-1, 0, 1, 11, 12, 13, 23, 24, 25].map((hours, n) => at(start + hours * 3_600_000, 500 + n)),
  );
  const next = new Date(start + DAY_MS).toISOString().slice(0, 10);
  const paths = [
    `${LIST}?after=${day}`,
    `${LIST}?before=${day}`,
    `${LIST}?after=${day}&before=${next}`,
    `${LIST}?on=${day}&sort=asc`,
    `${LIST}?on=${day}&tz=Pacific/Auckland`,
    `${LIST}?created_after=${day}T11:00:00`,
    `/api/v4/users/dev/calendar?from=${day}&to=${next}`,
  ];
  const token = await world.tokenOf("dev", "api");
  const bodies = async () =>
    Promise.all(
      paths.map(async (url) => {
        const { status, text, headers } = await world.call(url, { token });
        assert.equal(status, 200, url);
        return [text, headers.get("x-total")];
      }),
    );
  const here = await bodies();
  const zone = process.env.TZ;
  process.env.TZ = "Pacific/Auckland";
  whenDone(async () => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  assert.equal(new Date(start).getHours() === 0, false);
  assert.deepEqual(await bodies(), here);
  // A database may be configured like this; it applies to new connections.
  await world.owner.run(
    sql`do $$ begin execute format('alter database %I set timezone to %L', current_database(), 'Pacific/Auckland'); end $$`,
  );
  const db = openDb({ connection: world.connection, checkRows: true, patienceMs: PATIENCE_MS });
  const app = await buildApp({ ...world.platform, db });
  whenDone(async () => {
    await app.close();
    await db.close();
  });
  for (const [index, url] of paths.entries()) {
    const answer = await app.inject({ url, headers: { authorization: `Bearer ${token}` } });
    const total = answer.headers["x-total"] ?? null;
    assert.deepEqual([answer.body, total], here[index], url);
  }
});
