/** Recoveries received before their firings, in a project where late firings stay resolved. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { type Receiver, startReceiver } from "../support/receivers.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
  source = await aSource(world);
  await stays(true);
  const json = {
    kind: "webhook",
    name: "All",
    url: receiver.url,
    severities: ["critical", "low"],
    events: ["opened", "resolved"],
  };
  const made = await world.call(`${API}/alert_channels`, { as: "max", json });
  assert.equal(made.status, 201, made.text);
});

async function stays(late_firings_stay_resolved: boolean): Promise<void> {
  const json = { late_firings_stay_resolved };
  assert.equal((await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json })).status, 200);
}

const at = (minute: number) => `2026-05-01T10:${String(minute).padStart(2, "0")}:00Z`;
async function alerts(fingerprint: string) {
  const query = `search=${fingerprint}&sort=created_at_asc`;
  const found = await world.call(`${API}/alert_management_alerts?${query}`, { as: "dev" });
  return found.json as {
    iid: number;
    status: string;
    events: number;
    severity: string;
    started_at: string;
    ended_at: string | null;
    issue_iid: number | null;
    recurrence_of: number | null;
  }[];
}
async function delivered(): Promise<void> {
  while ((await deliverDue(world.platform)) > 0);
}
async function statuses(fingerprint: string) {
  return (await alerts(fingerprint)).map(({ status }) => status);
}

test("a firing received after its recovery creates a resolved alert, without incident or notification (reference alerts D4; decision 0180)", async () => {
  const trouble = { title: "Overtaken", fingerprint: "overtaken", severity: "critical" };
  assert.deepEqual((await source.send({ ...trouble, end_time: at(30) })).json, []);
  const reply = await source.send({ ...trouble, start_time: at(10) });
  const [alert, ...others] = await alerts("overtaken");
  assert.deepEqual(reply.json, [{ iid: alert?.iid, title: "Overtaken" }]);
  assert.deepEqual([alert?.status, alert?.events, alert?.issue_iid, others], ["resolved", 1, null, []]);
  assert.deepEqual(
    [alert?.started_at, alert?.ended_at],
    ["2026-05-01T10:10:00.000Z", "2026-05-01T10:30:00.000Z"],
  );
  const [receipt] = (await world.call(`${API}/alert_receipts?per_page=1`, { as: "max" })).json;
  assert.deepEqual(
    [receipt.decision, receipt.warnings, receipt.alert_iids],
    ["late", ["A firing arrived after its recovery; its alert was recorded as resolved."], [alert?.iid]],
  );
  const dev = await signedIn(world, "dev");
  const { text } = await dev.get(`/acme/rocket/-/alerts/${alert?.iid}`);
  assert.match(
    text,
    /hanged the status to <strong>Resolved<\/strong>, since its recovery had arrived earlier/,
  );
  const counts = await world.call(`${API}/alert_management_alerts/counts`, { as: "dev" });
  assert.deepEqual([counts.json.open, counts.json.resolved], [0, 1]);
  await delivered();
  assert.deepEqual(receiver.requests, []);
});

test("an early recovery covers firings begun by its end, later ones open a new alert, and of several the latest end counts (reference alerts D4; decision 0180)", async () => {
  const send = (more: object) => source.send({ title: "Pump", fingerprint: "pump", ...more });
  await send({ end_time: at(20) });
  await send({ end_time: at(5) });
  await send({ start_time: at(20) });
  await send({ start_time: at(20) });
  await send({ start_time: at(1) });
  assert.deepEqual(
    (await alerts("pump")).map(({ status, events }) => [status, events]),
    [["resolved", 3]],
  );
  await send({ start_time: at(21) });
  assert.deepEqual(await statuses("pump"), ["resolved", "triggered"]);
  // The recovery of the open alert, then a repeat of it that adds nothing, then one ahead of a third firing.
  await send({ end_time: at(30) });
  await send({ end_time: at(30) });
  await send({ start_time: at(30) });
  assert.deepEqual(await statuses("pump"), ["resolved", "resolved", "triggered"]);
  await send({ end_time: at(40) });
  await send({ end_time: at(50) });
  await send({ start_time: at(45) });
  const all = await alerts("pump");
  assert.deepEqual(
    all.map(({ status }) => status),
    ["resolved", "resolved", "resolved", "resolved"],
  );
  assert.equal(all[3]?.recurrence_of, all[2]?.iid);
});

test("a firing without start begins when received, and a recovery without end covers firings begun before it was received (reference alerts D4; decision 0180)", async () => {
  const send = (more: object) => source.send({ title: "Fan", ...more });
  await send({ fingerprint: "fan-1", end_time: at(30) });
  await send({ fingerprint: "fan-1" });
  assert.deepEqual(await statuses("fan-1"), ["triggered"]);
  const page = async (event_action: string, payload?: object) => {
    const json = { routing_key: source.key, event_action, dedup_key: "belt", payload };
    assert.equal((await world.call("/v2/enqueue", { json })).status, 202);
  };
  await page("resolve");
  await page("trigger", { summary: "Belt", source: "hall", severity: "critical", timestamp: at(0) });
  assert.deepEqual(await statuses("belt"), ["resolved"]);
});

test("early recovery and firings may come in one request, and its late firings notify nobody, whatever their severity (reference alerts D4; decision 0180)", async () => {
  await delivered();
  receiver.reset();
  const one = { title: "Batch", fingerprint: "batch" };
  const reply = await source.send([
    { ...one, end_time: at(30) },
    { ...one, start_time: at(10), severity: "high" },
    { ...one, start_time: at(11), severity: "critical" },
    { title: "Other", fingerprint: "other", start_time: at(10), severity: "low" },
  ]);
  assert.equal(reply.status, 200);
  const [alert, ...others] = await alerts("batch");
  assert.deepEqual([alert?.status, alert?.events, alert?.severity, others], ["resolved", 2, "critical", []]);
  assert.deepEqual(await statuses("other"), ["triggered"]);
  await delivered();
  assert.equal(receiver.requests.length, 1);
  assert.match(receiver.requests[0]?.body ?? "", /Other/);
});

test("an early recovery is remembered for three days after its last repeat, and a test alert of the same fingerprint changes nothing (reference alerts D4; decision 0180)", async () => {
  const send = (fingerprint: string, more: object) => source.send({ title: "Dam", fingerprint, ...more });
  const hoursGoBy = (hours: number) =>
    world.platform.db.run(
      sql`update alert_early_recoveries set received_at = received_at - make_interval(hours => ${hours}::integer)`,
    );
  await send("dam-told", { end_time: at(30) });
  await hoursGoBy(71);
  await send("dam-told", { end_time: at(30) });
  await hoursGoBy(71);
  await send("dam-told", { start_time: at(10) });
  assert.deepEqual(await statuses("dam-told"), ["resolved"]);
  const payload = { title: "Dam", fingerprint: "dam-tried" };
  const tried = await world.call(`${API}/alert_integrations/${source.id}/test`, {
    as: "dev",
    json: { payload },
  });
  assert.equal(tried.status, 200, tried.text);
  const path = `${API}/alert_management_alerts/${tried.json.alert_iid}`;
  const json = { status: "resolved" };
  assert.equal((await world.call(path, { as: "dev", method: "PUT", json })).status, 200);
  await send("dam-tried", { end_time: at(30) });
  const fired = await send("dam-tried", { start_time: at(10) });
  const alert = await world.call(`${API}/alert_management_alerts/${fired.json[0].iid}`, { as: "dev" });
  assert.deepEqual([alert.json.status, alert.json.recurrence_of], ["resolved", null]);
});

test("an early recovery is forgotten after three days, and applies only in its project and if the setting is on (spec: States 2; decision 0180)", async () => {
  const send = (fingerprint: string, more: object) => source.send({ title: "Gate", fingerprint, ...more });
  await send("gate-old", { end_time: at(30) });
  await world.platform.db.run(
    sql`update alert_early_recoveries set received_at = received_at - interval '73 hours'`,
  );
  await send("gate-old", { start_time: at(10) });
  assert.deepEqual(await statuses("gate-old"), ["triggered"]);
  const elsewhere = await aSource(world, "generic", {}, "acme/open");
  await elsewhere.send({ title: "Gate", fingerprint: "gate-there", end_time: at(30) });
  await send("gate-there", { start_time: at(10) });
  assert.deepEqual(await statuses("gate-there"), ["triggered"]);
  await stays(false);
  await send("gate-off", { end_time: at(30) });
  await stays(true);
  await send("gate-off", { start_time: at(10) });
  assert.deepEqual(await statuses("gate-off"), ["triggered"]);
});
