/** How many rows the statements of batches and sweeps read from growing tables. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { alertBot } from "../../src/alerts/alert-bot.ts";
import { readDelivery } from "../../src/alerts/read-delivery.ts";
import { newReceiptId } from "../../src/alerts/receipt.ts";
import { recordIn } from "../../src/alerts/record-batch.ts";
import { countRepeats } from "../../src/alerts/store-history.ts";
import { countReceiptsByDay } from "../../src/alerts/store-receipts.ts";
import { listTimedOut, resolveTimedOut } from "../../src/alerts/store-timeouts.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { awayFromMidnight } from "../support/midnight.ts";
import { rowsRead } from "../support/plans.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const RESOLVED = 20_000;
let world: World;
let source: Source;
before(async () => {
  // The test counts today's receipts and those of two days ago by day.
  await awayFromMidnight();
  world = await startWorld();
  source = await aSource(world);
  await source.send({ title: "Flapping", fingerprint: "flap" });
  await source.send({ title: "Flapping", fingerprint: "flap", end_time: "2030-01-01T00:00:00Z" });
  const { db } = world.platform;
  await db.pooled.run(
    sql`insert into alerts (project_id, iid, title, severity, status, fingerprint_hash, grouped, events, deliveries,
        started_at, ended_at, last_seen_at, first_payload)
      select project_id, 1 + n, title, severity, status,
        case when n % 2 = 0 then fingerprint_hash else sha256(n::text::bytea) end, true, 1, 1, started_at, ended_at,
        now() - interval '3 days', '{}'
      from alerts, generate_series(1, ${RESOLVED}::integer) n`,
  );
  await db.pooled.run(sql`update project_counters set last = ${RESOLVED + 1} where kind = 'alert'`);
  await world.owner.run(sql`analyze alerts`);
});

/** How many rows of the table, or entries of the index, are read. */
async function readOf(relation: string, work: (tx: Queries) => Promise<unknown>): Promise<number> {
  return world.platform.db.transaction(async (tx) => {
    await work(tx);
    const { n } = await tx.one(
      row({ n: integer }),
      sql`select pg_stat_get_xact_tuples_returned(${relation}::regclass) as n`,
    );
    return n;
  });
}

test("a recurring alert finds its previous one among 10,000 with few index reads (house: statements; decision 0090)", async () => {
  const botId = await alertBot(world.platform);
  const raw = Buffer.from(JSON.stringify({ title: "Flapping", fingerprint: "flap" }));
  const read = await readOf("alerts_resolved", (tx) =>
    recordIn({ platform: world.platform, tx, botId }, [
      {
        ...{ projectId: world.rocket.id, projectPath: world.rocket.fullPath, integrationId: source.id },
        ...{
          integrationName: "Test",
          groupsByPayload: true,
          createsIncidents: true,
          keyHint: "",
          headers: {},
        },
        ...{ receiptId: newReceiptId(Date.now()), raw, reading: readDelivery(raw, { strict: false }) },
        idempotencyHash: undefined,
      },
    ]),
  );
  assert.ok(read < 100, `${read} entries`);
  const api = "/api/v4/projects/acme%2Frocket/alert_management_alerts";
  const [newest] = (await world.call(`${api}?search=Flapping&sort=created_at_desc`, { as: "dev" })).json;
  assert.deepEqual([newest.status, newest.recurrence_of], ["triggered", RESOLVED + 1]);
});

test("looking for alerts to resolve after a timeout does not read resolved alerts (house: statements; decision 0116)", async () => {
  const { db } = world.platform;
  await db.run(
    sql`insert into alert_settings (project_id, resolve_after_hours) values (${world.rocket.id}, 24)
      on conflict (project_id) do update set resolve_after_hours = 24`,
  );
  assert.deepEqual(await listTimedOut(db), []);
  const read = [
    await readOf("alerts", listTimedOut),
    await readOf("alerts", (tx) => resolveTimedOut(tx, { projectId: world.rocket.id, limit: 100, botId: 1 })),
  ];
  assert.ok(Math.max(...read) < 100, `${read.join(", ")} rows`);
});

test("requests per day are counted up to 5,000, and the page says that there are more (house: statements)", async () => {
  const { db } = world.platform;
  await db.pooled.run(
    sql`insert into alert_receipts (id, project_id, integration_id, key_hint, received_at, headers, raw, status, decision)
      select gen_random_uuid(), ${world.rocket.id}, ${source.id}, '', now()::date - 2, '{}', '', 200, 'created'
      from generate_series(1, 5100)`,
  );
  const days = await countReceiptsByDay(db, world.rocket.id);
  assert.deepEqual(days.map(({ bucket, n, isMore }) => [bucket, n, isMore]).sort(), [
    [11, 5000, true],
    [13, 3, false],
  ]);
  const page = await (await signedIn(world, "max")).get("/acme/rocket/-/settings/operations");
  assert.match(page.text, /at least 5003 requests in two weeks/);
});

test("repeated requests find the alerts that they named by primary key, reading no others (house: statements; decision 0169)", async () => {
  const named = [2, 3, 3].map((iid) => ({ projectId: world.rocket.id, iid }));
  const read = await rowsRead(world, "alerts", (db) => countRepeats(db, named));
  assert.ok(read < 20, `${read} rows`);
});
