/** Lists for a user with direct roles in very many projects: the roles are looked up in another way, with the same result. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import type { EventQuery } from "../../src/events/filter.ts";
import { findEvents } from "../../src/events/store-lists.ts";
import { hasManyRoles, lookAtRoles } from "../../src/events/store-many-roles.ts";
import { findSummary } from "../../src/events/store-summary.ts";
import type { Subject } from "../../src/events/subject.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { about, comment, type Kind, push, recordOnly } from "../support/events.ts";
import { startWorld, type World } from "../support/world.ts";

const PROJECTS = 120;
const KINDS: Kind[] = [
  push,
  about("created", "Issue", 1),
  { ...about("created", "Issue", 2), confidential: true },
  comment("Issue", 1, { internal: true }),
  { action: "joined", targetType: null },
];

let world: World;
before(async () => {
  world = await startWorld();
  const { db } = world.platform;
  const made = await db.many(
    row({ id: integer }),
    sql`insert into projects (namespace_id, path, full_path, name, visibility, creator_id)
      select p.namespace_id, 'part-' || n, 'acme/part-' || n, 'Part ' || n,
        case n % 3 when 0 then 'public' else 'private' end, ${world.ids.olga}
      from generate_series(1, ${2 * PROJECTS}) n cross join projects p where p.id = ${world.open.id} order by n returning id`,
  );
  // Every second one, so that their ids are not a single range; all four roles below Maintainer.
  const ids = made.map(({ id }) => id);
  await db.run(
    sql`insert into members (project_id, user_id, access_level)
      select id, ${world.ids.stan}, (array[10, 15, 20, 30])[1 + id / 2 % 4]
      from unnest(${ids}::bigint[]) id where id % 2 = 0`,
  );
  const events = ids
    .slice(0, 60)
    .flatMap((projectId) => KINDS.map((kind) => ({ ...kind, projectId, authorId: world.ids.rep })));
  await recordOnly(world, events);
  await compactEventCounts(world.platform);
  // These are not counted yet.
  await recordOnly(world, events.slice(0, 20));
});

test("lists, totals and versions are the same with both ways of looking up roles (decision 0093)", async () => {
  const { db } = world.platform;
  const asker = { id: world.ids.stan, isAdmin: false };
  const subjects: Subject[] = [{ kind: "memberships" }, { kind: "author", authorId: world.ids.rep }];
  const queries = subjects.flatMap((subject) =>
    [
      {},
      { action: "created" as const },
      { before: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) },
    ].flatMap((filter) =>
      [0, 60].map((offset): EventQuery => ({ subject, asker, filter, limit: 50, offset })),
    ),
  );
  const answers = () =>
    Promise.all(queries.map(async (query) => [await findEvents(db, query), await findSummary(db, query)]));
  assert.equal(hasManyRoles(asker), false);
  const before = await answers();
  assert.ok(before.every(([found]) => found && found.total > 0));
  await lookAtRoles(db, asker);
  assert.equal(hasManyRoles(asker), true);
  assert.deepEqual(await answers(), before);
});

test("a user with few roles is looked up in the usual way (decision 0093)", async () => {
  const asker = { id: world.ids.dev };
  await lookAtRoles(world.platform.db, asker);
  assert.equal(hasManyRoles(asker), false);
});
