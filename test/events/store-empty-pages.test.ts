/** Pages without events: what arrives while they are read, and what it costs to find them empty. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { EventFilter, SoughtQuery } from "../../src/events/filter.ts";
import { findEvents } from "../../src/events/store-lists.ts";
import type { Db, Queries } from "../../src/platform/db.ts";
import { type Sql, sql } from "../../src/platform/sql.ts";
import { about, push, recordOnly } from "../support/events.ts";
import { rowsHandled } from "../support/plans.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
  const place = { projectId: world.rocket.id, authorId: world.ids.max };
  const at = (n: number) => new Date(Date.now() - 3_600_000 - n * 1000);
  const events = Array.from({ length: 1000 }, (_, n) => ({ ...push, ...place, createdAt: at(n) }));
  await recordOnly(world, events);
});

/** A database in which something happens once, between the first statement and the one that reads the totals. */
function happening(db: Db, meanwhile: () => Promise<unknown>): Db {
  let asked = 0;
  const pooled: Queries = {
    ...db.pooled,
    find: async (shape, statement: Sql) => {
      if (asked++ === 0) await meanwhile();
      return db.pooled.find(shape, statement);
    },
  };
  return { ...db, pooled };
}

const asker = () => ({ id: world.ids.max, isAdmin: false });
const rocket = { kind: "reference" as const, reference: "acme/rocket" };

for (const [words, filter, place] of [
  ["of a whole list", {}, { offset: "all" }],
  ["of a whole list, oldest first,", { sort: "asc" }, { offset: "all" }],
  ["of one action", { action: "reopened" }, { offset: 0 }],
  ["of one action, oldest first,", { action: "closed", sort: "asc" }, { offset: 0 }],
  ["of a search", { search: "tidewater" }, { offset: 0 }],
  ["after a cursor", {}, { offset: 0, isAfterCursor: true }],
] as [string, EventFilter, { offset: number | "all"; isAfterCursor?: true }][]) {
  test(`an event that arrives while an empty page ${words} is read is in the response, whose entity tag is that of the list with the event (decision 0094)`, async () => {
    const whole = await findEvents(world.platform.db, {
      subject: rocket,
      asker: asker(),
      filter,
      limit: 1,
      offset: 0,
    });
    const offset = place.offset === "all" ? (whole?.total ?? 0) : place.offset;
    const last = { createdAt: new Date(Date.now() - 86_400_000), id: 1 };
    const query: SoughtQuery = {
      ...{ subject: rocket, asker: asker(), filter, limit: 20, offset },
      ...(place.isAfterCursor ? { from: last } : {}),
    };
    const action = typeof filter.action === "string" ? filter.action : "approved";
    const createdAt = place.isAfterCursor ? new Date(Date.now() - 2 * 86_400_000) : new Date();
    const event = {
      ...about(action, "Issue", filter.search ? 2 : 1),
      title: filter.search ?? "Another",
      createdAt,
    };
    const meanwhile = () =>
      recordOnly(world, [{ ...event, projectId: world.rocket.id, authorId: world.ids.max }]);
    const answer = await findEvents(happening(world.platform.db, meanwhile), query);
    const after = await findEvents(world.platform.db, query);
    assert.equal(after?.events.length, 1, "the new event is found afterwards");
    const idsOf = (list: typeof answer) => list?.events.map(({ id }) => id);
    assert.deepEqual([idsOf(answer), answer?.version], [idsOf(after), after?.version]);
  });
}

test("a page past the end is not searched for, also for somebody who created something confidential elsewhere (decision 0215)", async () => {
  const place = { projectId: world.open.id, authorId: world.ids.olga };
  const at = (n: number) => new Date(Date.now() - 86_400_000 - n * 60_000);
  for (let n = 0; n < 3000; n += 1000) {
    await recordOnly(
      world,
      Array.from({ length: 1000 }, (_, m) => ({ ...push, ...place, createdAt: at(n + m) })),
    );
  }
  await compactEventCounts(world.platform);
  const confidential = { ...about("created", "Issue", 7), confidential: true };
  await recordOnly(world, [{ ...confidential, projectId: world.rocket.id, authorId: world.ids.stan }]);
  await world.owner.run(sql`analyze`);
  const query: SoughtQuery = {
    ...{
      subject: { kind: "reference" as const, reference: "acme/open" },
      asker: { id: world.ids.stan, isAdmin: false },
    },
    ...{ filter: { action: "merged" }, limit: 20, offset: 2000 },
  };
  const rows = await rowsHandled(world, (db) => findEvents({ ...db, pooled: db } as unknown as Db, query));
  assert.ok(rows < 1000, `${rows} rows`);
});
