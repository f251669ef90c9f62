/** The removal of events in projects with a shorter retention, and its announcement. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { removeOverdue } from "../../src/events/remove-overdue.ts";
import { findOverdueEvents } from "../../src/events/sweep.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { push, recordOnly } from "../support/events.ts";
import { startWorld } from "../support/world.ts";

test("events older than their project's retention are removed, as announced in order of their number, and no newer ones (decision 0119)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  const { rocket, open, free } = world;
  await db.run(sql`delete from events`);
  const happened = (projectId: number, ...hours: number[]) =>
    recordOnly(
      world,
      hours.map((ago) => {
        return {
          ...push,
          projectId,
          authorId: world.ids.olga,
          createdAt: new Date(Date.now() - ago * 3_600_000),
        };
      }),
    );
  await happened(rocket.id, 1, 47, 49, 500);
  await happened(open.id, 1, 23, 25, 26, 400);
  await happened(free.id, 1, 500);
  for (const [project, days] of [
    [rocket, 2],
    [open, 1],
  ] as const) {
    await db.run(sql`update projects set event_retention_days = ${days} where id = ${project.id}`);
  }
  const foretold = async () => (await findOverdueEvents(world.platform)).projects;
  assert.deepEqual(await foretold(), [
    { fullPath: open.fullPath, days: 1, n: 3 },
    { fullPath: rocket.fullPath, days: 2, n: 2 },
  ]);
  assert.equal(await removeOverdue(world.platform), 5);
  assert.deepEqual(await foretold(), []);
  const kept = await db.many(
    row({ id: integer, n: integer }),
    sql`select project_id as id, count(*) as n from events group by 1 order by 1`,
  );
  assert.deepEqual(
    kept,
    [rocket, open, free].map(({ id }) => ({ id, n: 2 })).sort((a, b) => a.id - b.id),
  );
});
