/** Where far pages begin, found by counts of days: the same day and place as the list itself has. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { EventQuery, Subject } from "../../src/events/filter.ts";
import { dayAtPlace, hasDays } from "../../src/events/store-days.ts";
import { findSummary, listEvents } from "../../src/events/store-lists.ts";
import { rightsAnd } from "../../src/events/store-visible.ts";
import { day, integer, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, comment, type Kind, push, recordOnly } from "../support/events.ts";
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

test("every place of a list lies on the day that its sums and days say (decision 0135)", async () => {
  const { db } = world.platform;
  const step = fc.oneof(
    { arbitrary: fc.record({ kind: fc.nat(), moment: fc.nat(), open: fc.boolean() }), weight: 8 },
    { arbitrary: fc.constantFrom("compact", "rebuild", "show", "move", "keep", "delete"), weight: 3 },
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
      const project = { projectId: world.open.id, visibility, access: roles[list.asker] as number };
      const subjects: Record<string, Subject> = {
        memberships: "memberships",
        group: { groupId: acme },
        author: { authorId: world.ids.rep },
        project,
      };
      const subject = subjects[list.kind] as Subject;
      const query: EventQuery = { subject, asker, filter: list.filter, limit: 100_000, offset: 0 };
      const { events } = await listEvents(db, query);
      const summary = await findSummary(db, query);
      assert.ok(hasDays(query));
      // What its author alone sees is in no count; such lists walk.
      if (summary?.owns) return;
      const days = events.map(({ createdAt }) => createdAt.toISOString().slice(0, 10));
      for (const [place, expected] of days.entries()) {
        const found = await db.one(
          row({ day, before: integer }),
          sql`with ${rightsAnd(query)} select * from (${dayAtPlace(query, place)}) found`,
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
});

test("the sums of days go with a project that is deleted (decision 0135)", async () => {
  const { db } = world.platform;
  await recordOnly(world, [{ ...push, projectId: world.open.id, authorId: world.ids.rep }]);
  await compactEventCounts(world.platform);
  await db.run(sql`delete from projects where id = ${world.open.id}`);
  assert.deepEqual(await differing(), []);
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

async function take(step: string | { kind: number; moment: number; open: boolean }): Promise<void> {
  const { db } = world.platform;
  const open = world.open.id;
  if (typeof step === "object") {
    const at = new Date(Date.now() - (DAYS_AGO[step.moment % DAYS_AGO.length] as number) * DAY);
    const kind = KINDS[step.kind % KINDS.length] as Kind;
    const projectId = step.open ? open : world.rocket.id;
    await recordOnly(world, [{ ...kind, projectId, authorId: world.ids.rep, createdAt: at }]);
  } else if (step === "compact") {
    await compactEventCounts(world.platform);
  } else if (step === "rebuild") {
    await db.run(sql`select rebuild_event_rollups()`);
  } else if (step === "show") {
    await db.run(sql`update projects set visibility = case visibility when 'public' then 'private' else 'public' end
      where id = ${open}`);
  } else if (step === "move") {
    await db.run(sql`update projects set namespace_id = n.id from namespaces n
      where projects.id = ${open} and n.id <> namespace_id and n.full_path in ('acme', 'acme/inner')`);
  } else if (step === "keep") {
    await db.run(sql`update projects set event_retention_days = case when event_retention_days is null then 3 end
      where id = ${open}`);
  } else {
    await db.run(sql`delete from events where id = (select min(id) from events)`);
  }
}

/** Rows in which the sums are not what the days add up to. */
function differing() {
  return world.platform.db.many(
    row({ day, n: integer }),
    sql`select day, sum(n)::bigint as n from (
        select day, namespace_id, visibility, n_open + n_code + n_planner + n_reporter as n from event_day_sums
        union all select d.day, p.namespace_id, p.visibility, -d.n from event_days d join projects p on p.id = d.project_id) both_ways
      group by day, namespace_id, visibility having sum(n) <> 0`,
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
