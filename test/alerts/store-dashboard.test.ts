/** The statements behind the page of all open alerts: what they list and count, and how much of it they read. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SEVERITIES } from "../../src/alerts/severity.ts";
import {
  countUrgentAlerts,
  listUrgentAlerts,
  listUrgentProjects,
  SEARCHED_OPEN,
  type UrgentFilter,
} from "../../src/alerts/store-dashboard.ts";
import type { Queries } from "../../src/platform/db.ts";
import { boolean, integer, type RowOf, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { rowsRead } from "../support/plans.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const PROJECTS = 150;
const EACH = 60;
const MANY = 3000;
/** Stan is Reporter in every third project; every tenth is archived. */
const HIS = 90;

const FactRow = row({ place: text, iid: integer, severity: text, status: text, assigned: boolean });

let world: World;
let facts: RowOf<typeof FactRow>[];
before(async () => {
  world = await startWorld();
  const { owner, ids, rocket } = world;
  await owner.run(sql`insert into projects (namespace_id, path, full_path, name, visibility, creator_id, archived_at)
    select p.namespace_id, 'part-' || n, 'acme/part-' || n, 'Part ' || n, 'private', ${ids.olga},
      case when n % 10 = 0 then now() end
    from generate_series(1, ${PROJECTS}::integer) n cross join projects p where p.id = ${rocket.id}`);
  await owner.run(sql`insert into members (project_id, user_id, access_level)
    select id, ${ids.stan}, case when split_part(path, '-', 2)::integer % 3 = 0 then 20 else 30 end
    from projects where path like 'part-%'`);
  // Many start at the same time, and one project has far more than the others.
  await owner.run(sql`insert into alerts (project_id, iid, title, severity, status, hosts, fingerprint_hash, grouped, events,
      deliveries, started_at, ended_at, first_payload, test)
    select p.id, n, 'Alert ' || n, (${SEVERITIES}::text[])[1 + (n * 7 + p.id) % 6], s.status, '{}',
      sha256((p.id || ' ' || n)::bytea), true, 1, 1, now() - make_interval(mins => (n * 37 + p.id * 11)::integer % 500),
      case when s.status = 'resolved' then now() end, '{}', n % 13 = 0
    from projects p cross join generate_series(1, ${MANY}::integer) n cross join lateral (
      select (array['triggered', 'acknowledged', 'resolved', 'ignored', 'triggered'])[1 + (n + p.id) % 5] as status) s
    where p.path like 'part-%' and (n <= ${EACH} or p.path = 'part-1')`);
  await owner.run(sql`insert into alert_assignees (alert_id, user_id)
    select a.id, ${ids.stan} from alerts a where a.id % 20 = 0`);
  await owner.run(sql`analyze`);
  facts = await owner.many(
    FactRow,
    sql`select p.full_path as place, a.iid, a.severity, a.status,
        exists (select from alert_assignees g where g.alert_id = a.id and g.user_id = ${ids.stan}) as assigned
      from alerts a join projects p on p.id = a.project_id join members m on m.project_id = p.id
      where m.user_id = ${ids.stan} and m.access_level >= 30 and not p.archived and not a.test
        and a.status = any ('{triggered,acknowledged}')
      order by array_position(${SEVERITIES}::text[], a.severity), a.started_at desc, a.id desc`,
  );
});

const FILTERS: readonly UrgentFilter[] = [
  { assigned: false },
  { assigned: false, severity: "low" },
  { assigned: false, status: "acknowledged" },
  { assigned: false, status: "triggered", severity: "unknown" },
  { assigned: true },
  { assigned: true, status: "triggered" },
  { assigned: true, severity: "high" },
  { assigned: false, words: "ALERT 2" },
  { assigned: false, words: "t 1", status: "triggered", severity: "high" },
  { assigned: true, words: "ert 1" },
];
const matching = ({ assigned, status, severity, words = "" }: UrgentFilter) =>
  facts.filter(
    (one) =>
      (!assigned || one.assigned) &&
      `alert ${one.iid}`.includes(words.toLowerCase()) &&
      (status === undefined || one.status === status) &&
      (severity === undefined || one.severity === severity),
  );

for (const filter of FILTERS) {
  test(`every page equals that of a plain query: ${JSON.stringify(filter)} (decision 0279)`, async () => {
    const { db } = world.platform;
    const wanted = matching(filter);
    assert.ok(wanted.length > 20, `${wanted.length} alerts`);
    for (const offset of [0, 6, 20, 100, 380, 700, 980, 2000, wanted.length - 7, wanted.length]) {
      const page = { limit: 20, offset: Math.max(0, offset) };
      const alerts = await listUrgentAlerts(db, world.ids.stan, filter, page);
      assert.deepEqual(
        alerts.map((one) => [one.projectFullPath, one.iid, one.assignedToViewer > 0]),
        wanted.slice(page.offset, page.offset + 20).map((one) => [one.place, one.iid, one.assigned]),
        `from ${offset}`,
      );
      for (const { total } of alerts) assert.equal(total, wanted.length);
    }
    const counts = await countUrgentAlerts(db, world.ids.stan, filter);
    const of = (status: "triggered" | "acknowledged") => matching({ ...filter, status }).length;
    const { assigned, severity } = filter;
    const searchable = assigned ? 0 : matching({ assigned, severity }).length;
    const [triggered, acknowledged] = [of("triggered"), of("acknowledged")];
    assert.deepEqual(counts, { projects: HIS, triggered, acknowledged, searchable });
  });
}

test("a page reads about as many alerts as are listed up to its end, plus one per project; counts read no alerts (decision 0279)", async () => {
  const { ids } = world;
  const read = (ask: (db: Queries) => Promise<unknown>) => rowsRead(world, "alerts", ask);
  for (const offset of [0, 20, 200, 980]) {
    const page = { limit: 20, offset };
    const rows = await read((db) => listUrgentAlerts(db, ids.stan, { assigned: false }, page));
    // Those of each project and status are looked up twice.
    assert.ok(rows <= 2 * (offset + page.limit) + 4 * HIS, `from ${offset}: ${rows} rows`);
  }
  assert.equal(await read((db) => countUrgentAlerts(db, ids.stan, { assigned: false })), 0);
  const { n } = await world.owner.one(
    row({ n: integer }),
    sql`select count(*) as n from alert_assignees where user_id = ${ids.stan}`,
  );
  const page = { limit: 20, offset: 0 };
  assert.ok((await read((db) => listUrgentAlerts(db, ids.stan, { assigned: true }, page))) <= n);
  assert.ok((await read((db) => countUrgentAlerts(db, ids.stan, { assigned: true }))) <= n);
});

test("projects are listed with the numbers of their alerts, those with the most critical ones first; no alerts are read (decision 0290)", async () => {
  const { ids } = world;
  for (const filter of [{}, { status: "acknowledged" }, { severity: "low" }] as const) {
    const places = Map.groupBy(matching({ ...filter, assigned: false }), ({ place }) => place);
    const wanted = [...places].map(([fullPath, of]) => {
      const many = (level: string) => of.filter(({ severity }) => severity === level).length;
      return { fullPath, critical: many("critical"), high: many("high"), open: of.length };
    });
    wanted.sort((a, b) => b.critical - a.critical || b.open - a.open || (a.fullPath < b.fullPath ? -1 : 1));
    const shown = await listUrgentProjects(world.platform.db, ids.stan, filter, 12);
    assert.deepEqual(
      shown.map(({ fullPath, critical, high, open }) => ({ fullPath, critical, high, open })),
      wanted.slice(0, 12),
    );
    for (const { projects } of shown) assert.equal(projects, wanted.length);
  }
  const rows = await rowsRead(world, "alerts", (db) => listUrgentProjects(db, ids.stan, {}, 12));
  assert.equal(rows, 0);
});

test("a search among more open alerts than it reads finds the newest of each project (decision 0290)", async () => {
  const { owner, ids, platform } = world;
  await owner.run(sql`insert into alerts (project_id, iid, title, severity, status, hosts, fingerprint_hash, grouped, events,
      deliveries, started_at, first_payload, test)
    select p.id, 100000 + n, 'Flood ' || n, 'info', 'triggered', '{}', sha256((p.id || ' flood ' || n)::bytea), true, 1, 1,
      now() - make_interval(secs => n), '{}', false
    from projects p cross join generate_series(1, ${SEARCHED_OPEN}::integer) n where p.path = 'part-1'`);
  const filter = { assigned: false, words: "1" };
  const page = { limit: 20, offset: 0 };
  const ask = (db: Queries) => listUrgentAlerts(db, ids.stan, filter, page);
  assert.ok((await rowsRead(world, "alerts", ask)) <= SEARCHED_OPEN);
  const found = new Set((await ask(platform.db)).map(({ projectFullPath }) => projectFullPath));
  assert.ok(found.size > 5, `${found.size} projects`);
  const flood = { ...filter, words: "Flood" };
  const { triggered, searchable } = await countUrgentAlerts(platform.db, ids.stan, flood);
  assert.ok(triggered > 0 && triggered < SEARCHED_OPEN, `${triggered} found`);
  assert.ok(searchable > SEARCHED_OPEN);
  const [newest] = await listUrgentAlerts(platform.db, ids.stan, flood, page);
  assert.equal(newest?.title, "Flood 1");
  // For one status it reads more of that status than for both, and the page counts what it lists.
  const ofStatus = { ...flood, status: "triggered" } as const;
  const [listed] = await listUrgentAlerts(platform.db, ids.stan, ofStatus, page);
  assert.ok(listed && listed.total > triggered, `${listed?.total} listed, ${triggered} counted`);
  const { text: shown } = await (await signedIn(world, "stan")).get(
    "/-/alerts?search=Flood&status=triggered",
  );
  assert.match(shown, new RegExp(`1–20 of ${listed.total.toLocaleString("en")} triggered\\.`));
});
