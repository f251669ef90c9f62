/**
 * Projects with a shorter retention: every way of reading respects it at once, and a sweep removes exactly the rest (decision
 * 0119).
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { type EventFilter, type EventQuery, isFiltered } from "../../src/events/filter.ts";
import { removeOverdue } from "../../src/events/remove-overdue.ts";
import { listEvents } from "../../src/events/store-lists.ts";
import type { Subject } from "../../src/events/subject.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { countEvents } from "../support/count-events.ts";
import { about, comment, type Kind, push, recordOnly } from "../support/events.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

const DAY = 86_400_000;
let world: World;
before(async () => {
  world = await startWorld();
});

const now = async () =>
  (
    await world.platform.db.one(
      row({ at: integer }),
      sql`select (extract(epoch from now()) * 1000)::bigint as at`,
    )
  ).at;
const keep = (projectId: number, days: number | null) =>
  world.platform.db.run(
    sql`update projects set event_retention_days = ${days}::integer where id = ${projectId}`,
  );
const KINDS: Kind[] = [
  push,
  about("created", "Issue", 1),
  { ...about("created", "Issue", 2), confidential: true },
  comment("Issue", 1, { internal: true }),
  about("merged", "MergeRequest", 1),
];
const PEOPLE: Person[] = ["ada", "olga", "rep", "gus", "stan"];
const ROLES = { ada: 50, olga: 50, rep: 20, gus: 10, stan: 0 } as Record<string, number>;

test("every list and total equals a plain filter while retentions are changed, events are removed and counts are compacted (decision 0119)", async () => {
  const { db } = world.platform;
  const projects = [world.rocket, world.open];
  const some = <T>(list: readonly T[], n: number) => list[n % list.length] as T;
  // Retention in days; events are placed around these limits, farther away than the duration of the test.
  const days = [null, 1, 2, 30, 365, 731];
  const offsets = [1_200_000, -60_000, 3_600_000, -3_600_000, -5 * DAY, 5 * DAY];
  const write = fc.record({
    kind: fc.nat(),
    day: fc.nat(),
    offset: fc.nat(),
    person: fc.nat(),
    project: fc.nat(),
  });
  const turn = fc.record({ days: fc.nat(), place: fc.nat() });
  const step = fc.oneof(
    { arbitrary: write, weight: 6 },
    { arbitrary: turn, weight: 3 },
    { arbitrary: fc.constantFrom("compact", "sweep", "rebuild"), weight: 2 },
  );
  const list = fc.record({
    kind: fc.constantFrom("project", "author", "memberships", "group"),
    project: fc.nat(),
    author: fc.nat(),
    asker: fc.option(fc.nat(), { nil: undefined }),
    action: fc.option(fc.constantFrom("created" as const, "pushed" as const), { nil: undefined, freq: 2 }),
    after: fc.option(fc.constantFrom(-732, -366, -31, -3, -2), { nil: undefined, freq: 2 }),
    before: fc.option(fc.constantFrom(-365, -30, -1, 0, 1), { nil: undefined, freq: 2 }),
    from: fc.option(fc.constantFrom(-365.5, -30.2, -1.5), { nil: undefined, freq: 2 }),
    sort: fc.constantFrom("asc" as const, "desc" as const),
  });
  const { group } = await db.one(
    row({ group: integer }),
    sql`select namespace_id as group from projects where id = ${world.open.id}`,
  );
  let compared = 0;
  let filtered = 0;
  let cut = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), list, async (steps, asked) => {
      for (const taken of steps) {
        if (taken === "compact") await compactEventCounts(world.platform);
        else if (taken === "rebuild") await world.owner.run(sql`select rebuild_event_rollups()`);
        else if (taken === "sweep") {
          // All that their project keeps must remain, and nothing older.
          const young = sql`select count(*) as n from events e join projects p on p.id = e.project_id
            where p.event_retention_days is null or e.created_at >= now() - p.event_retention_days * interval '24 hours'`;
          const before = (await db.one(row({ n: integer }), young)).n;
          await removeOverdue(world.platform);
          assert.equal((await db.one(row({ n: integer }), young)).n, before);
          const { n } = await db.one(row({ n: integer }), sql`select count(*) as n from events`);
          assert.equal(n, before);
        } else if ("days" in taken) await keep(some(projects, taken.place).id, some(days, taken.days));
        else {
          const kept = some(days, taken.day) ?? 10;
          const at = new Date((await now()) - kept * DAY + some(offsets, taken.offset));
          const given = { projectId: some(projects, taken.project).id, createdAt: at };
          const authorId = world.ids[some(PEOPLE, taken.person)];
          if (at.getTime() < (await now())) {
            await recordOnly(world, [
              { ...some(KINDS, taken.kind), ...given, authorId, assigneeIds: [world.ids.gus] },
            ]);
          }
        }
      }
      const name = asked.asker === undefined ? undefined : some(PEOPLE, asked.asker);
      const asker = name && { id: world.ids[name], isAdmin: name === "ada" };
      const project = some(projects, asked.project);
      const visibility = project === world.open ? "public" : "private";
      const subject: Subject =
        asked.kind === "project"
          ? { kind: "project", projectId: project.id, visibility, access: ROLES[name ?? "stan"] as number }
          : asked.kind === "group"
            ? { kind: "group", groupId: group }
            : asked.kind === "author" || !asker
              ? { kind: "author", authorId: world.ids[some(PEOPLE, asked.author)] }
              : { kind: "memberships" };
      const dayAt = (offset: number | undefined) =>
        offset === undefined ? undefined : new Date(Date.now() + offset * DAY).toISOString().slice(0, 10);
      const filter: EventFilter = {
        action: asked.action,
        after: dayAt(asked.after),
        before: dayAt(asked.before),
        from: asked.from === undefined ? undefined : new Date(Date.now() + asked.from * DAY),
        sort: asked.sort,
      };
      const query: EventQuery = { subject, asker, filter, limit: 100_000, offset: 0 };
      const { events } = await listEvents(db, query);
      assert.equal(await countEvents(db, query), events.length);
      // The same list without shorter retention, minus the older events, is the expected result.
      const shorter = new Map(
        (
          await db.many(
            row({ id: integer, since: integer }),
            sql`select id, (extract(epoch from now() - event_retention_days * interval '24 hours') * 1000)::bigint as since
              from projects where event_retention_days is not null`,
          )
        ).map(({ id, since }) => [id, since]),
      );
      const before = await db.many(
        row({ id: integer, days: integer }),
        sql`select id, event_retention_days as days from projects where event_retention_days is not null`,
      );
      await db.run(
        sql`update projects set event_retention_days = null where event_retention_days is not null`,
      );
      const whole = (await listEvents(db, query)).events;
      for (const { id, days: kept } of before) await keep(id, kept);
      const shown = whole.filter(
        ({ projectId, createdAt }) => createdAt.getTime() >= (shorter.get(projectId) ?? 0),
      );
      assert.deepEqual(
        events.map(({ id }) => id),
        shown.map(({ id }) => id),
      );
      if (events.length > 0) compared++;
      if (events.length > 0 && isFiltered(filter)) filtered++;
      if (shown.length < whole.length) cut++;
    }),
    { numRuns: 150, seed: 11 },
  );
  assert.ok(compared > 20, `${compared} lists had events`);
  assert.ok(filtered > 10, `${filtered} filtered lists`);
  assert.ok(cut > 10, `${cut} lists were shortened`);
});
