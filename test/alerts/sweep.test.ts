/** What a sweep of alerts deletes, and what it keeps. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { sweepAlerts } from "../../src/alerts/sweep.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

test("receipts are deleted after 90 days, and the alert keeps its counts (decision 0038)", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const reply = await source.send({ title: "Old trouble" });
    ids.push(reply.headers.get("x-alert-receipt") ?? "");
  }
  const [oldest, older, young] = ids;
  const age = (id: string | undefined, days: number) =>
    world.platform.db.run(
      sql`update alert_receipts set received_at = now() - make_interval(days => ${days}::integer) where id = ${id}::uuid`,
    );
  await age(oldest, 91);
  await age(older, 89);
  await sweepAlerts(world.platform);
  const status = async (id: string | undefined) =>
    (await world.call(`${api}/alert_receipts/${id}`, { as: "max" })).status;
  assert.deepEqual([await status(oldest), await status(older), await status(young)], [404, 200, 200]);
  const [alert] = (await world.call(`${api}/alert_management_alerts`, { as: "dev" })).json;
  assert.deepEqual([alert.title, alert.events, alert.deliveries], ["Old trouble", 3, 3]);
});

test("the page of an alert whose occurrences were deleted says so instead of showing an empty table (decision 0038)", async () => {
  const [{ iid }] = (await source.send({ title: "Forgotten trouble" })).json;
  await world.platform.db.run(
    sql`update alert_occurrences set received_at = now() - interval '91 days'
      where alert_id = (select max(id) from alerts)`,
  );
  await sweepAlerts(world.platform);
  const visitor = await signedIn(world, "dev");
  const page = await visitor.get(`/acme/rocket/-/alerts/${iid}`);
  assert.match(page.text, /Occurrences are kept for 90 days/);
  assert.doesNotMatch(page.text, /Occurrence table/);
});

test("one sweep deletes all overdue test alerts, idempotent answers and early recoveries, in portions (decisions 0038, 0180)", async () => {
  const { db } = world.platform;
  await db.run(
    sql`insert into alert_idempotency_keys (integration_id, key_hash, receipt_id, answer, created_at)
      select ${source.id}, sha256(n::text::bytea), gen_random_uuid(), '{"alerts": []}',
        now() - make_interval(hours => case when n = 1 then 71 else 73 end) from generate_series(1, 2500) n`,
  );
  await db.run(
    sql`insert into alerts (project_id, iid, title, severity, fingerprint_hash, grouped, events, deliveries, started_at,
        first_payload, test, created_at)
      select ${world.rocket.id}, 100000 + n, 'A test', 'low', sha256(n::text::bytea), false, 1, 1, now(), '{}', true,
        now() - make_interval(hours => case when n = 1 then 23 else 25 end) from generate_series(1, 2500) n`,
  );
  await db.run(
    sql`insert into alert_early_recoveries (project_id, fingerprint_hash, ended_at, received_at)
      select ${world.rocket.id}, sha256(n::text::bytea), now(), now() - make_interval(hours => n)
      from generate_series(71, 2571) n`,
  );
  await source.send({ title: "Kept" }, { "idempotency-key": "young" });
  await sweepAlerts(world.platform);
  const left = await db.one(
    row({ answers: integer, tests: integer, early: integer }),
    sql`select (select count(*) from alert_idempotency_keys) as answers,
      (select count(*) from alerts where test) as tests, (select count(*) from alert_early_recoveries) as early`,
  );
  // Those one hour before their time are kept.
  assert.deepEqual([left.answers, left.tests, left.early], [2, 1, 1]);
});

test("one sweep deletes 120,000 overdue occurrences, as many as four busy projects send in ten minutes (decision 0159)", async () => {
  const { db } = world.platform;
  await db.pooled.run(
    sql`insert into alert_occurrences (alert_id, receipt_id, item, kind, received_at)
      select (select max(id) from alerts), gen_random_uuid(), 0, 'firing',
        now() - make_interval(days => case when n = 1 then 89 else 91 end) from generate_series(1, 120001) n`,
  );
  await sweepAlerts(world.platform);
  const left = await db.one(
    row({ over: integer, aged: integer }),
    sql`select count(*) filter (where received_at < now() - interval '90 days') as over, count(*) as aged
      from alert_occurrences where received_at < now() - interval '88 days'`,
  );
  assert.deepEqual(left, { over: 0, aged: 1 });
});
