/** Lists and counts of incidents in a project that has many. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { IncidentFilter } from "../../src/alerts/incident.ts";
import { countIncidents, countOpenWork, listIncidents } from "../../src/alerts/store-incidents.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { rowsRead } from "../support/plans.ts";
import { unhurried } from "../support/unhurried.ts";
import { startWorld, type World } from "../support/world.ts";

const INCIDENTS = 60_000;
/** One in forty is open. */
const OPEN = INCIDENTS / 40;
let world: World;
before(async () => {
  world = await startWorld();
  const { pooled } = world.platform.db;
  await unhurried(
    world,
    sql`
    insert into incidents (project_id, iid, title, state, closed_at, created_at)
    select ${world.rocket.id}, n, 'Incident ' || n, case when n % 40 = 0 then 'opened' else 'closed' end,
      case when n % 40 <> 0 then now() end, now() - make_interval(mins => ${INCIDENTS} - n / 3)
    from generate_series(1, ${INCIDENTS}::integer) n`,
  );
  await pooled.run(sql`insert into project_counters (project_id, kind, last)
    values (${world.rocket.id}, 'incident', ${INCIDENTS})`);
  await world.owner.run(sql`analyze incidents`);
});

const PAGE = { limit: 20, offset: 40 };
const filters: IncidentFilter[] = [{}, { state: "opened" }, { state: "closed" }];

test("a list of incidents reads few rows (reference performance §6; decision 0162)", async () => {
  for (const filter of filters) {
    for (const ascending of [true, false]) {
      const page = { ...PAGE, ascending };
      const read = await rowsRead(world, "incidents", (db) =>
        listIncidents(db, world.rocket.id, filter, page),
      );
      assert.ok(read < 1000, `${filter.state} ${ascending}: ${read} rows`);
    }
  }
});

test("counts of incidents read open incidents only (reference performance §6; decision 0162)", async () => {
  const readBy = (ask: typeof countIncidents | typeof countOpenWork) =>
    rowsRead(world, "incidents", (db) => ask(db, world.rocket.id));
  assert.equal(await readBy(countIncidents), OPEN);
  assert.equal(await readBy(countOpenWork), 1000, "the count on every page of the project stops at 1,000");
});

test("incidents are listed by the time of their opening and then by id, on later pages as well (contract §3)", async () => {
  const { db } = world.platform;
  for (const filter of filters) {
    for (const ascending of [true, false]) {
      const listed = await listIncidents(db, world.rocket.id, filter, { ...PAGE, ascending });
      const plain = await db.pooled.many(
        row({ id: integer }),
        sql`select id from incidents where project_id = ${world.rocket.id}
            and state = coalesce(${filter.state ?? null}::text, state)
          order by case when ${ascending} then created_at end, case when ${!ascending} then created_at end desc,
            case when ${ascending} then id else -id end limit 20 offset 40`,
      );
      assert.deepEqual(
        listed.map(({ id }) => id),
        plain.map(({ id }) => id),
      );
    }
  }
});

test("incidents requested by iid are read alone (decision 0162)", async () => {
  const asked = { iids: [3, 59_999, INCIDENTS + 1] };
  const read = await rowsRead(world, "incidents", async (db) => {
    await listIncidents(db, world.rocket.id, asked, PAGE_ONE);
    await countIncidents(db, world.rocket.id, asked);
  });
  assert.ok(read < 20, `${read} rows`);
  const listed = await listIncidents(world.platform.db, world.rocket.id, asked, PAGE_ONE);
  assert.deepEqual(
    listed.map(({ iid }) => iid),
    [59_999, 3],
  );
});

test("a search covers the newest 50,000 incidents, and its results are counted by state (decision 0162)", async () => {
  const { db } = world.platform;
  const search = async (text: string) => [
    (await listIncidents(db, world.rocket.id, { search: text }, PAGE_ONE)).map(({ iid }) => iid),
    await countIncidents(db, world.rocket.id, { search: text }),
  ];
  assert.deepEqual(await search("INCIDENT 59999"), [[59_999], { opened: 0, closed: 1, all: 1 }]);
  assert.deepEqual(await search("incident 9999"), [[], { opened: 0, closed: 0, all: 0 }]);
  assert.deepEqual(await countIncidents(db, world.rocket.id), {
    opened: OPEN,
    closed: INCIDENTS - OPEN,
    all: INCIDENTS,
  });
});
const PAGE_ONE = { limit: 20, offset: 0 };
