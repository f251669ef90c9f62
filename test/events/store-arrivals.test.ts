/** Events in order of arrival, however many arrived together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Arrival } from "../../src/events/position.ts";
import { listArrived } from "../../src/events/store-arrivals.ts";
import type { Subject } from "../../src/events/subject.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, push, recordOnly } from "../support/events.ts";
import { startWorld } from "../support/world.ts";

test("events that arrived in one transaction are read in order of their ids, in pages of any size, and only with the required role (contract-events §4, gap-free tail; reference events A9)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  const all: number[] = [];
  for (const many of [23, 1, 17]) {
    all.push(
      ...(await recordOnly(
        world,
        Array.from({ length: many }, (_, n) => ({
          ...(n % 5 === 3 ? push : about("created", "Issue", n + 1)),
          projectId: [world.rocket.id, world.open.id][n % 2] as number,
          authorId: world.ids.dev,
        })),
      )),
    );
  }
  // An update moves the first rows behind the others.
  await db.run(sql`update events set external_id = 'moved' where id = any (${all.slice(0, 9)}::bigint[])`);
  const subjects: Subject[] = [{ kind: "memberships" }, { kind: "author", authorId: world.ids.dev }];
  for (const subject of subjects) {
    for (const limit of [4, 7, 100]) {
      const told: number[] = [];
      await db.transaction(async (tx) => {
        await tx.run(
          sql`select set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
        );
        const asker = { id: world.ids.rep, isAdmin: false };
        for (let after: Arrival = { epoch: "", transaction: "0", id: 0 }; ; ) {
          const events = await listArrived(tx, { subject, asker, filter: {}, limit, offset: 0 }, after);
          told.push(...events.map(({ id }) => id));
          const last = events.at(-1);
          if (!last || told.length > all.length) break;
          after = { epoch: "", transaction: last.arrivedIn, id: last.id };
        }
      });
      assert.deepEqual(told, all, `${JSON.stringify(subject)} by ${limit}`);
    }
  }
  const guest = { id: world.ids.gus, isAdmin: false };
  const query = { subject: subjects[1] as Subject, asker: guest, filter: {}, limit: 100, offset: 0 };
  const seen = await listArrived(db, query, { epoch: "", transaction: "0", id: 0 });
  assert.ok(
    seen.length > 0 &&
      seen.every(({ action, projectId }) => action !== "pushed" || projectId === world.open.id),
  );
});
