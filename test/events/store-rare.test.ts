/** Lists of rare events: read from the days that contain them, with the same result as a scan. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { EventFilter, EventQuery } from "../../src/events/filter.ts";
import { listEvents, listPiece } from "../../src/events/store-lists.ts";
import { lookAtRoles } from "../../src/events/store-many-roles.ts";
import { readPageApart } from "../../src/events/store-pages.ts";
import type { Subject } from "../../src/events/subject.ts";
import type { Db } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";
import { noting } from "../support/counting.ts";
import { about, comment, type Kind, push, recordOnly } from "../support/events.ts";
import { rowsHandled } from "../support/plans.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let acme: number;
before(async () => {
  world = await startWorld();
  acme = (await world.call("/api/v4/groups/acme", { as: "olga" })).json.id;
});

const DAY = 86_400_000;
const KINDS: Kind[] = [
  push,
  push,
  about("created", "Issue", 1),
  { ...about("created", "Issue", 2), confidential: true },
  { ...about("closed", "Issue", 2), confidential: true },
  comment("Issue", 1, { internal: true }),
  about("created", "Milestone", 3),
  { action: "joined", targetType: null },
];
const DAYS_AGO = [0, 1, 1, 39, 41, 41.2, 100, 400, 729.5, 730.4];
const ASKERS: Person[] = ["ada", "olga", "rep", "gus", "stan"];
const FILTERS: EventFilter[] = [
  { action: "created" },
  { target: "issue" },
  { target: ["milestone", "project"] },
  { notActions: ["pushed"] },
  { action: "closed", notTargets: ["note"] },
  { authorNames: ["gus"] },
  { notAuthorNames: ["rep"], target: "issue" },
];
const TIMES: EventFilter[] = [{}, {}, { before: inDays(-40) }, { after: inDays(-402), before: inDays(0) }];

test("pages of filtered lists are parts of the whole list, whatever was written, deleted or cut off by retention (decisions 0093, 0175)", async () => {
  const { db } = world.platform;
  const step = fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.nat(), moment: fc.nat(), open: fc.boolean(), own: fc.boolean() }),
      weight: 8,
    },
    { arbitrary: fc.constantFrom("compact", "keep", "delete"), weight: 2 },
  );
  const asked = fc.record({
    kind: fc.constantFrom("memberships", "group", "author", "project"),
    asker: fc.constantFrom(...ASKERS),
    filter: fc.constantFrom(...FILTERS),
    time: fc.constantFrom(...TIMES),
    sort: fc.constantFrom("asc", "desc"),
    limit: fc.constantFrom(1, 3, 20),
    page: fc.nat(2),
    behind: fc.option(fc.nat(), { nil: undefined, freq: 3 }),
  });
  let shown = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(asked, { minLength: 4, maxLength: 4 }),
      async (steps, lists) => {
        for (const taken of steps) await take(taken);
        for (const { kind, asker: name, filter, time, sort, limit, page, behind } of lists) {
          const asker = { id: world.ids[name], isAdmin: name === "ada" };
          const query = { subject: subjectOf(kind, name), asker, filter: { ...filter, ...time, sort } };
          const way = kind === "memberships" || kind === "group" ? "projects" : "time";
          const whole = await listPiece(db, { ...query, limit: 100_000, offset: 0 } as EventQuery, way);
          const begins = behind === undefined ? 0 : behind % (whole.length + 1);
          const from = whole[begins - 1];
          const asked = { ...query, limit, offset: page * limit, from } as EventQuery;
          const { events, total } = await listEvents(db, asked);
          assert.deepEqual(
            events.map(({ id }) => id),
            whole.slice(begins + asked.offset, begins + asked.offset + limit).map(({ id }) => id),
          );
          assert.equal(total, whole.length);
          shown += events.length;
        }
      },
    ),
    { numRuns: 60 },
  );
  assert.ok(shown > 50, `${shown} events`);
});

test("on a day on which several projects have matching events, all of these projects are read (decision 0175)", async () => {
  const other = await startWorld();
  const made = await other.call("/api/v4/projects", { as: "olga", json: { name: "Fourth", path: "fourth" } });
  const projects = [other.rocket.id, other.open.id, other.free.id, made.json.id as number];
  const midnight = Math.floor(Date.now() / DAY - 50) * DAY;
  const actions = ["created", "updated", "closed", "reopened"] as const;
  await recordOnly(
    other,
    actions.flatMap((action, turn) =>
      projects.map((projectId, n) => ({
        ...about(action, "Issue", n + 1),
        projectId,
        authorId: other.ids.dev,
        createdAt: new Date(midnight + ((n + turn) % 4) * 3_600_000),
      })),
    ),
  );
  await compactEventCounts(other.platform);
  const asker = { id: other.ids.olga, isAdmin: false };
  for (const [turn, action] of actions.entries()) {
    for (const [sort, hour] of [
      ["asc", 0],
      ["desc", 3],
    ] as const) {
      const query = {
        subject: { kind: "memberships" as const },
        asker,
        filter: { action, target: "issue" as const, sort },
        limit: 1,
        offset: 0,
      };
      const { events, total } = await listEvents(other.platform.db, query);
      assert.equal(total, 4);
      assert.deepEqual([events[0]?.projectId], [projects[(hour - turn + 4) % 4]], `${action} ${sort}`);
    }
  }
});

test("rare events are read from the days that contain them, not found by scanning all events (decision 0175)", async () => {
  const other = await startWorld();
  const place = { projectId: other.open.id, authorId: other.ids.dev };
  const ago = (days: number) => ({ ...place, createdAt: new Date(Date.now() - days * DAY) });
  await recordOnly(other, [
    ...Array.from({ length: 3000 }, (_, n) => ({ ...push, ...ago(n / 5) })),
    ...[90, 200, 450].map((days, n) => ({ ...about("created", "Milestone", n + 1), ...ago(days) })),
  ]);
  await compactEventCounts(other.platform);
  await other.owner.run(sql`analyze`);
  const asker = { id: other.ids.rep, isAdmin: false };
  // Longer than the pages above: experience with lists of one length is stored by the ids of users and projects, which are the
  // same in each world.
  const limit = 100;
  const subjects: Subject[] = [
    { kind: "project", projectId: other.open.id, visibility: "public", access: 20 },
    { kind: "author", authorId: other.ids.dev },
    { kind: "memberships" },
  ];
  for (const subject of subjects) {
    for (const sort of ["desc", "asc"] as const) {
      for (const filter of [{ action: "created" as const }, { target: "milestone" as const }]) {
        const query = { subject, asker, filter: { ...filter, sort }, limit, offset: 0 };
        assert.equal((await listEvents(other.platform.db, query)).events.length, 3);
        const { db: noted, statements } = noting(other.platform.db);
        await listEvents(noted, query);
        const read = await rowsHandled(other, async (db) => {
          for (const statement of statements) await db.run(statement);
        });
        assert.ok(read < 2500, `${JSON.stringify({ subject, sort, filter })}: ${read} rows`);
        const walked = await rowsHandled(other, async (db) => {
          await readPageApart({ pooled: db } as Db, query, { floor: undefined, way: "time" });
        });
        assert.ok(walked > 3000, `${walked} rows`);
      }
    }
  }
});

test("matching events among the newest of a project or author are found by one statement, however old they are (decision 0175)", async () => {
  const other = await startWorld();
  const place = { projectId: other.open.id, authorId: other.ids.dev };
  await recordOnly(
    other,
    Array.from({ length: 300 }, (_, n) => ({
      ...(n % 10 ? push : about("closed", "Issue", n + 1)),
      ...place,
      createdAt: new Date(Date.now() - (100 + n) * DAY),
    })),
  );
  const asker = { id: other.ids.rep, isAdmin: false };
  // Roles are counted beforehand, as a slow statement would be followed by one that counts them.
  await lookAtRoles(other.platform.db, asker);
  const subjects: Subject[] = [
    { kind: "project", projectId: other.open.id, visibility: "public", access: 20 },
    { kind: "author", authorId: other.ids.dev },
  ];
  for (const subject of subjects) {
    const { db: noted, statements } = noting(other.platform.db);
    const query = { subject, asker, filter: { action: "closed" as const } };
    const { events, total } = await listEvents(noted, { ...query, limit: 20, offset: 5 });
    assert.deepEqual(
      [events.map(({ targetIid }) => targetIid), total],
      [Array.from({ length: 20 }, (_, n) => n * 10 + 51), 30],
    );
    assert.equal(statements.length, 1, JSON.stringify(subject));
  }
});

test("events that only their author may see are read from their days too, next to those that everybody sees (decisions 0093, 0175)", async () => {
  const other = await startWorld();
  const place = { projectId: other.open.id, createdAt: new Date() };
  const ago = (days: number) => ({ createdAt: new Date(Date.now() - days * DAY) });
  const issue = (iid: number, days: number, authorId: number, confidential: boolean) => ({
    ...{ ...about("created", "Issue", iid), ...place, ...ago(days), authorId, confidential },
  });
  const { gus, dev } = other.ids;
  await recordOnly(other, [
    ...Array.from({ length: 4000 }, (_, n) => ({ ...push, ...place, authorId: dev, ...ago(n / 10) })),
    ...[issue(1, 60, gus, true), issue(2, 150, gus, false), issue(3, 300, gus, true)],
    ...[issue(4, 100, dev, true), issue(5, 200, dev, false), issue(6, 310, dev, true)],
  ]);
  await compactEventCounts(other.platform);
  await other.owner.run(sql`analyze`);
  const seen = async (subject: Subject, sort: "asc" | "desc") => {
    const asker = { id: gus, isAdmin: false };
    const filter = { action: "created" as const, target: "issue" as const, sort };
    const query = { subject, asker, filter, limit: 20, offset: 0 };
    const { db: noted, statements } = noting(other.platform.db);
    const { events, total } = await listEvents(noted, query);
    assert.equal(total, events.length);
    const read = await rowsHandled(other, async (db) => {
      for (const statement of statements) await db.run(statement);
    });
    assert.ok(read < 3000, `${JSON.stringify({ subject, sort })}: ${read} rows`);
    return events.map(({ targetIid }) => targetIid);
  };
  const project: Subject = { kind: "project", projectId: other.open.id, visibility: "public", access: 10 };
  for (const subject of [project, { kind: "memberships" }] as const) {
    assert.deepEqual(await seen(subject, "desc"), [1, 2, 5, 3], JSON.stringify(subject));
    assert.deepEqual(await seen(subject, "asc"), [3, 5, 2, 1], JSON.stringify(subject));
  }
  assert.deepEqual(await seen({ kind: "author", authorId: gus }, "desc"), [1, 2, 3]);
});

function subjectOf(kind: string, asker: Person): Subject {
  if (kind === "memberships") return { kind };
  if (kind === "group") return { kind: "group", groupId: acme };
  if (kind === "author") return { kind: "author", authorId: world.ids.rep };
  const access: Record<string, number> = { ada: 50, olga: 50, rep: 20, gus: 10, stan: 0 };
  return { kind: "project", projectId: world.open.id, visibility: "public", access: access[asker] as number };
}

async function take(
  step: string | { kind: number; moment: number; open: boolean; own: boolean },
): Promise<void> {
  const { db } = world.platform;
  const open = world.open.id;
  if (typeof step === "object") {
    const createdAt = new Date(Date.now() - (DAYS_AGO[step.moment % DAYS_AGO.length] as number) * DAY);
    const kind = KINDS[step.kind % KINDS.length] as Kind;
    const projectId = step.open ? open : world.rocket.id;
    const authorId = step.own ? world.ids.gus : world.ids.rep;
    await recordOnly(world, [{ ...kind, projectId, authorId, createdAt }]);
  } else if (step === "compact") {
    await compactEventCounts(world.platform);
  } else if (step === "keep") {
    await db.run(sql`update projects set event_retention_days = case when event_retention_days is null then 30 end
      where id = ${open}`);
  } else {
    await db.run(sql`delete from events where id = (select min(id) from events)`);
  }
}

function inDays(offset: number): string {
  return new Date(Date.now() + offset * DAY).toISOString().slice(0, 10);
}
