import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { ALERT_STATUSES } from "../../src/alerts/alert.ts";
import { listUrgentAlerts } from "../../src/alerts/store-dashboard.ts";
import { countArrived, listAlertsBelow } from "../../src/alerts/store-export.ts";
import { countOpenWork } from "../../src/alerts/store-incidents.ts";
import {
  ALERT_SORTS,
  type AlertFilter,
  type AlertOrder,
  countAlerts,
  countByStatus,
  listAlerts,
} from "../../src/alerts/store-lists.ts";
import { listTimedOut } from "../../src/alerts/store-timeouts.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row, text } from "../../src/platform/row.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { rowsRead } from "../support/plans.ts";
import { unhurried } from "../support/unhurried.ts";
import { startWorld, type World } from "../support/world.ts";

const ALERTS = 30_000;
const INCIDENTS = 3000;
let world: World;
before(async () => {
  world = await startWorld();
  await unhurried(
    world,
    sql`
    insert into alerts (project_id, iid, title, severity, status, hosts, fingerprint_hash, grouped, events, deliveries,
      started_at, ended_at, first_payload, created_at, updated_at)
    select ${world.rocket.id}, n, 'Alert ' || n, (array['critical', 'high', 'medium', 'low', 'info', 'unknown'])[1 + n % 6],
      status, '{}', sha256(n::text::bytea), true, 1 + n * 7 % 1000, 1, now() - make_interval(mins => 100000 - n),
      case when status = 'resolved' then now() - make_interval(mins => n * 11 % 30000) end, '{}', now(),
      now() - make_interval(mins => n * 13 % 30000)
    from (select n, (array['resolved', 'resolved', 'resolved', 'triggered', 'acknowledged', 'ignored'])[1 + n / 7 % 6] as status
      from generate_series(1, ${ALERTS}::integer) n) n`,
  );
  // So few that the planner would prefer reading all of them to looking one up for each of a tenth of the alerts.
  await unhurried(
    world,
    sql`with made as (
      insert into incidents (project_id, iid, title) select ${world.rocket.id}, n, 'Incident ' || n
      from generate_series(1, ${INCIDENTS}::integer) n returning id, iid)
    update alerts a set incident_id = made.id from made where made.iid = 1 + a.iid % ${INCIDENTS}::integer`,
  );
  await world.owner.run(sql`analyze alerts, incidents`);
});

const PAGE = { limit: 20, offset: 40 };
const orders = ALERT_SORTS.flatMap((by) =>
  [true, false].map((descending): AlertOrder => ({ by, descending })),
);
const filters: Readonly<Record<string, AlertFilter>> = {
  "all alerts": {},
  "open alerts": { statuses: ["triggered", "acknowledged"] },
  ...Object.fromEntries(
    ALERT_STATUSES.map((status) => [`alerts with status ${status}`, { statuses: [status] }]),
  ),
  "open critical alerts": { statuses: ["triggered", "acknowledged"], severities: ["critical"] },
  "silenced alerts": { silenced: true },
  "alerts that are not silenced": { silenced: false },
  "alerts with given iids": { iids: [7, 70, 700] },
  "alerts of an assignee": { assignees: ["max"] },
};

/** The query plan of a statement. */
async function planOf(ask: (db: Queries) => Promise<unknown>): Promise<string> {
  const { db } = world.platform;
  let plan: string[] = [];
  const explain = async (statement: Sql) => {
    const lines = await db.pooled.many(row({ "QUERY PLAN": text }), sql`explain ${statement}`);
    plan = lines.map((line) => line["QUERY PLAN"]);
    return [];
  };
  const asked = { many: (_: unknown, statement: Sql) => explain(statement) };
  const one = async (_: unknown, statement: Sql) => ({ n: (await explain(statement)).length });
  await ask({ ...asked, one } as unknown as Queries);
  return plan.join("\n");
}

describe("no list of alerts scans the whole table (reference performance §6, alerts; decision 0091)", () => {
  for (const [name, filter] of Object.entries(filters)) {
    test(`${name} are read by an index in every order (decision 0091)`, async () => {
      for (const order of orders) {
        const plan = await planOf((db) => listAlerts(db, world.rocket.id, filter, order, PAGE));
        assert.doesNotMatch(plan, /Seq Scan on alerts/, `${order.by} ${order.descending}`);
        assert.match(plan, /Index (Only )?Scan.* on alerts/);
      }
    });
  }

  test("a page reads the incidents of its own alerts only (decision 0169)", async () => {
    const { rocket } = world;
    const readBy = (ask: (db: Queries) => Promise<unknown>) => rowsRead(world, "incidents", ask);
    for (const order of orders) {
      const read = await readBy((db) => listAlerts(db, rocket.id, {}, order, PAGE));
      assert.ok(read <= PAGE.limit, `${order.by} ${order.descending}: ${read} rows`);
    }
    const chunk = { limit: 100, isBare: true };
    assert.ok((await readBy((db) => listAlertsBelow(db, rocket.id, {}, ALERTS, chunk))) <= chunk.limit);
  });

  test("counts by silence use the index of silenced alerts (decision 0096)", async () => {
    for (const silenced of [true, false]) {
      const byStatus = await planOf((db) => countByStatus(db, world.rocket.id, { silenced }));
      const total = await planOf((db) => countAlerts(db, world.rocket.id, { silenced }));
      for (const plan of [byStatus, total]) {
        assert.match(plan, /on alerts_silenced_list|using alerts_silenced_list/);
        assert.doesNotMatch(plan, /Seq Scan on alerts|using alerts_list/);
      }
    }
  });

  test("filters by iid and by assignee read only the matching alerts (reference alerts A9)", async () => {
    const { ids, platform, rocket } = world;
    await platform.db.run(sql`insert into alert_assignees (alert_id, user_id)
      select id, ${ids.max} from alerts where project_id = ${rocket.id} and iid in (7, 70)`);
    for (const filter of [{ iids: [7, 70] }, { assignees: ["max"] }]) {
      for (const order of orders) {
        const read = await rowsRead(world, "alerts", (db) => listAlerts(db, rocket.id, filter, order, PAGE));
        assert.ok(read <= 4, `${Object.keys(filter)} by ${order.by}: ${read} rows`);
      }
      assert.ok((await rowsRead(world, "alerts", (db) => countAlerts(db, rocket.id, filter))) <= 2);
    }
  });

  test("counts of tabs and of open work do not read the alerts (decision 0091)", async () => {
    for (const ask of [
      (db: Queries) => countByStatus(db, world.rocket.id),
      (db: Queries) => countAlerts(db, world.rocket.id, { statuses: ["resolved"] }),
      (db: Queries) => countOpenWork(db, world.rocket.id),
    ]) {
      assert.doesNotMatch(await planOf(ask), / on alerts\b/);
    }
  });
});

test("queries for urgent, newly arrived and timed-out alerts read no resolved alert and few others (decision 0091)", async () => {
  const { ids, platform, rocket } = world;
  await platform.db.run(sql`insert into alert_settings (project_id, resolve_after_hours) values (${rocket.id}, 8760)
    on conflict (project_id) do update set resolve_after_hours = 8760`);
  const read = (ask: (db: Queries) => Promise<unknown>) => rowsRead(world, "alerts", ask);
  assert.ok(
    (await read((db) => listUrgentAlerts(db, ids.dev, { assigned: false }, { limit: 6, offset: 0 }))) <=
      12 * 6,
  );
  const { resolved, all } = await countByStatus(platform.db, rocket.id);
  assert.ok((await read(listTimedOut)) <= all - resolved);
  assert.ok(
    (await read((db) => countArrived(db, rocket.id, { severities: ["critical"] }, ALERTS - 10))) <= 10,
  );
});

describe("orders of the list agree with a plain query (contract-alerts, list)", () => {
  const rankOf: Readonly<Record<string, string>> = {
    started_at: "started_at",
    ended_at: "ended_at",
    created_at: "iid",
    updated_at: "updated_at",
    event_count: "events",
    severity: "-array_position(array['critical', 'high', 'medium', 'low', 'info', 'unknown'], severity)",
    status: "-array_position(array['triggered', 'acknowledged', 'resolved', 'ignored'], status)",
  };
  for (const { by, descending } of orders) {
    test(`${by}_${descending ? "desc" : "asc"} agrees on a later page too (contract-alerts, list)`, async () => {
      const { db } = world.platform;
      const direction = descending ? "desc" : "asc";
      const rank = rankOf[by] as string;
      for (const filter of [{}, filters["open alerts"] as AlertFilter]) {
        const statuses = filter.statuses ?? ALERT_STATUSES;
        const listed = await listAlerts(db, world.rocket.id, filter, { by, descending }, PAGE);
        // The expected order: by the requested column with nulls last, then as ties are sorted.
        const ties =
          by === "created_at"
            ? ""
            : by === "updated_at" || by === "event_count"
              ? ""
              : `started_at ${direction},`;
        const plain = await db.pooled.many(
          row({ id: integer }),
          new Sql(
            [
              "select id from alerts where project_id = ",
              " and status = any (",
              `::text[]) order by ${rank} ${direction} nulls last, ${ties} id ${direction} limit 20 offset 40`,
            ],
            [world.rocket.id, statuses],
          ),
        );
        assert.deepEqual(
          listed.map(({ id }) => id),
          plain.map(({ id }) => id),
        );
      }
    });
  }
});

test("a status or severity that is requested twice lists each alert once (contract-alerts, list)", async () => {
  const { db } = world.platform;
  const once: AlertFilter = { statuses: ["triggered"], severities: ["low"] };
  const twice: AlertFilter = { statuses: ["triggered", "triggered"], severities: ["low", "low", "low"] };
  for (const order of orders) {
    const [wanted, listed] = await Promise.all(
      [once, twice].map((filter) => listAlerts(db, world.rocket.id, filter, order, PAGE)),
    );
    assert.equal(wanted?.length, PAGE.limit);
    assert.deepEqual(
      listed?.map(({ iid }) => iid),
      wanted?.map(({ iid }) => iid),
      order.by,
    );
  }
});

test("the counts of tabs follow every change, and do not include test alerts (contract-alerts, list)", async () => {
  const { db } = world.platform;
  await db.run(sql`update alerts set status = 'resolved', ended_at = now() where iid between 1 and 200`);
  await db.run(sql`update alerts set status = 'triggered', ended_at = null where iid between 50 and 90`);
  await db.run(sql`update alerts set severity = 'info' where iid between 10 and 300`);
  await db.run(sql`update alerts set test = true where iid between 301 and 320`);
  await db.run(sql`delete from alerts where iid between 400 and 500`);
  const plain = await db.many(
    row({ status: text, severity: text, n: integer }),
    sql`select status, severity, count(*) as n from alerts where not test group by 1, 2 order by 1, 2`,
  );
  const kept = await db.many(
    row({ status: text, severity: text, n: integer }),
    sql`select status, severity, n from alert_counts where n <> 0 order by 1, 2`,
  );
  assert.deepEqual(kept, plain);
  const { all } = await countByStatus(db, world.rocket.id);
  assert.equal(all, ALERTS - 20 - 101);
});
