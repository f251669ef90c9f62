/** How often lists ask: what is not there is not looked for in two years of events. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { EventFilter, SoughtQuery } from "../../src/events/filter.ts";
import { findEvents } from "../../src/events/store-lists.ts";
import type { Db, Queries } from "../../src/platform/db.ts";
import { about, push, recordOnly } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

/** The database, and how many statements it was asked. */
function counting(db: Db): { db: Db; asked: () => number } {
  let n = 0;
  const counted = (queries: Queries): Queries => ({
    many: (shape, statement) => {
      n++;
      return queries.many(shape, statement);
    },
    find: (shape, statement) => {
      n++;
      return queries.find(shape, statement);
    },
    one: (shape, statement) => {
      n++;
      return queries.one(shape, statement);
    },
    run: (statement) => {
      n++;
      return queries.run(statement);
    },
  });
  return { db: { ...db, ...counted(db), pooled: counted(db.pooled) }, asked: () => n };
}

const DAY = 86_400_000;
const asked = async (subject: SoughtQuery["subject"], filter: EventFilter) => {
  const { db, asked: statements } = counting(world.platform.db);
  const asker = { id: world.ids.rep, isAdmin: false };
  const found = await findEvents(db, { subject, asker, filter, limit: 20, offset: 0 });
  return { found: found?.events.length, statements: statements() };
};

test("a list without events, or of nobody, is found empty by its counts, and an old event is found though it is alone (decision 0093)", async () => {
  const place = { projectId: world.rocket.id, authorId: world.ids.dev };
  await recordOnly(world, [
    { ...push, ...place },
    { ...about("created", "Milestone", 1), ...place, createdAt: new Date(Date.now() - 700 * DAY) },
  ]);
  const rocket = { reference: "acme/rocket" };
  for (const [subject, filter, found] of [
    [rocket, { target: "merge_request" }, 0],
    [rocket, { action: ["merged", "approved"] }, 0],
    [{ person: "stan" }, {}, 0],
    [{ person: "nobody-at-all" }, {}, undefined],
    [{ reference: "acme/nothing" }, {}, undefined],
  ] as [SoughtQuery["subject"], EventFilter, number | undefined][]) {
    const answer = await asked(subject, filter);
    assert.equal(answer.found, found);
    assert.ok(
      answer.statements <= 3,
      `${JSON.stringify([subject, filter])}: ${answer.statements} statements`,
    );
  }
  assert.equal((await asked(rocket, { target: "milestone" })).found, 1);
  assert.equal((await asked({ person: "dev" }, { target: "milestone" })).found, 1);
});
