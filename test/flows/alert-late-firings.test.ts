/** Firings received after their alert ended, in a project where late firings stay resolved. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
let metrics: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  metrics = await aSource(world, "prometheus");
  await stays(true);
});

async function stays(late_firings_stay_resolved: boolean): Promise<void> {
  const json = { late_firings_stay_resolved };
  const reply = await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json });
  assert.equal(reply.json.late_firings_stay_resolved, late_firings_stay_resolved, reply.text);
}

const at = (minute: number) => `2026-05-01T10:${String(minute).padStart(2, "0")}:00Z`;
async function alerts(title: string) {
  const found = await world.call(`${API}/alert_management_alerts?search=${title}&sort=created_at_asc`, {
    as: "dev",
  });
  return found.json as {
    iid: number;
    status: string;
    events: number;
    deliveries: number;
    issue_iid: number;
  }[];
}
async function newestReceipt(): Promise<{ decision: string; warnings: string[]; alert_iids: number[] }> {
  return (await world.call(`${API}/alert_receipts?per_page=1`, { as: "max" })).json[0];
}

test("a firing that began before its alert ended is counted there and opens nothing; one that began later opens an alert (reference alerts D4; decision 0179)", async () => {
  const trouble = { title: "Late", fingerprint: "late" };
  await source.send({ ...trouble, start_time: at(0) });
  await source.send({ ...trouble, end_time: at(30) });
  const late = await source.send({ ...trouble, start_time: at(10) });
  assert.equal(late.status, 200);
  assert.deepEqual(late.json, [{ iid: 1, title: "Late" }]);
  const [one, two] = await alerts("Late");
  assert.deepEqual([one?.status, one?.events, one?.deliveries, two], ["resolved", 2, 3, undefined]);
  const receipt = await newestReceipt();
  assert.deepEqual(
    [receipt.decision, receipt.warnings, receipt.alert_iids],
    ["late", ["A firing began before its alert ended; it was counted and opened no alert."], [1]],
  );
  const dev = await signedIn(world, "dev");
  assert.match(
    (await dev.get("/acme/rocket/-/alerts/1")).text,
    /ogged a late alert from <strong>Test generic<\/strong> that began before the end/,
  );
  const incident = await world.call(`${API}/issues/${one?.issue_iid}`, { as: "dev" });
  assert.equal(incident.json.state, "closed");
  await source.send({ ...trouble, start_time: at(30) });
  assert.deepEqual(
    (await alerts("Late")).map(({ status }) => status),
    ["resolved", "triggered"],
  );
  // While an alert is open, every firing is counted on it.
  await source.send({ ...trouble, start_time: at(5) });
  assert.deepEqual(
    (await alerts("Late")).map(({ events }) => events),
    [2, 2],
  );
});

const NEVER = "0001-01-01T00:00:00Z";
const group = (alertname: string, status: string, ...alerts: readonly object[]) => ({
  version: "4",
  groupKey: "{}",
  status,
  receiver: "gatehouse",
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: "",
  alerts: alerts.map((more) => ({
    status,
    labels: { alertname },
    annotations: {},
    generatorURL: "",
    ...more,
  })),
});

test("a late firing with a known startsAt is no new occurrence, and a firing without start is never late (reference alerts D4, A11; decision 0179)", async () => {
  const firing = group("Again", "firing", { startsAt: at(0), endsAt: NEVER });
  assert.equal((await metrics.send(firing)).status, 201);
  await metrics.send(group("Again", "resolved", { startsAt: at(0), endsAt: at(20) }));
  await metrics.send(firing);
  const again = await alerts("Again");
  assert.deepEqual(
    again.map(({ status, events, deliveries }) => [status, events, deliveries]),
    [["resolved", 1, 3]],
  );
  await source.send({ title: "No start", fingerprint: "none" });
  await source.send({ title: "No start", fingerprint: "none", end_time: "2030-01-01T00:00:00Z" });
  await source.send({ title: "No start", fingerprint: "none" });
  assert.deepEqual(
    (await alerts("No%20start")).map(({ status }) => status),
    ["resolved", "triggered"],
  );
});

test("a firing that starts when the last alert ended is late only if that alert also started then (reference alerts D4; decision 0179)", async () => {
  const trouble = { title: "At once", fingerprint: "at-once" };
  const statuses = async () => (await alerts("At%20once")).map(({ status }) => status);
  await source.send({ ...trouble, start_time: at(0) });
  await source.send({ ...trouble, end_time: at(0) });
  await source.send({ ...trouble, start_time: at(0) });
  assert.deepEqual(await statuses(), ["resolved"]);
  await source.send({ ...trouble, start_time: at(1) });
  await source.send({ ...trouble, end_time: at(2) });
  await source.send({ ...trouble, start_time: at(2) });
  assert.deepEqual(await statuses(), ["resolved", "resolved", "triggered"]);
});

test("repeated starts evict none of the thousand remembered ones, so the oldest is still recognized as late (reference alerts D4; decision 0179)", async () => {
  const starts = Array.from({ length: 1000 }, (_, n) =>
    new Date(Date.UTC(2026, 3, 1, 0, 0, n)).toISOString(),
  );
  const firings = starts.map((startsAt) => ({ startsAt, endsAt: NEVER }));
  assert.equal((await metrics.send(group("Often", "firing", ...firings))).status, 201);
  await metrics.send(group("Often", "resolved", { startsAt: starts.at(-1), endsAt: at(20) }));
  for (const known of [firings.at(-1), firings[0]]) {
    await metrics.send(group("Often", "firing", known ?? {}));
    assert.equal((await newestReceipt()).decision, "late");
    assert.deepEqual(
      (await alerts("Often")).map(({ status, events }) => [status, events]),
      [["resolved", 1000]],
    );
  }
});

test("alerts of one request are judged separately, and without the setting late firings open alerts (spec: States 2; decision 0179)", async () => {
  const mixed = ["m1", "m2"].map((fingerprint) => ({ title: `Mixed ${fingerprint}`, fingerprint }));
  const [first, second] = mixed;
  await source.send({ ...first, start_time: at(0) });
  await source.send({ ...first, end_time: at(30) });
  const both = await source.send(mixed.map((one) => ({ ...one, start_time: at(10) })));
  assert.equal(both.status, 200);
  assert.equal((await newestReceipt()).decision, "mixed");
  assert.deepEqual(
    (await alerts("Mixed")).map(({ status }) => status),
    ["resolved", "triggered"],
  );
  await stays(false);
  await source.send({ ...second, end_time: at(40) });
  await source.send({ ...second, start_time: at(20) });
  assert.deepEqual(
    (await alerts("m2")).map(({ status }) => status),
    ["resolved", "triggered"],
  );
});

test("without grouping, firings without a fingerprint open alerts of their own, also late ones and after an early recovery (decisions 0179, 0180; contract-alerts, plan)", async () => {
  const groups = async (grouping: boolean) => {
    const json = { grouping, late_firings_stay_resolved: true };
    const reply = await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json });
    assert.equal(reply.status, 200, reply.text);
  };
  const said = (title: string, times: object) => source.send({ title, ...times });
  // It comes while repeats are still grouped.
  await groups(true);
  await said("Foretold", { end_time: at(30) });
  await groups(false);
  await said("Foretold", { start_time: at(10) });
  await said("Alone", { start_time: at(0) });
  await said("Alone", { end_time: at(30) });
  await said("Alone", { start_time: at(10) });
  await groups(true);
  const statusesOf = async (title: string) => (await alerts(title)).map(({ status }) => status);
  assert.deepEqual(await statusesOf("Foretold"), ["triggered"]);
  assert.deepEqual(await statusesOf("Alone"), ["resolved", "triggered"]);
});

/** Replays a request, first dry and then for real, and returns the decisions of both. */
async function replayed(reply: { headers: Headers }): Promise<{ dry: string[]; real: string }> {
  const path = `${API}/alert_receipts/${reply.headers.get("x-alert-receipt")}/replay`;
  const dry = await world.call(path, { as: "max", json: { dry_run: true } });
  const real = await world.call(path, { as: "max", json: {} });
  const receipt = await world.call(`${API}/alert_receipts/${real.json.receipt_id}`, { as: "max" });
  return { dry: dry.json.decisions, real: receipt.json.decision };
}

test("a dry replay reports what a real one does, for late firings, early recoveries and several alerts in one request (decisions 0038, 0179, 0180)", async () => {
  await stays(true);
  const trouble = { title: "Rehearsed", fingerprint: "rehearsed" };
  const firing = await source.send({ ...trouble, start_time: at(10) });
  const recovery = await source.send({ ...trouble, end_time: at(30) });
  assert.deepEqual(await replayed(firing), { dry: ["late"], real: "late" });
  assert.deepEqual(await replayed(recovery), { dry: ["orphan"], real: "orphan" });
  await source.send({ ...trouble, start_time: at(40) });
  assert.deepEqual(await replayed(firing), { dry: ["counted"], real: "counted" });
  await source.send({ ...trouble, start_time: at(50) });
  assert.deepEqual(await replayed(recovery), { dry: ["late"], real: "late" });
  // Under the changed mapping it has another fingerprint, whose recovery was received meanwhile.
  const renamed = await source.send({ title: "Overtaken", code: "pump-7", start_time: at(10) });
  const json = { mapping: { fingerprint: "code" } };
  await world.call(`${API}/alert_integrations/${source.id}`, { as: "max", method: "PUT", json });
  await source.send({ title: "Overtaken", code: "pump-7", end_time: at(30) });
  assert.deepEqual(await replayed(renamed), { dry: ["late"], real: "late" });
  await world.call(`${API}/alert_integrations/${source.id}`, {
    as: "max",
    method: "PUT",
    json: { mapping: null },
  });
  const both = await source.send([
    { title: "Twice", fingerprint: "twice" },
    { title: "Twice", fingerprint: "twice", end_time: "2031-01-01T00:00:00Z" },
    { title: "Twice", fingerprint: "twice", start_time: "2030-01-01T00:00:00Z" },
  ]);
  const { dry, real } = await replayed(both);
  assert.deepEqual([dry, real], [["created", "resolved", "late"], "mixed"]);
  const [first, ...others] = await alerts("Twice");
  assert.deepEqual([first?.status, first?.events, others.length], ["resolved", 2, 1]);
});

test("the setting for late firings is changed on the Operations page (decision 0179)", async () => {
  const max = await signedIn(world, "max");
  const page = "/acme/rocket/-/settings/operations";
  await max.get(page);
  const fields = { storm_threshold: "30", storm_seconds: "60", late_firings_stay_resolved: "true" };
  assert.equal((await max.post(`${page}/alerts`, fields)).status, 303);
  assert.match((await max.get(page)).text, /name="late_firings_stay_resolved"[^>]*checked/);
});
