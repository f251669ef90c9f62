/** The totals of lists: equal to a plain count, whatever is written, changed, compacted or aged in between. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { ACTIONS } from "../../src/events/event.ts";
import { type EventQuery, isFiltered, TARGET_FILTERS } from "../../src/events/filter.ts";
import { listEvents } from "../../src/events/store-lists.ts";
import { compactCounts } from "../../src/events/store-totals.ts";
import type { Subject } from "../../src/events/subject.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { countEvents } from "../support/count-events.ts";
import { about, MANY_KINDS, push, recordOnly } from "../support/events.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});

const DAY = 86_400_000;
// Days from now, among them the day on which the two years begin.
const MOMENTS = [0, -1, -20, -365, -729.9];

test("totals equal a plain count in 150 random lists while events are written, become confidential, age and are compacted (decision 0025; spec: Limits 5)", async () => {
  const { db } = world.platform;
  const people: Person[] = ["ada", "olga", "rep", "gus", "stan"];
  const projects = [world.rocket, world.open];
  const step = fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.nat(), moment: fc.nat(), person: fc.nat(), project: fc.nat() }),
      weight: 6,
    },
    { arbitrary: fc.constantFrom("compact", "turn", "edge", "delete", "rebuild"), weight: 2 },
  );
  const some = <T>(list: readonly T[], n: number) => list[n % list.length] as T;
  const list = fc.record({
    kind: fc.constantFrom("project", "author", "memberships"),
    project: fc.nat(),
    author: fc.nat(),
    asker: fc.option(fc.nat(), { nil: undefined }),
    action: fc.option(fc.constantFrom(...ACTIONS.slice(0, 6)), { nil: undefined, freq: 2 }),
    target: fc.option(fc.constantFrom(...TARGET_FILTERS), { nil: undefined, freq: 2 }),
    after: fc.option(fc.constantFrom(-732, -731, -730, -729, -30, -2), { nil: undefined, freq: 2 }),
    before: fc.option(fc.constantFrom(-729, -728, -10, 0, 1), { nil: undefined, freq: 2 }),
  });
  let compared = 0;
  let filtered = 0;
  let turns = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), list, async (steps, asked) => {
      for (const taken of steps) {
        if (taken === "compact") await compactEventCounts(world.platform);
        else if (taken === "rebuild") await world.owner.run(sql`select rebuild_event_rollups()`);
        else if (taken === "delete")
          await db.run(sql`delete from events where id = (select min(id) from events)`);
        else if (taken === "edge") {
          // On both sides of the limit, farther away than the duration of the test, and a day beyond it.
          await db.run(sql`update events set created_at = case id % 3
              when 0 then now() - interval '2 years' + interval '20 minutes'
              when 1 then now() - interval '2 years' - interval '1 second'
              else now() - interval '2 years 1 day' end
            where id in (select id from events order by id desc limit 3)`);
        } else if (taken === "turn") {
          const turned = { ...about("updated", "Issue", 2), confidential: turns++ % 2 === 0 };
          await recordOnly(world, [{ ...turned, projectId: world.open.id, authorId: world.ids.rep }]);
        } else {
          const at = new Date(Date.now() + some(MOMENTS, taken.moment) * DAY);
          const person = world.ids[some(people, taken.person)];
          const given = { projectId: some(projects, taken.project).id, authorId: person, createdAt: at };
          await recordOnly(world, [
            { ...some(MANY_KINDS, taken.kind), ...given, assigneeIds: [world.ids.gus] },
          ]);
        }
      }
      const name = asked.asker === undefined ? undefined : some(people, asked.asker);
      const asker = name && { id: world.ids[name], isAdmin: name === "ada" };
      const project = some(projects, asked.project);
      const roles = { ada: 50, olga: 50, rep: 20, gus: 10, stan: 0 } as Record<string, number>;
      const visibility = project === world.open ? "public" : "private";
      const subject: Subject =
        asked.kind === "project"
          ? { kind: "project", projectId: project.id, visibility, access: roles[name ?? "stan"] as number }
          : asked.kind === "author" || !asker
            ? { kind: "author", authorId: world.ids[some(people, asked.author)] }
            : { kind: "memberships" };
      const dayAt = (offset: number | undefined) =>
        offset === undefined ? undefined : new Date(Date.now() + offset * DAY).toISOString().slice(0, 10);
      const { action, target } = asked;
      const filter = { action, target, after: dayAt(asked.after), before: dayAt(asked.before) };
      const query: EventQuery = { subject, asker, filter, limit: 100_000, offset: 0 };
      const { events } = await listEvents(db, query);
      assert.equal(await countEvents(db, query), events.length);
      if (events.length > 0) compared++;
      if (events.length > 0 && isFiltered(filter)) filtered++;
    }),
    { numRuns: 150 },
  );
  assert.ok(compared > 20);
  assert.ok(filtered > 10, `${filtered} filtered lists`);
});

test("the beginning of the totals follows the two years, and nothing is counted twice (decision 0025)", async () => {
  await awayFromMidnight();
  const { db } = world.platform;
  const subject: Subject = { kind: "author", authorId: world.ids.max };
  const query: EventQuery = {
    subject,
    asker: { id: world.ids.max, isAdmin: false },
    filter: {},
    limit: 1,
    offset: 0,
  };
  const make = { ...push, projectId: world.rocket.id, authorId: world.ids.max };
  await recordOnly(world, [make, { ...make, createdAt: new Date(Date.now() - 100 * DAY) }]);
  await compactEventCounts(world.platform);
  const before = await countEvents(db, query);
  // As if three days had passed since the last run, with an event on each of them.
  await db.run(sql`update event_totals_since set day = event_edge() - 3`);
  for (const days of [1, 2, 3]) {
    await recordOnly(world, [make]);
    await db.run(sql`update events set created_at = now() - interval '2 years' - make_interval(days => ${days}::integer)
      where id = (select max(id) from events)`);
    await compactEventCounts(world.platform);
    assert.equal(await countEvents(db, query), before);
  }
  const { behind } = await db.one(
    row({ behind: integer }),
    sql`select event_edge() - day as behind from event_totals_since`,
  );
  assert.equal(behind, 0);
});

test("compaction runs in batches, and totals stay exact between them (decision 0025)", async () => {
  const { db } = world.platform;
  await world.owner.run(sql`select rebuild_event_rollups()`);
  const made = MANY_KINDS.flatMap((kind) =>
    MOMENTS.map((days) => ({ ...kind, createdAt: new Date(Date.now() + days * DAY) })),
  );
  for (const event of made) {
    await recordOnly(world, [{ ...event, projectId: world.open.id, authorId: world.ids.dev }]);
  }
  const asker = { id: world.ids.ada, isAdmin: true };
  const subjects: Subject[] = [
    { kind: "project", projectId: world.open.id, visibility: "public", access: 50 },
    { kind: "author", authorId: world.ids.dev },
    { kind: "memberships" },
  ];
  const totals = () =>
    Promise.all(
      subjects.map((subject) =>
        countEvents(db, { subject, asker: { ...asker, id: world.ids.dev }, filter: {}, limit: 1, offset: 0 }),
      ),
    );
  const first = await totals();
  let portions = 0;
  for (let taken = 7; taken === 7; portions++) {
    taken = await compactCounts(db.pooled, 7);
    assert.deepEqual(await totals(), first);
  }
  assert.ok(portions > 3, `${portions} batches`);
  await world.owner.run(sql`select rebuild_event_rollups()`);
  assert.deepEqual(await totals(), first);
});
