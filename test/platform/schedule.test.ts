/** Periodic jobs, which share the connection pool. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openDb } from "../../src/platform/db.ts";
import { instant, integer, row } from "../../src/platform/row.ts";
import { type Job, runAlone, startJobs } from "../../src/platform/schedule.ts";
import { sql } from "../../src/platform/sql.ts";
import { jobs } from "../../src/sweeps.ts";
import { whenDone } from "../support/cleanup.ts";
import { emptyDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { startWorld } from "../support/world.ts";

test("more jobs than connections can start at once, and none fails to get a connection (its docstring in src/platform/schedule.ts)", async () => {
  const { platform } = await startWorld();
  const failed: unknown[] = [];
  const log = Object.assign(Object.create(platform.log), { error: (entry: unknown) => failed.push(entry) });
  let done = () => {};
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  let left = 12;
  const jobs = Array.from(
    { length: left },
    (_, index): Job => ({
      name: `one of many ${index}`,
      everySeconds: index % 2 === 0 ? 30 : 3600,
      run: ({ db }) =>
        db
          .transaction((tx) => tx.one(row({ n: integer }), sql`select 1::bigint as n`))
          .finally(() => {
            left -= 1;
            if (left === 0) done();
          }),
    }),
  );
  const stop = startJobs({ ...platform, log }, jobs);
  await all;
  stop();
  assert.deepEqual(failed, []);
});

test("jobs that would report an outage of the service if they ran late are not scheduled with the long ones (decision 0116)", () => {
  for (const name of ["heartbeats", "unheard alerts", "alert timeouts"])
    assert.ok((jobs.find((job) => job.name === name)?.everySeconds ?? 3600) < 60, name);
});

test("a long job keeps the connection of its lock active, which the database would close after 20 seconds of silence (decision 0162)", async () => {
  const { platform } = await startWorld();
  const failed: unknown[] = [];
  const log = Object.assign(Object.create(platform.log), { error: (entry: unknown) => failed.push(entry) });
  /** The time of the last statement on the connection that holds the lock. */
  const askedAt = () =>
    platform.db.one(
      row({ at: instant }),
      sql`select a.query_start::timestamptz(3) as at from pg_locks l join pg_stat_activity a using (pid)
        where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())`,
    );
  await new Promise<void>((done, fail) => {
    const run = async () => {
      try {
        const { at: first } = await askedAt();
        await until(async () => (await askedAt()).at > first);
        done();
      } catch (error) {
        fail(error);
      }
    };
    const stop = startJobs({ ...platform, log }, [{ name: "long", everySeconds: 3600, run }], 20);
    whenDone(async () => stop());
  });
  assert.deepEqual(failed, []);
});

test("a job keeps its lock for longer than the transaction timeout of the service's role (decision 0162)", async () => {
  // Within it the connection has to start.
  const db = openDb({ connection: { ...(await emptyDatabase()), options: "-c transaction_timeout=1000" } });
  try {
    assert.deepEqual(await runAlone(db, "long", () => sleep(1500, "done")), { result: "done" });
  } finally {
    await db.close();
  }
});
