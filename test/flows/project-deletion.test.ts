/** Deleting projects and groups: marking, restoring, and removing all their rows in batches. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { seedDemo } from "../../src/demo/seed-demo.ts";
import { compactEventCounts } from "../../src/events/compact-counts.ts";
import { openDb } from "../../src/platform/db.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { PATIENCE_MS } from "../support/database.ts";
import { countsAreExact } from "../support/event-counts.ts";
import { eventCounts, push, record } from "../support/events.ts";
import { runJob } from "../support/jobs.ts";
import { endWaiting, meanwhile, whileHeld } from "../support/meanwhile.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { anApplication } from "../support/oauth.ts";
import { until } from "../support/until.ts";
import { signedIn } from "../support/visitor.ts";
import { PASSWORD, type Person, startWorld, type World } from "../support/world.ts";

let world: World;
/** Another process on the same database. */
let other: Platform;
before(async () => {
  world = await startWorld();
  const db = openDb({ connection: world.connection, checkRows: true, patienceMs: PATIENCE_MS });
  whenDone(() => db.close());
  other = { ...world.platform, db };
});

const ask = (method: string, path: string, as: Person = "olga", json?: unknown) =>
  world.call(`/api/v4/${path}`, { as, method, ...(json === undefined ? {} : { json }) });
const removePlaces = (platform: Platform) => runJob({ platform }, "removals");
const today = () => new Date().toISOString().slice(0, 10);
const ROCKET = "projects/acme%2Frocket";

async function aProject(path: string, namespace: string | number): Promise<number> {
  const reply = await ask("POST", "projects", "olga", { name: path, namespace_id: namespace });
  assert.equal(reply.status, 201, reply.text);
  return reply.json.id;
}
async function aGroup(path: string, more: object = {}): Promise<number> {
  const reply = await ask("POST", "groups", "olga", { name: path, path, ...more });
  assert.equal(reply.status, 201, reply.text);
  return reply.json.id;
}
/** Makes the removal due. */
const letTimePass = (table: "projects" | "namespaces", id: number) =>
  world.platform.db.run(
    table === "projects"
      ? sql`update projects set removal_due_at = now() - interval '1 second' where id = ${id}`
      : sql`update namespaces set removal_due_at = now() - interval '1 second' where id = ${id}`,
  );
const numberOf = async (statement: Sql): Promise<number> =>
  (await world.platform.db.one(row({ n: integer }), statement)).n;
const actionsAbout = (kind: "project" | "group", path: string) =>
  world.platform.db
    .many(
      row({ action: text }),
      sql`select action from audit_entries where details ->> ${kind} = ${path}
        and action ~ '_(deletion_marked|deletion_hastened|restored|removed)$' order by id`,
    )
    .then((found) => found.map(({ action }) => action));

/** The number of daily sums that differ from the sum of their days. */
const daySumsAstray = () =>
  numberOf(sql`select count(*) as n from (
      select p.namespace_id, p.visibility, d.day, sum(d.n)::bigint as n from event_days d join projects p on p.id = d.project_id
      group by 1, 2, 3) made
    full join (select namespace_id, visibility, day, n_open + n_code + n_planner + n_reporter as n from event_day_sums) kept
      using (namespace_id, visibility, day)
    where coalesce(made.n, 0) <> coalesce(kept.n, 0)`);

describe("a deleted project", () => {
  it("is marked by owners and administrators only, and can be read and restored until it is removed (GitLab v4 API, DELETE /projects/:id)", async () => {
    await awayFromMidnight();
    for (const as of ["max", "dev", "gus"] as const)
      assert.equal((await ask("DELETE", ROCKET, as)).status, 403);
    assert.equal((await ask("DELETE", ROCKET, "stan")).status, 404);
    const marked = await ask("DELETE", ROCKET);
    assert.deepEqual([marked.status, marked.json], [202, { message: "202 Accepted" }]);
    const shown = (await ask("GET", ROCKET, "gus")).json;
    assert.deepEqual(
      [shown.marked_for_deletion_on, shown.marked_for_deletion_at, shown.archived],
      [today(), today(), false],
    );
    assert.equal((await ask("GET", `${ROCKET}/alert_management_alerts`, "dev")).status, 200);
    const refused = await ask("POST", `${ROCKET}/environments`, "olga", { name: "late" });
    assert.equal(refused.status, 403);
    assert.match(
      refused.json.message,
      /^403 Forbidden - This project is marked for deletion and goes for good on \d+ \w+ \d{4}, \d\d:\d\d UTC\./,
    );
    const source = await aSource(world, "http", { name: "Marked" });
    assert.equal((await source.send({ title: "Refused" })).status, 403);
    const again = await ask("DELETE", ROCKET);
    assert.deepEqual(
      [again.status, again.json],
      [400, { message: "Project has been already marked for deletion" }],
    );
    assert.equal((await ask("POST", `${ROCKET}/archive`)).status, 422);
    await runJob(world, "removals");
    assert.equal((await ask("POST", `${ROCKET}/restore`, "max")).status, 403);
    const restored = await ask("POST", `${ROCKET}/restore`);
    assert.deepEqual([restored.status, restored.json.marked_for_deletion_on], [201, null], restored.text);
    const twice = await ask("POST", `${ROCKET}/restore`);
    assert.deepEqual(
      [twice.status, twice.json],
      [400, { message: "Project has not been marked for deletion" }],
    );
    assert.equal((await source.send({ title: "Accepted" })).status, 200);
    assert.deepEqual(await actionsAbout("project", "acme/rocket"), [
      "project_deletion_marked",
      "project_restored",
    ]);
  });

  it("is removed earlier only if it is marked and its path is repeated (GitLab v4 API, permanently_remove)", async () => {
    const id = await aProject("hasty", "acme");
    const now = (path: string) => ask("DELETE", `projects/${id}?permanently_remove=true&full_path=${path}`);
    assert.deepEqual((await now("acme/hasty")).json, {
      message: "Project must be marked for deletion first.",
    });
    assert.equal((await ask("DELETE", `projects/${id}`)).status, 202);
    const wrong = await now("acme/rocket");
    assert.equal(wrong.status, 400);
    assert.match(wrong.json.message, /^`full_path` is incorrect\./);
    assert.equal((await now("ACME/hasty")).status, 400, "the path is case-sensitive");
    for (let times = 0; times < 2; times++) assert.equal((await now("acme/hasty")).status, 202);
    await runJob(world, "removals");
    assert.equal((await ask("GET", `projects/${id}`)).status, 404);
    assert.deepEqual(await actionsAbout("project", "acme/hasty"), [
      "project_deletion_marked",
      "project_deletion_hastened",
      "project_removed",
    ]);
  });

  it("cannot be found or restored once its removal has begun; afterwards its path is free (decision 0152)", async () => {
    const id = await aProject("going", "acme");
    await ask("PUT", `projects/${id}`, "olga", { path: "gone", visibility: "public" });
    await ask("DELETE", `projects/${id}`);
    assert.equal((await world.call(`/api/v4/projects/${id}`)).status, 200, "marked, but still public");
    await letTimePass("projects", id);
    await world.platform.db.run(sql`select begin_removals()`);
    assert.equal((await world.call(`/api/v4/projects/${id}`)).status, 404, "also for anonymous requests");
    for (const as of ["olga", "ada"] as const) {
      assert.equal((await ask("GET", `projects/${id}`, as)).status, 404);
      assert.equal((await ask("POST", `projects/${id}/restore`, as)).status, 404);
      const listed = (await ask("GET", "projects?search=gone", as)).json;
      assert.deepEqual(listed, []);
      for (const path of ["events", "members", "alert_management_alerts", "issues", "hooks"])
        assert.equal((await ask("GET", `projects/${id}/${path}`, as)).status, 404, path);
    }
    await Promise.all([removePlaces(world.platform), removePlaces(other)]);
    assert.equal(await numberOf(sql`select count(*) as n from projects where id = ${id}`), 0);
    for (const path of ["gone", "going"]) assert.ok(await aProject(path, "acme"));
    assert.deepEqual(
      (await actionsAbout("project", "acme/gone")).filter((word) => word === "project_removed").length,
      1,
    );
  });

  it("is removed in batches of at most 2000 rows, from two processes at once, and all counts stay right (decisions 0025, 0152)", async () => {
    const { db } = world.platform;
    const id = await aProject("large", "acme");
    const { dev, max } = world.ids;
    await record(world, [{ projectId: world.rocket.id, authorId: dev, ...push }]);
    await db.run(sql`insert into events (created_at, project_id, author_id, action, cap)
      select now() - n * interval '2 hours', ${id}, case when n % 2 = 0 then ${dev}::bigint else ${max}::bigint end, 'created', 'project'
      from generate_series(1, 7000) n`);
    await db.run(sql`insert into alerts (project_id, iid, title, severity, fingerprint_hash, grouped, events, deliveries, started_at, first_payload)
      select ${id}, n, 'Alert ' || n, 'low', sha256(n::text::bytea), true, 1, 1, now(), '{}' from generate_series(1, 500) n`);
    await db.run(sql`insert into alert_occurrences (alert_id, receipt_id, item, kind)
      select a.id, gen_random_uuid(), n, 'firing' from alerts a, generate_series(1, 12) n where a.project_id = ${id}`);
    await compactEventCounts(world.platform);
    await world.owner.run(sql`create table portions (relation text, n bigint)`);
    await world.owner.run(sql`create function note_portion() returns trigger language plpgsql security definer as
      $$ begin insert into portions select tg_table_name, count(*) from gone; return null; end $$`);
    for (const table of ["events", "alerts", "alert_occurrences", "event_days"]) {
      await world.owner.run(
        new Sql(
          [
            `create trigger watch_deletes after delete on ${table} referencing old table as gone
        for each statement execute function note_portion()`,
          ],
          [],
        ),
      );
    }
    await ask("DELETE", `projects/${id}`);
    await letTimePass("projects", id);
    const before = await ask("GET", `users/${dev}/events`, "ada");
    await Promise.all([removePlaces(world.platform), removePlaces(other)]);
    const portions = await world.owner.many(
      row({ relation: text, most: integer, all: integer }),
      sql`select relation, max(n) as most, sum(n)::bigint as all from portions group by 1 order by 1`,
    );
    for (const { relation, most } of portions) assert.ok(most <= 2000, `${relation}: ${most}`);
    const removed = Object.fromEntries(portions.map(({ relation, all }) => [relation, all]));
    assert.deepEqual([removed.alerts, removed.alert_occurrences, removed.events], [500, 6000, 7001]);
    await countsAreExact(world);
    const after = await ask("GET", `users/${dev}/events`, "ada");
    const left = await numberOf(sql`select count(*) as n from events where author_id = ${dev}`);
    assert.equal(after.headers.get("x-total"), String(left));
    assert.notEqual(after.headers.get("etag"), before.headers.get("etag"));
    const { json: calendar } = await ask("GET", `users/${dev}/calendar`, "ada");
    const told = (Object.values(calendar) as unknown[]).filter((n) => typeof n === "number") as number[];
    assert.ok(told.length > 0, JSON.stringify(calendar));
    assert.ok(told.reduce((sum, n) => sum + n, 0) <= left, "no day counts removed events");
    assert.equal(await daySumsAstray(), 0);
  });
});

describe("a change that is concurrent with a removal", () => {
  const due = async (path: string) => {
    const id = await aProject(path, "acme");
    await ask("DELETE", `projects/${id}`);
    await letTimePass("projects", id);
    return id;
  };
  const isThere = (id: number) => numberOf(sql`select count(*) as n from projects where id = ${id}`);

  it("is removed with the project, and no count includes it (decision 0152)", async () => {
    const id = await due("written");
    const event = `insert into events (created_at, project_id, author_id, action, cap) values (now(), $1, $2, 'created', 'project')`;
    await meanwhile(world, [[event, id, world.ids.dev]], () => removePlaces(world.platform));
    assert.equal(await isThere(id), 0);
    await countsAreExact(world);
    const versions = await numberOf(sql`select count(*) as n from event_versions where id = ${id}`);
    assert.equal(versions, 0);
  });

  it("restores the project if it commits first, and fails if it comes second (decision 0152)", async () => {
    const first = await due("first");
    const restore = "update projects set marked_for_deletion_at = null, removal_due_at = null where id = $1";
    await meanwhile(world, [[restore, first]], () => removePlaces(world.platform));
    assert.equal((await ask("GET", `projects/${first}`)).json.marked_for_deletion_on, null);
    const second = await due("second");
    const begin = "update projects set removal_began_at = now() where id = $1";
    const reply = await meanwhile(world, [[begin, second]], () => ask("POST", `projects/${second}/restore`));
    assert.equal(reply.status, 400, reply.text);
    await removePlaces(other);
    assert.deepEqual([await isThere(first), await isThere(second)], [1, 0]);
  });

  it("that makes one removal time out does not stop other removals; the removal is repeated in the next run (decision 0152)", async () => {
    const stuck = await due("stuck");
    const next = await due("next");
    const held = ["select from projects where id = $1 for key share", stuck] as const;
    await whileHeld(world, [held], async (isWaitedFor) => {
      const removing = removePlaces(world.platform);
      removing.catch(() => {});
      await until(isWaitedFor);
      await endWaiting(world);
      await removing;
    });
    assert.deepEqual([await isThere(stuck), await isThere(next)], [1, 0]);
    await removePlaces(world.platform);
    assert.equal(await isThere(stuck), 0);
  });
});

describe("a deleted group", () => {
  it("includes its subgroups and projects, is restored with them, and is removed as a whole (GitLab v4 API, DELETE /groups/:id)", async () => {
    await awayFromMidnight();
    const top = await aGroup("sinking");
    const below = await aGroup("deck", { parent_id: top });
    const inside = await aProject("hull", below);
    const beside = await aGroup("floating");
    await ask("POST", `groups/${top}/members`, "olga", { user_id: world.ids.stan, access_level: 30 });
    assert.equal((await ask("DELETE", `groups/${top}`, "stan")).status, 403);
    const tooSoon = await ask("DELETE", `groups/${top}?permanently_remove=true&full_path=sinking`);
    assert.deepEqual(tooSoon.json, {
      message: "`permanently_remove` option is only available for subgroups.",
    });
    assert.deepEqual((await ask("DELETE", `groups/${top}`)).json, { message: "202 Accepted" });
    const again = await ask("DELETE", `groups/${top}`);
    assert.deepEqual(
      [again.status, again.json],
      [400, { message: "Group has been already marked for deletion" }],
    );
    assert.equal((await ask("DELETE", `projects/${inside}`)).status, 202, "it is deleted with the group");
    const marks = async () =>
      Promise.all(
        [`groups/${top}`, `groups/${below}`, `projects/${inside}`].map(
          async (path) => (await ask("GET", path)).json.marked_for_deletion_on,
        ),
      );
    assert.deepEqual(await marks(), [today(), today(), today()]);
    const own = await ask("POST", `projects/${inside}/restore`);
    assert.equal(own.status, 400, own.text);
    const late = await ask("POST", "projects", "olga", { name: "late", namespace_id: below });
    assert.equal(late.status, 403, late.text);
    assert.equal((await ask("POST", `groups/${top}/restore`)).status, 201);
    assert.deepEqual(await marks(), [null, null, null]);
    await ask("DELETE", `groups/${top}`);
    await letTimePass("namespaces", top);
    await world.platform.db.run(sql`select begin_removals()`);
    for (const as of ["olga", "stan", "ada"] as const) {
      for (const path of [`groups/${top}`, `groups/${below}`, `namespaces/${top}`, `projects/${inside}`])
        assert.equal((await ask("GET", path, as)).status, 404, `${as} ${path}`);
      for (const list of ["groups", "namespaces", "projects"]) {
        const { text } = await ask("GET", `${list}?per_page=100`, as);
        assert.doesNotMatch(text, /sinking/, `${as} ${list}`);
      }
    }
    await runJob(world, "removals");
    const left = await numberOf(
      sql`select count(*) as n from namespaces where ${top}::bigint = any (lineage)`,
    );
    assert.equal(left, 0);
    assert.equal((await ask("GET", `projects/${inside}`)).status, 404);
    assert.equal((await ask("GET", `groups/${beside}`)).status, 200);
    assert.deepEqual((await actionsAbout("group", "sinking")).at(-1), "group_removed");
    assert.ok(await aGroup("sinking"));
  });

  it("is removed with its applications, whose tokens become invalid (decision 0152)", async () => {
    const { db } = world.platform;
    const group = await aGroup("maker");
    const made = await anApplication(world, { name: "Of the group" });
    await db.run(
      sql`update applications set owner_id = null, owner_group_id = ${group} where uid = ${made.uid}`,
    );
    const form = { grant_type: "password", username: "olga", password: PASSWORD };
    const headers = { authorization: made.basic };
    const { json } = await world.call("/oauth/token", { method: "POST", form, headers });
    const asToken = () => world.call("/api/v4/user", { token: json.access_token });
    assert.equal((await asToken()).status, 200);
    await ask("DELETE", `groups/${group}`);
    assert.equal((await asToken()).status, 200, "until the group is removed");
    await letTimePass("namespaces", group);
    await runJob(world, "removals");
    assert.equal((await asToken()).status, 401);
  });

  it("can be removed at once if it is a subgroup, and nothing next to it is removed (GitLab v4 API, permanently_remove)", async () => {
    const top = await aGroup("keeps");
    const below = await aGroup("loses", { parent_id: top });
    await aProject("kept", top);
    await ask("DELETE", `groups/${below}`);
    const reply = await ask("DELETE", `groups/${below}?permanently_remove=true&full_path=keeps/loses`);
    assert.equal(reply.status, 202, reply.text);
    await runJob(world, "removals");
    assert.equal((await ask("GET", `groups/${below}`)).status, 404);
    assert.equal((await ask("GET", "projects/keeps%2Fkept")).status, 200);
  });
});

/** Columns that refer to a project or a group: foreign keys, and columns with such names. */
const belonging = () =>
  world.platform.db.many(
    row({ relation: text, name: text, kind: text }),
    sql`select c.relname as relation, a.attname as name,
        case when a.attname like '%project_id' or f.confrelid = 'projects'::regclass then 'project' else 'group' end as kind
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_constraint f on f.conrelid = c.oid and f.contype = 'f' and f.conkey = array[a.attnum]
          and f.confrelid in ('projects'::regclass, 'namespaces'::regclass)
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and (f.oid is not null or a.attname ~ '(project|namespace)_id$')
      order by 1, 2`,
  );

describe("what is left of a removed group", () => {
  it("is no row in any table, including tables added later, except in the audit log (decision 0152)", async () => {
    const { db } = world.platform;
    const { cast } = await seedDemo({ ...world.platform, db });
    await compactEventCounts(world.platform);
    const projects = cast.projects.map(({ id }) => id);
    const groups = cast.groups.map(({ id }) => id);
    const columns = await belonging();
    const count = async ({ relation, name, kind }: (typeof columns)[number]) => {
      const ids = kind === "project" ? projects : groups;
      const found = await db.one(
        row({ n: integer }),
        new Sql([`select count(*) as n from ${relation} where ${name} = any (`, "::bigint[])"], [ids]),
      );
      return found.n;
    };
    const full: string[] = [];
    for (const column of columns)
      if ((await count(column)) > 0) full.push(`${column.relation}.${column.name}`);
    for (const needed of [
      "alerts",
      "incidents",
      "events",
      "event_days",
      "event_targets",
      "alert_receipts",
      "members",
    ])
      assert.ok(
        full.some((name) => name.startsWith(`${needed}.`)),
        `${needed}: ${full.join(" ")}`,
      );
    const counts = await eventCounts(world);
    for (const { id, lineage } of await db.many(
      row({ id: integer, lineage: integer }),
      sql`select id, cardinality(lineage) as lineage from namespaces where id = any (${groups}::bigint[])`,
    )) {
      if (lineage === 1) await ask("DELETE", `groups/${id}`, "ada");
      if (lineage === 1) await letTimePass("namespaces", id);
    }
    for (let round = 0; round < 20; round++) await removePlaces(other);
    await compactEventCounts(world.platform);
    const left: string[] = [];
    for (const column of columns) {
      const n = await count(column);
      if (n > 0) left.push(`${column.relation}.${column.name}: ${n}`);
    }
    assert.deepEqual(left, []);
    const lost = await numberOf(sql`select
        (select count(*) from event_versions where id = any (${projects}::bigint[]))
        + (select count(*) from projects where lineage && ${groups}::bigint[])
        + (select count(*) from event_commits c where not exists (
            select from events e where e.created_at = c.created_at and e.id = c.event_id)) as n`);
    assert.equal(lost, 0);
    assert.notEqual(await eventCounts(world), counts);
    await world.owner.run(sql`select rebuild_event_rollups()`);
    assert.equal(await daySumsAstray(), 0);
  });
});

describe("the pages for deletion", () => {
  it("ask for the path, say until when the project can be restored, and restore it, without script (decision 0152)", async () => {
    await aProject("paged", "acme");
    const olga = await signedIn(world, "olga");
    const settings = "/acme/paged/-/settings/general";
    const form = "/acme/paged/-/settings/delete";
    assert.ok((await olga.get(settings)).text.includes(`action="${form}"`), "the page has this form");
    const wrong = await olga.post(form, { confirm: "acme/rocket" });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /Type acme\/paged to go on\./);
    const sent = await olga.post(form, { confirm: "acme/paged" });
    assert.deepEqual([sent.status, sent.location], [303, `${settings}#main`], sent.text);
    const shown = await olga.follow(sent);
    assert.match(shown.text, /Paged is marked for deletion\.|paged is marked for deletion\./);
    assert.match(
      (await olga.get("/acme/paged/-/alerts")).text,
      /goes for good on \d+ \w+ \d{4}, \d\d:\d\d UTC\..*>Restore it<\/a>/,
    );
    assert.match((await olga.get("/projects?search=paged")).text, /Marked for deletion/);
    assert.ok((await olga.get(settings)).text.includes('action="/acme/paged/-/settings/restore"'));
    const back = await olga.post("/acme/paged/-/settings/restore", {});
    assert.match((await olga.follow(back)).text, /paged is restored\./);
    await olga.submit(form, { confirm: "acme/paged" }, settings);
    const now = await olga.submit(form, { confirm: "acme/paged", now: "true" }, settings);
    assert.equal(now.location, "/projects#main");
    await runJob(world, "removals");
    assert.equal((await olga.get("/acme/paged")).status, 404);
    const max = await signedIn(world, "max");
    assert.equal(
      (await max.submit("/acme/rocket/-/settings/delete", { confirm: "acme/rocket" }, "/projects")).status,
      403,
    );
  });

  it("of groups do the same (decision 0152)", async () => {
    await aGroup("paged-group");
    const olga = await signedIn(world, "olga");
    const settings = "/groups/paged-group/-/settings";
    const sent = await olga.submit(`${settings}/delete`, { confirm: "paged-group" }, settings);
    assert.equal(sent.location, `${settings}#main`);
    assert.match((await olga.get("/paged-group")).text, /This group is marked for deletion/);
    const back = await olga.submit(`${settings}/restore`, {}, settings);
    assert.match((await olga.follow(back)).text, /paged-group is restored\./);
  });
});

describe("the delay before a removal", () => {
  it("is the configured number of days, with 0 meaning at once (decision 0152)", async () => {
    const hasty = await startWorld({ GATEHOUSE_DELETION_DELAY_DAYS: "0" });
    await hasty.call("/api/v4/projects/acme%2Frocket", { as: "olga", method: "DELETE" });
    await runJob(hasty, "removals");
    assert.equal((await hasty.call("/api/v4/projects/acme%2Frocket", { as: "olga" })).status, 404);
    await ask("DELETE", ROCKET);
    const week =
      await numberOf(sql`select extract(day from removal_due_at - marked_for_deletion_at)::bigint as n
      from projects where id = ${world.rocket.id}`);
    assert.equal(week, 7);
  });
});
