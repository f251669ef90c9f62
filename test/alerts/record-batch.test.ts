/** Batches with several projects and many requests: counting, numbering, closing incidents, and locks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alertBot } from "../../src/alerts/alert-bot.ts";
import { recordBatch, recordIn } from "../../src/alerts/record-batch.ts";
import { lockAlerts } from "../../src/alerts/store-batch.ts";
import type { Queries } from "../../src/platform/db.ts";
import { integer, nullable, row, text } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { deliveriesToTwo } from "../support/alerts.ts";
import { noting } from "../support/counting.ts";
import { until } from "../support/until.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld();
const aDelivery = await deliveriesToTwo(world);

const AlertRow = row({
  ...{ project: integer, iid: integer, incident: nullable(integer), state: nullable(text) },
  ...{ status: text, events: integer, deliveries: integer },
});
const alertsOf = (title: string) =>
  world.platform.db.many(
    AlertRow,
    sql`select a.project_id as project, a.iid, n.iid as incident, n.state, a.status, a.events, a.deliveries
      from alerts a left join incidents n on n.id = a.incident_id where a.title = ${title} order by a.id`,
  );

test("a batch numbers the alerts and incidents of each project without gaps (contract §3; spec: States 2)", async () => {
  const places = ["rocket", "open", "open", "rocket", "open"] as const;
  const payloads = places.map((_, n) => ({ title: "Numbered", fingerprint: n < 2 ? "same" : `own ${n}` }));
  await recordBatch(
    world.platform,
    payloads.map((payload, n) => aDelivery(payload, places[n])),
  );
  const found = await alertsOf("Numbered");
  const numbersOf = (place: "rocket" | "open") =>
    found
      .filter(({ project }) => project === world[place].id)
      .map(({ iid, incident }) => [iid, incident])
      .sort();
  const first = [
    [1, 1],
    [2, 2],
  ];
  assert.deepEqual([numbersOf("rocket"), numbersOf("open")], [first, [...first, [3, 3]]]);
  assert.ok(found.every(({ events, deliveries }) => events === 1 && deliveries === 1));
});

test("requests in one batch count on an open alert as if each came alone (contract-alerts, counting; spec: States 3)", async () => {
  const payload = { title: "Together", fingerprint: "together" };
  await recordBatch(world.platform, [aDelivery(payload)]);
  await recordBatch(world.platform, [
    aDelivery(payload),
    aDelivery(payload, "open"),
    aDelivery([payload, payload]),
    aDelivery(payload),
  ]);
  assert.deepEqual(
    (await alertsOf("Together")).map(({ project, events, deliveries }) => [project, events, deliveries]),
    [
      [world.rocket.id, 5, 4],
      [world.open.id, 1, 1],
    ],
  );
});

test("a recovery from before the alert's start leaves alert and incident open, and a later one closes both (spec: States 1; reference alerts D4)", async () => {
  const payload = { title: "Too late", fingerprint: "too late", start_time: "2026-05-01T10:00:00Z" };
  await recordBatch(world.platform, [aDelivery(payload)]);
  const end = (end_time: string) => recordBatch(world.platform, [aDelivery({ ...payload, end_time })]);
  const state = async () => (await alertsOf("Too late")).map(({ status, state }) => [status, state]);
  await end("2026-05-01T09:00:00Z");
  assert.deepEqual(await state(), [["triggered", "opened"]]);
  await end("2026-05-01T11:00:00Z");
  assert.deepEqual(await state(), [["resolved", "closed"]]);
});

test("a thousand late recoveries of an alert in one request are counted in a few statements, as one delivery (contract-alerts, counting; contract-alerts, recovery)", async () => {
  const base = { title: "Often late", fingerprint: "often late" };
  await recordBatch(world.platform, [aDelivery({ ...base, start_time: "2026-05-01T10:00:00Z" })]);
  const early = { ...base, end_time: "2026-05-01T09:00:00Z" };
  const fine = { ...base, end_time: "2026-05-01T11:00:00Z" };
  const state = async () =>
    (await alertsOf("Often late")).map(({ status, state, deliveries }) => [status, state, deliveries]);
  const botId = await alertBot(world.platform);
  const statements = await world.platform.db.transaction(async (tx) => {
    const { db, statements } = noting({ ...world.platform.db, ...tx });
    await recordIn({ platform: world.platform, tx: db, botId }, [aDelivery(Array(1000).fill(early))]);
    return statements.length;
  });
  assert.ok(statements < 30, `${statements} statements`);
  assert.deepEqual(await state(), [["triggered", "opened", 2]]);
  // Of several requests each is counted, and the first recovery that is not late still ends the alert.
  await recordBatch(world.platform, [
    aDelivery([early, early]),
    aDelivery([early, early, early]),
    aDelivery([early, fine, early]),
  ]);
  assert.deepEqual(await state(), [["resolved", "closed", 5]]);
});

test("of the repeated starts of an alert the latest 1,000 are kept (contract-alerts, counting)", async () => {
  const labels = { alertname: "Many starts" };
  const started = (from: number) => ({
    status: "firing",
    alerts: Array.from({ length: 600 }, (_, n) => ({
      ...{ status: "firing", labels, annotations: { title: "Many starts" } },
      startsAt: new Date(Date.UTC(2026, 4, 1) + (from + n) * 1000).toISOString(),
    })),
  });
  for (const from of [0, 600]) {
    const delivery = aDelivery(started(from));
    assert.equal(delivery.reading.reports.length, 600);
    await recordBatch(world.platform, [delivery]);
  }
  const found = await world.platform.db.one(
    row({ events: integer, kept: integer, oldest: text }),
    sql`select events, cardinality(occurrence_starts)::bigint as kept,
      (select to_char(min(s) at time zone 'UTC', 'MI:SS') from unnest(occurrence_starts) s) as oldest
      from alerts where title = ${labels.alertname}`,
  );
  assert.deepEqual(found, { events: 1200, kept: 1000, oldest: "03:20" });
});

test("the hosts that many requests name are kept up to 1,000, the first ones (spec: Alert payload hosts)", async () => {
  for (const first of [0, 700]) {
    const hosts = Array.from({ length: 800 }, (_, n) => `host-${first + n}`);
    await recordBatch(world.platform, [aDelivery({ title: "Many hosts", fingerprint: "hosts", hosts })]);
  }
  const found = await world.platform.db.one(
    row({ kept: integer, last: text }),
    sql`select cardinality(hosts) as kept, hosts[1000] as last from alerts where title = 'Many hosts'`,
  );
  assert.deepEqual(found, { kept: 1000, last: "host-999" });
});

test("without grouping by payload, each firing without a fingerprint opens its own alert, also in one batch (spec: States 3)", async () => {
  const payload = { title: "Not grouped" };
  const apart = { groupsByPayload: false };
  await recordBatch(world.platform, [
    aDelivery(payload, "rocket", apart),
    aDelivery([payload, payload], "rocket", apart),
  ]);
  const found = await alertsOf("Not grouped");
  assert.deepEqual(
    found.map(({ events, deliveries, state }) => [events, deliveries, state]),
    [1, 2, 3].map(() => [1, 1, "opened"]),
  );
});

test("of firings in one batch the first opens the alert, and the newest determines its start and payload (contract-alerts, counting; reference alerts D4)", async () => {
  const said = (hour: number) => ({
    ...{ title: "Newest", fingerprint: "newest", hour },
    start_time: `2026-05-01T${hour}:00:00Z`,
  });
  await recordBatch(world.platform, [aDelivery(said(10)), aDelivery(said(12))]);
  const { first, newest } = await world.platform.db.one(
    row({ first: integer, newest: integer }),
    sql`select (first_payload ->> 'hour')::bigint as first, (payload ->> 'hour')::bigint as newest
      from alerts where title = 'Newest'`,
  );
  assert.deepEqual([first, newest], [10, 12]);
  // A recovery from before the newest start is late.
  const end = { ...said(10), start_time: undefined, end_time: "2026-05-01T11:00:00Z" };
  await recordBatch(world.platform, [aDelivery(end)]);
  assert.equal((await alertsOf("Newest"))[0]?.status, "triggered");
});

/** Gives the alerts with this title a common incident, as in a storm. */
async function shareIncident(title: string): Promise<void> {
  await world.platform.db.run(sql`update alerts set incident_id = (select min(incident_id) from alerts
    where title = ${title}) where title = ${title}`);
}
/** How many notes say that the incident of these alerts was closed. */
async function closings(title: string): Promise<number> {
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from incident_notes where body like 'closed this incident%'
      and incident_id in (select incident_id from alerts where title = ${title})`,
  );
  return n;
}

test("a shared incident is closed once, with the last of its alerts, and an ignored alert keeps it open (spec: States 1; decision 0177)", async () => {
  const one = (n: number, more = {}) => ({ title: "Shared", fingerprint: `shared ${n}`, ...more });
  const end = { end_time: "2035-01-01T00:00:00Z" };
  await recordBatch(world.platform, [aDelivery([one(1), one(2), one(3)])]);
  await shareIncident("Shared");
  const { db } = world.platform;
  await db.run(
    sql`update alerts set status = 'ignored' where title = 'Shared' and fingerprint_given = 'shared 1'`,
  );
  await recordBatch(world.platform, [aDelivery([one(2, end)])]);
  assert.deepEqual(
    (await alertsOf("Shared")).map(({ status, state }) => [status, state]),
    [
      ["ignored", "opened"],
      ["resolved", "opened"],
      ["triggered", "opened"],
    ],
  );
  await recordBatch(world.platform, [aDelivery([one(1, end), one(3, end)])]);
  assert.equal((await alertsOf("Shared"))[0]?.state, "closed");
  assert.equal(await closings("Shared"), 1);
});

test("an incident that was closed by hand before its alert ended is not closed again (spec: States 1; contract-alerts, project settings)", async () => {
  const payload = { title: "Closed before", fingerprint: "closed before" };
  await recordBatch(world.platform, [aDelivery(payload)]);
  await world.platform.db.run(sql`update incidents set state = 'closed', closed_at = now()
    where title = 'Closed before'`);
  await recordBatch(world.platform, [aDelivery({ ...payload, end_time: "2035-01-01T00:00:00Z" })]);
  assert.equal((await alertsOf("Closed before"))[0]?.status, "resolved");
  assert.equal(await closings("Closed before"), 0);
});

test("an alert whose severity rises within the batch that opens it is announced once (decision 0097)", async () => {
  const json = {
    kind: "webhook",
    name: "Worst",
    url: "https://hooks.example/worst",
    severities: ["critical"],
  };
  const path = `/api/v4/projects/${world.open.id}/alert_channels`;
  const made = await world.call(path, { as: "max", json: { ...json, events: ["opened"] } });
  assert.equal(made.status, 201, made.text);
  const said = (severity: string) => ({ title: "Worse at once", fingerprint: "worse", severity });
  await recordBatch(world.platform, [aDelivery([said("low"), said("critical")], "open")]);
  const { n } = await world.platform.db.one(
    row({ n: integer }),
    sql`select count(*) as n from outbox_deliveries where project_id = ${world.open.id}`,
  );
  assert.equal(n, 1);
  const { id } = made.json;
  assert.equal((await world.call(`${path}/${id}`, { as: "max", method: "DELETE" })).status, 204);
});

test("of repeats in one request the worst severity counts, in whatever order they come (decision 0097)", async () => {
  const orders = [
    ["critical", "high", "medium"],
    ["medium", "critical", "high"],
    ["high", "critical"],
    ["info"],
  ];
  for (const [n, severities] of orders.entries()) {
    const said = (severity: string) => ({ title: "Repeated", fingerprint: `repeated ${n}`, severity });
    await recordBatch(world.platform, [aDelivery(said("low"))]);
    await recordBatch(world.platform, [aDelivery(severities.map(said))]);
  }
  const found = await world.platform.db.many(
    row({ severity: text, ofIncident: text }),
    sql`select a.severity, n.severity as of_incident from alerts a join incidents n on n.id = a.incident_id
      where a.title = 'Repeated' order by a.id`,
  );
  const expected = ["critical", "critical", "critical", "low"];
  assert.deepEqual(
    found.map(({ severity }) => severity),
    expected,
  );
  assert.deepEqual(
    found.map(({ ofIncident }) => ofIncident),
    expected,
  );
});

test("an outcome is repeated for three days under its Idempotency-Key, and after that the delivery counts as new (contract-alerts, counting)", async () => {
  const key = { idempotencyHash: Buffer.alloc(32, 9), idempotentBody: "one" };
  const send = async () =>
    (await recordBatch(world.platform, [aDelivery({ title: "Said again" }, "rocket", key)]))[0]?.receiptId;
  const eventsAfter = async (hours: number) => {
    await world.platform.db.run(sql`update alert_idempotency_keys
      set created_at = now() - make_interval(hours => ${hours}) where key_hash = ${key.idempotencyHash}`);
    return [await send(), (await alertsOf("Said again"))[0]?.events];
  };
  const first = await send();
  assert.deepEqual(await eventsAfter(71), [first, 1]);
  const [second, events] = await eventsAfter(73);
  assert.ok(second !== first && events === 2);
  assert.deepEqual(await eventsAfter(1), [second, 2]);
});

/** Tries to lock the alerts of a project without waiting. */
const mayHave = (projectId: number) =>
  world.platform.db
    .transaction(async (tx) => {
      await tx.run(sql`select set_config('lock_timeout', '100ms', true)`);
      await lockAlerts(tx, [projectId]);
      return true;
    })
    .catch(() => false);

/** Locks the alerts of these projects until the work is done. */
async function holding(ids: number[], work: () => Promise<void>): Promise<void> {
  await world.platform.db.transaction(async (tx: Queries) => {
    await lockAlerts(tx, ids);
    await work();
  });
}

test("changing a project's alerts locks them until the commit, and does not lock other projects (reference alerts D2, D3; decision 0033)", async () => {
  await holding([world.rocket.id], async () => {
    assert.equal(await mayHave(world.rocket.id), false);
    assert.equal(await mayHave(world.open.id), true);
  });
  assert.equal(await mayHave(world.rocket.id), true);
});

test("two batches lock the same projects in the same order, so that they cannot deadlock (decision 0033)", async () => {
  const [lower, higher] = [world.rocket.id, world.open.id].sort((a, b) => a - b) as [number, number];
  let behind: Promise<void> | undefined;
  await holding([higher], async () => {
    // It already has the lock of the lower one while it waits for the higher, whatever order was requested.
    behind = holding([higher, lower], async () => {});
    await until(async () => !(await mayHave(lower)));
  });
  await behind;
});
