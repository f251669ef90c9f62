/**
 * How many rows the lists of projects and groups read, for a user with very many roles in an installation with very many groups.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Queries } from "../../src/platform/db.ts";
import { sql } from "../../src/platform/sql.ts";
import { countProjects, findVisibleProject, listProjects } from "../../src/projects/store.ts";
import { countGroups, findVisibleGroup, listGroups } from "../../src/projects/store-groups.ts";
import { rowsHandled } from "../support/plans.ts";
import { startWorld, type World } from "../support/world.ts";

/** Top-level groups; each contains a group with a project. */
const GROUPS = 3000;
/** Roles of one user, in every thirtieth top-level group and in the projects of as many others. */
const ROLES = GROUPS / 30;
const PLACES = 3 * GROUPS;
const PAGE = { limit: 20, offset: 0 };
let world: World;
let asker: { id: number; isAdmin: boolean };
let outer: number;

before(async () => {
  world = await startWorld();
  asker = { id: world.ids.gus, isAdmin: false };
  const { pooled } = world.platform.db;
  const addGroups = (prefix: string, parent: string | null) =>
    pooled.run(sql`
      insert into namespaces (kind, parent_id, lineage, path, full_path, name, visibility)
      select 'group', a.id, coalesce(a.lineage, '{}'), ${prefix} || n, coalesce(a.full_path || '/', '') || ${prefix} || n,
        ${prefix} || n, 'private'
      from generate_series(1, ${GROUPS}::integer) n left join namespaces a on a.full_path = ${parent}::text || n`);
  await addGroups("outer-", null);
  await addGroups("inner-", "outer-");
  await pooled.run(sql`update namespaces n set lineage = n.lineage || n.id
    where kind = 'group' and path ~ '^(outer|inner)-' and not n.id = any (n.lineage)`);
  await pooled.run(sql`insert into projects (namespace_id, path, full_path, name, visibility, creator_id)
    select n.id, 'tool', n.full_path || '/tool', 'Tool', 'private', ${world.ids.ada} from namespaces n
    where n.path ~ '^inner-'`);
  await pooled.run(sql`insert into members (user_id, namespace_id, access_level)
    select ${asker.id}, id, 30 from namespaces where path ~ '^outer-' and substr(path, 7)::integer % 30 = 0`);
  await pooled.run(sql`insert into members (user_id, project_id, access_level)
    select ${asker.id}, p.id, 20 from projects p join namespaces n on n.id = p.namespace_id
    where n.path ~ '^inner-' and substr(n.path, 7)::integer % 30 = 1`);
  outer = (await findVisibleGroup(pooled, asker, "outer-30"))?.id ?? 0;
  await world.owner.run(sql`analyze namespaces, projects, members`);
});

describe("lists read each role of the asker a few times, not once for each group or project (decision 0169)", () => {
  const groups = { leastAccess: 0 };
  const projects = { ...PAGE, membership: true };
  const asks: Readonly<Record<string, (db: Queries) => Promise<unknown>>> = {
    "visible groups": (db) => listGroups(db, asker, groups, PAGE),
    "the count of visible groups": (db) => countGroups(db, asker, groups),
    "groups with a role": (db) => listGroups(db, asker, { leastAccess: 10 }, PAGE),
    "direct subgroups of a group": (db) => listGroups(db, asker, { ...groups, parentId: outer }, PAGE),
    "all subgroups of a group": (db) => listGroups(db, asker, { ...groups, belowId: outer }, PAGE),
    "active groups, sorted by name": (db) =>
      listGroups(db, asker, { ...groups, active: true, orderBy: "name", descending: true }, PAGE),
    "owned namespaces": (db) => listGroups(db, asker, { ...groups, namespacesOf: asker, owned: true }, PAGE),
    "namespaces of the user": (db) => listGroups(db, asker, { ...groups, namespacesOf: asker }, PAGE),
    "the count of namespaces of the user": (db) => countGroups(db, asker, { ...groups, namespacesOf: asker }),
    "projects of a user": (db) => listProjects(db, asker, { ...PAGE, ownerId: world.ids.olga }),
    "visible projects": (db) => listProjects(db, asker, PAGE),
    "projects with a role": (db) => listProjects(db, asker, projects),
    "the count of projects with a role": (db) => countProjects(db, asker, projects),
  };
  for (const [name, ask] of Object.entries(asks)) {
    test(name, async () => {
      const handled = await rowsHandled(world, ask);
      assert.ok(handled <= 2 * PLACES, `${handled} rows`);
    });
  }
});

test("roles are inherited from the groups above, and the groups above a role are visible (decision 0169)", async () => {
  const { db } = world.platform;
  const search = "outer-";
  const counted = {
    groupsWithRole: await countGroups(db, asker, { leastAccess: 10, search }),
    groupsSeen: await countGroups(db, asker, { leastAccess: 0, search }),
    projects: await countProjects(db, asker, { ...PAGE, membership: true, search }),
  };
  // A role in an outer group is inherited by its inner group; a role in a project makes its two groups visible.
  assert.deepEqual(counted, { groupsWithRole: 2 * ROLES, groupsSeen: 4 * ROLES, projects: 2 * ROLES });
  assert.equal((await findVisibleGroup(db, asker, "outer-30/inner-30"))?.access, 30);
  assert.equal((await findVisibleGroup(db, asker, "outer-31"))?.access, 0);
  assert.equal(await findVisibleGroup(db, asker, "outer-32"), undefined);
  assert.equal((await findVisibleProject(db, asker, "outer-60/inner-60/tool"))?.access, 30);
  assert.equal((await findVisibleProject(db, asker, "outer-61/inner-61/tool"))?.access, 20);
  assert.equal(await findVisibleProject(db, asker, "outer-62/inner-62/tool"), undefined);
});
