/** Periodic jobs share the pool with each other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { integer, row } from "../../src/platform/row.ts";
import { type Job, startJobs } from "../../src/platform/schedule.ts";
import { sql } from "../../src/platform/sql.ts";
import { startWorld } from "../support/world.ts";

test("more jobs than connections that begin at once are all done, and none waits for a connection in vain", async () => {
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
