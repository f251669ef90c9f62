/** Where pages far back begin, as found from the counts by day: on the same day and at the same place as in the list itself. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { EventQuery } from "../../src/events/filter.ts";
import { moveAuthor } from "../../src/events/store-authors.ts";
import { dayAtPlace, daysHolding, hasDays } from "../../src/events/store-days.ts";
import { listEvents } from "../../src/events/store-lists.ts";
import { findSummary } from "../../src/events/store-summary.ts";
import { rightsAnd } from "../../src/events/store-visible.ts";
import type { Subject } from "../../src/events/subject.ts";
import { type Db, openDb, type Queries } from "../../src/platform/db.ts";
import { migrate, readMigrations } from "../../src/platform/migrate.ts";
import { day, integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { countEvents } from "../support/count-events.ts";
import { emptyDatabase, PATIENCE_MS } from "../support/database.ts";
import { about, comment, type Kind, push, recordOnly } from "../support/events.ts";
import { rowsHandled } from "../support/plans.ts";
import { type Person, startWorld, type World } from "../support/world.ts";

let world: World;
let acme: number;
before(async () => {
  world = await startWorld();
  const { json } = await world.call("/api/v4/groups/acme", { as: "olga" });
  acme = json.id;
  const inner = { name: "Inner", path: "inner", parent_id: acme, visibility: "public" };
  assert.equal((await world.call("/api/v4/groups", { as: "olga", json: inner })).status, 201);
});

const DAY = 86_400_000;
const KINDS: Kind[] = [
  push,
  about("created", "Issue", 1),
  { ...about("created", "Issue", 2), confidential: true },
  comment("Issue", 1, { internal: true }),
  { ...about("updated", "MergeRequest", 2), confidential: true },
  { action: "joined", targetType: null },
];
const DAYS_AGO = [0, 0, 1, 2, 2, 5, 40, 400, 729.5];
const ASKERS: Person[] = ["ada", "olga", "rep", "gus", "stan"];

test("each place of a list is on the day that follows from the counts by day (decisions 0135, 0189)", async () => {
  const { db } = world.platform;
  const step = fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.nat(), moment: fc.nat(), open: fc.boolean(), gus: fc.boolean() }),
      weight: 8,
    },
    {
      arbitrary: fc.constantFrom("compact", "rebuild", "show", "move", "keep", "delete", "hand"),
      weight: 3,
    },
  );
  const asked = fc.record({
    kind: fc.constantFrom("memberships", "group", "author", "project"),
    asker: fc.constantFrom(...ASKERS),
    filter: fc.constantFrom({}, { before: inDays(0) }, { after: inDays(-41), before: inDays(1) }),
  });
  let places = 0;
  let wide = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), asked, async (steps, list) => {
      for (const taken of steps) await take(taken);
      const asker = { id: world.ids[list.asker], isAdmin: list.asker === "ada" };
      const roles: Record<string, number> = { ada: 50, olga: 50, rep: 20, gus: 10, stan: 0 };
      const visibility = await visibilityOf("open");
      const project = {
        kind: "project" as const,
        projectId: world.open.id,
        visibility,
        access: roles[list.asker] as number,
      };
      const subjects: Record<string, Subject> = {
        memberships: { kind: "memberships" },
        group: { kind: "group", groupId: acme },
        author: { kind: "author", authorId: world.ids.rep },
        project,
      };
      const subject = subjects[list.kind] as Subject;
      const query: EventQuery = { subject, asker, filter: list.filter, limit: 100_000, offset: 0 };
      const { events } = await listEvents(db, query);
      const summary = await findSummary(db, query);
      assert.equal(summary?.total, events.length);
      assert.ok(hasDays(query));
      // Events that only their author may see are not counted; such lists are scanned.
      if (summary?.owns) return;
      const days = events.map(({ createdAt }) => createdAt.toISOString().slice(0, 10));
      for (const [place, expected] of days.entries()) {
        const found = await db.one(
          row({ day, before: integer }),
          sql`with ${rightsAnd(query)} select * from (${dayAtPlace(query, sql`${place}::bigint`)}) found`,
        );
        assert.deepEqual(found, { day: expected, before: days.indexOf(expected) });
        places++;
        if (list.kind === "memberships" || list.kind === "group") wide++;
      }
    }),
    { numRuns: 120 },
  );
  assert.ok(places > 300 && wide > 100, `${places} places, ${wide} of wide lists`);
  assert.deepEqual(await differing(), []);
  assert.deepEqual(await differingOfProjects(), []);
});

test("the daily sums of a deleted project are removed (decisions 0135, 0189)", async () => {
  const { db } = world.platform;
  await recordOnly(world, [{ ...push, projectId: world.open.id, authorId: world.ids.rep }]);
  await compactEventCounts(world.platform);
  await db.run(sql`delete from projects where id = ${world.open.id}`);
  assert.deepEqual(await differing(), []);
  assert.deepEqual(await differingOfProjects(), []);
  const { n } = await db.one(
    row({ n: integer }),
    sql`select coalesce(sum(n_open + n_code + n_planner + n_reporter), 0)::bigint as n from event_day_sums
      where visibility = (select visibility from projects where id = ${world.rocket.id})`,
  );
  const { kept } = await db.one(
    row({ kept: integer }),
    sql`select coalesce(sum(n), 0)::bigint as kept from event_days`,
  );
  assert.equal(n, kept);
});

test("the migration that adds sums by project includes existing counts (decision 0189)", async () => {
  const connection = await emptyDatabase();
  const { number = 0 } =
    (await readMigrations()).find(({ name }) => name.includes("event-project-days")) ?? {};
  await migrate(connection, number - 1);
  const db = openDb({ connection, patienceMs: PATIENCE_MS });
  try {
    await db.run(sql`insert into users (username, name, email) select w, w, w || '@example.org'
      from unnest(array['one', 'two', 'three']) w`);
    await db.run(
      sql`insert into namespaces (kind, path, full_path, name) values ('group', 'old', 'old', 'Old')`,
    );
    await db.run(sql`insert into projects (namespace_id, path, full_path, name, creator_id)
      select n.id, w, 'old/' || w, w, u.id from namespaces n, users u, unnest(array['a', 'b']) w where u.username = 'one'`);
    // One user has as many too few on a day as another has too many, as between two batches of a compaction.
    await db.run(sql`insert into event_days (day, project_id, author_id, action, target_type, cap, n)
      select date '2026-05-01' + d, p.id, u.id, k.action::event_action, k.target::event_target_type, 'issue',
        case when d = 3 then 2 - row_number() over (partition by p.id, k.action, d order by u.id) else d + u.id end
      from projects p, users u, generate_series(0, 3) d, (values ('created', 'Issue'), ('joined', null)) k (action, target)`);
    await migrate(connection);
    assert.deepEqual(await differingOfProjects(db), []);
    const { n } = await db.one(
      row({ n: integer }),
      sql`select sum(n)::bigint as n from event_project_days where n <> 0`,
    );
    assert.equal(n, 4 * 3 * (0 + 1 + 2) + 4 * 3 * 6);
  } finally {
    await db.close();
  }
});

test("finding days and dates reads rows by day and kind, whatever the number of people and of projects in a group (decisions 0135, 0189)", async () => {
  const other = await startWorld();
  const { db } = other.platform;
  await db.run(sql`insert into users (username, name, email) select 'one-' || n, 'One', 'one-' || n || '@example.org'
    from generate_series(1, 300) n`);
  await db.run(sql`insert into events (created_at, project_id, author_id, action, cap)
    select date_trunc('day', now(), 'UTC') - d * interval '1 day', ${other.open.id}, u.id, 'joined', 'project'
    from users u, generate_series(1, 20) d where u.username like 'one-%'`);
  await db.run(sql`insert into projects (namespace_id, path, full_path, name, visibility, creator_id)
    select o.namespace_id, 'many-' || n, 'acme/many-' || n, 'Many', 'private', ${other.ids.rep}
    from projects o, generate_series(1, 40) n where o.id = ${other.open.id}`);
  await db.run(sql`insert into events (created_at, project_id, author_id, action, cap)
    select date_trunc('day', now(), 'UTC') - d * interval '1 day', p.id, ${other.ids.rep}, 'joined', 'project'
    from projects p, generate_series(1, 20) d where p.path like 'many-%'`);
  await compactEventCounts(other.platform);
  await other.owner.run(sql`analyze`);
  const asker = { id: other.ids.rep, isAdmin: false };
  const subject: Subject = { kind: "project", projectId: other.open.id, visibility: "public", access: 20 };
  const query = { subject, asker, limit: 20, offset: 4500 };
  const dated: EventQuery = { ...query, filter: { after: inDays(-11) } };
  const group = (await other.call("/api/v4/groups/acme", { as: "olga" })).json.id as number;
  const wide: EventQuery = {
    ...dated,
    subject: { kind: "group", groupId: group },
    asker: { ...asker, isAdmin: true },
  };
  const rare: EventQuery = { ...query, filter: { action: "created", sort: "asc" } };
  assert.equal(await countEvents(db, dated), 3000);
  assert.equal(await countEvents(db, wide), 3400);
  const asks: ((queries: Queries) => Promise<unknown>)[] = [
    (queries) =>
      queries.run(sql`with ${rightsAnd(dated)} select * from (${dayAtPlace(dated, sql`2500`)}) found`),
    (queries) => countEvents(queries, dated),
    (queries) => queries.run(sql`with ${rightsAnd(rare)} ${daysHolding(rare, sql`asc`)}`),
    (queries) => countEvents(queries, wide),
  ];
  for (const [at, ask] of asks.entries()) {
    const read = await rowsHandled(other, ask);
    assert.ok(read < 500, `${at}: ${read} rows`);
  }
});

async function take(
  step: string | { kind: number; moment: number; open: boolean; gus: boolean },
): Promise<void> {
  const { db } = world.platform;
  const open = world.open.id;
  if (typeof step === "object") {
    const at = new Date(Date.now() - (DAYS_AGO[step.moment % DAYS_AGO.length] as number) * DAY);
    const kind = KINDS[step.kind % KINDS.length] as Kind;
    const projectId = step.open ? open : world.rocket.id;
    const authorId = step.gus ? world.ids.gus : world.ids.rep;
    await recordOnly(world, [{ ...kind, projectId, authorId, createdAt: at }]);
  } else if (step === "compact") {
    await compactEventCounts(world.platform);
  } else if (step === "rebuild") {
    await world.owner.run(sql`select rebuild_event_rollups()`);
  } else if (step === "show") {
    await db.run(sql`update projects set visibility = case visibility when 'public' then 'private' else 'public' end
      where id = ${open}`);
  } else if (step === "move") {
    await db.run(sql`update projects set namespace_id = n.id from namespaces n
      where projects.id = ${open} and n.id <> namespace_id and n.full_path in ('acme', 'acme/inner')`);
  } else if (step === "keep") {
    await db.run(sql`update projects set event_retention_days = case when event_retention_days is null then 3 end
      where id = ${open}`);
  } else if (step === "hand") {
    await db.transaction((tx) => moveAuthor(tx, { from: world.ids.gus, to: world.ids.rep, forgets: false }));
  } else {
    await db.run(sql`delete from events where id = (select min(id) from events)`);
  }
}

/** Rows whose sum differs from the sum of the days. */
function differing() {
  return world.platform.db.many(
    row({ day, n: integer }),
    sql`select day, sum(n)::bigint as n from (
        select day, namespace_id, visibility, n_open + n_code + n_planner + n_reporter as n from event_day_sums
        union all select d.day, p.namespace_id, p.visibility, -d.n from event_days d join projects p on p.id = d.project_id) both_ways
      group by day, namespace_id, visibility having sum(n) <> 0`,
  );
}

/** Rows in which the days of a project differ from the sum over its authors. */
function differingOfProjects({ many }: Pick<Db, "many"> = world.platform.db) {
  return many(
    row({ day, n: integer }),
    sql`select day, sum(n)::bigint as n from (
        select project_id, day, action, target_type, cap, n from event_project_days
        union all select project_id, day, action, target_type, cap, -n from event_days) both_ways
      group by project_id, day, action, target_type, cap having sum(n) <> 0`,
  );
}

async function visibilityOf(name: string): Promise<string> {
  const found = await world.platform.db.one(
    row({ visibility: text }),
    sql`select visibility from projects where path = ${name}`,
  );
  return found.visibility;
}

function inDays(offset: number): string {
  return new Date(Date.now() + offset * DAY).toISOString().slice(0, 10);
}
