/** Objects that contain several alerts: each becomes an alert of its own. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { HERTZBEAT, HERTZBEAT_END } from "../support/further-samples.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
const { receiptOf, alertOf } = readsAlerts(() => world);
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const titlesOf = (reply: { json: { title: string }[] }) => reply.json.map(({ title }) => title);

test("an incomplete Alertmanager group is split into its alerts, which resolve by their own status or the group's (decisions 0089, 0124)", async () => {
  const alert = (name: string, more: object = {}) => ({
    ...{ labels: { alertname: name, instance: "db-1", severity: "warning" }, annotations: {} },
    ...{ startsAt: "2026-05-01T10:00:00Z", ...more },
  });
  const group = (status: string, ...alerts: object[]) => ({ receiver: "own", status, alerts });
  const opened = await source.send(group("firing", alert("Lag"), alert("Loss"), alert("Jam")));
  assert.equal(opened.status, 200, opened.text);
  assert.deepEqual(titlesOf(opened), ["Lag", "Loss", "Jam"]);
  assert.match(
    (await receiptOf(opened)).warnings.join(),
    /not in the format of Alertmanager or Grafana, but similar/,
  );
  const [lag, loss, jam] = opened.json.map(({ iid }: { iid: number }) => iid);
  const { severity, hosts, events, started_at } = await alertOf(lag);
  assert.deepEqual([severity, hosts, events, started_at], ["low", ["db-1"], 1, "2026-05-01T10:00:00.000Z"]);
  await source.send(group("firing", alert("Lag"), alert("Loss", { status: "resolved" })));
  assert.deepEqual(
    [(await alertOf(lag)).status, (await alertOf(lag)).events, (await alertOf(loss)).status],
    ["triggered", 1, "resolved"],
  );
  await source.send(group("resolved", alert("Lag"), alert("Jam", { status: "firing" })));
  assert.deepEqual([(await alertOf(lag)).status, (await alertOf(jam)).status], ["resolved", "triggered"]);
});

test("each event of a Redfish message opens an alert, except those with severity OK (decision 0124)", async () => {
  const event = (MessageId: string, Severity: string, Message: string) => ({
    ...{ EventId: "1", MessageId, Severity, Message, MessageArgs: [] },
  });
  const reply = await source.send({
    Context: "rack-7",
    Events: [
      event("FAN0001", "Critical", "Fan 1 failed"),
      event("USR0030", "OK", "Somebody signed in"),
      event("TMP0118", "Warning", "It is warm"),
    ],
  });
  assert.deepEqual(titlesOf(reply), ["Fan 1 failed", "It is warm"]);
  const { warnings } = await receiptOf(reply);
  assert.deepEqual(warnings, ["Payload 2: Redfish tells of something that is no alert: Somebody signed in."]);
});

test("each payload that a relay collects into a list or lines is read as if sent alone, also if it contains several alerts (decisions 0031, 0187)", async () => {
  const event = (MessageId: string, Severity: string, Message: string) => ({ MessageId, Severity, Message });
  const told = (...Events: object[]) => ({ Context: "rack-8", Events });
  const alert = (name: string, status: string) => ({
    ...{ status, labels: { alertname: name, instance: "db-8" }, annotations: {} },
    ...{ startsAt: "2026-05-01T10:00:00Z", fingerprint: `8${name}` },
  });
  const group = (...alerts: object[]) => ({
    ...{ version: "4", groupKey: "{}", status: "firing", receiver: "relay", externalURL: "", alerts },
    ...{ groupLabels: {}, commonLabels: {}, commonAnnotations: {} },
  });
  const monitor = (alert_transition: string) => ({
    ...{ alert_id: "8", alert_title: "CPU is high", alert_transition, hostname: "web-8" },
  });
  const opened = await source.send([
    told(event("FAN0002", "Critical", "Fan 2 failed"), event("USR0030", "OK", "Somebody signed in")),
    { title: "Mine", Events: [event("FAN0003", "Critical", "Fan 3 failed")] },
    5,
    [{ title: "Within" }],
    group(alert("Lag8", "firing"), alert("Loss8", "firing")),
    { receiver: "own", status: "firing", alerts: [{ labels: { alertname: "Like8" } }] },
    monitor("Triggered"),
  ]);
  assert.equal(opened.status, 200, opened.text);
  const [, , lag, loss, , cpu, ...refused] = opened.json;
  assert.deepEqual(
    [...titlesOf({ json: opened.json.slice(0, 6) }), ...refused],
    [
      ...["Fan 2 failed", "Mine", "Lag8", "Loss8", "Like8", "CPU is high"],
      ...[2, 3].map((index) => ({ index, error: "An alert payload is a JSON object." })),
    ],
  );
  const { warnings } = await receiptOf(opened);
  const notice = "Redfish tells of something that is no alert: Somebody signed in.";
  assert.ok(warnings.includes(`Payload 1: Payload 2: ${notice}`), warnings.join("\n"));
  // One of them sent alone is the same alert.
  await source.send(group(alert("Loss8", "firing")));
  const lines = [5, group(alert("Lag8", "resolved"), alert("Loss8", "firing")), monitor("Recovered")];
  const ended = await source.sendBytes(lines.map((line) => JSON.stringify(line)).join("\n"), {
    "content-type": "application/x-ndjson",
  });
  assert.deepEqual(ended.json.at(-1), { index: 0, error: "Line 1: An alert payload is a JSON object." });
  const now = await Promise.all([lag, loss, cpu].map(({ iid }: { iid: number }) => alertOf(iid)));
  assert.deepEqual(
    now.map(({ status, events, monitoring_tool }) => [status, events, monitoring_tool]),
    [
      ["resolved", 1, "Prometheus"],
      ["triggered", 1, "Prometheus"],
      ["resolved", 1, "Datadog"],
    ],
  );
  const mapped = await aSource(world, "http", { name: "Mapped lists", mapping: { title: ["Context"] } });
  assert.deepEqual(titlesOf(await mapped.send([told(event("A", "Critical", "B"))])), ["rack-8"]);
});

test("each alert in a group of HertzBeat is opened and resolved separately, unless the payload is in our own words (decisions 0124, 0219)", async () => {
  const opened = await source.send(HERTZBEAT("firing", "CPU of quay-3", "Memory of quay-3"));
  assert.deepEqual(titlesOf(opened), ["CPU of quay-3", "Memory of quay-3"]);
  const ended = await source.send(HERTZBEAT("resolved", "CPU of quay-3"));
  assert.deepEqual(ended.json, [opened.json[0]]);
  const own = await source.send({ ...HERTZBEAT("firing", "CPU"), severity: "low" });
  assert.deepEqual(titlesOf(own), ["🔔 HertzBeat Alert Notification"]);
});

test("an alert that has ended in a group of HertzBeat that fires is resolved: the status of the group is firing as long as one of them is (decision 0124)", async () => {
  const names = ["CPU of quay-4", "Memory of quay-4", "Disk of quay-4"];
  const group = (...ends: (string | number | null | undefined)[]) => {
    const { alerts, ...rest } = HERTZBEAT("firing", ...names);
    return { ...rest, alerts: alerts.map((alert, at) => ({ ...alert, endAt: ends[at] })) };
  };
  const opened = await source.send(group());
  const iids: number[] = opened.json.map(({ iid }: { iid: number }) => iid);
  const now = async () => {
    const read = await Promise.all(iids.map(alertOf));
    return read.map(({ status, ended_at, events }) => [status, ended_at, events]);
  };
  await source.send(group(HERTZBEAT_END, null, ""));
  const ended = ["resolved", "2026-05-01T10:10:00.000Z", 1];
  assert.deepEqual(await now(), [ended, ["triggered", null, 2], ["triggered", null, 2]]);
  // Its times are those of its own time zone, so that one that has passed there may be ahead here.
  const ahead = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  await source.send(group(HERTZBEAT_END, ahead, 0));
  assert.deepEqual(
    (await now()).map(([status]) => status),
    ["resolved", "resolved", "triggered"],
  );
});

test("in a group of HertzBeat that fires an alert with a status has that one, and ends say nothing if all alerts have one (decision 0124)", async () => {
  const { alerts, ...rest } = HERTZBEAT("firing", "CPU of quay-5", "Memory of quay-5");
  const opened = await source.send({ ...rest, alerts });
  const statuses = async () =>
    (await Promise.all(opened.json.map(({ iid }: { iid: number }) => alertOf(iid)))).map((one) => one.status);
  await source.send({ ...rest, alerts: alerts.map((alert) => ({ ...alert, endAt: HERTZBEAT_END })) });
  assert.deepEqual(await statuses(), ["triggered", "triggered"]);
  const [cpu, memory] = alerts;
  await source.send({
    ...rest,
    alerts: [
      { ...cpu, status: "resolved" },
      { ...memory, status: "firing" },
    ],
  });
  assert.deepEqual(await statuses(), ["resolved", "triggered"]);
});

test("a payload that only has a title like HertzBeat's keeps it (spec: Alert payload title)", async () => {
  const title = "HertzBeat Alert: disk full on web-1";
  const template = HERTZBEAT("firing", "CPU of quay-6");
  for (const body of [
    { title, alerts: [{ labels: { a: "b" }, content: "x" }] },
    { title, status: "firing", alerts: [{ labels: { a: "b" }, content: "x" }] },
    { title, status: "firing", alerts: [{ labels: { a: "b" }, triggerTimes: 3 }] },
    { ...template, title, status: null },
  ]) {
    assert.deepEqual(titlesOf(await source.send(body)), [title], JSON.stringify(body));
  }
});

test("a list whose groups contain more than 10,000 alerts is refused like one such group (decision 0031)", async () => {
  const group = { receiver: "own", alerts: Array.from({ length: 5001 }, () => ({ labels: {} })) };
  assert.equal((await source.send([group, group])).status, 413);
});

test("lists in a payload with a title or mapping, and lists of an unknown kind, are not split into alerts (spec: Alert payload title)", async () => {
  const alerts = [{ labels: { alertname: "A" } }, { labels: { alertname: "B" } }];
  const titled = await source.send({ title: "Mine", alerts, Events: [{ MessageId: "1" }] });
  assert.deepEqual(titlesOf(titled), ["Mine"]);
  const plain = await source.send({ alerts: [{ name: "a" }], note: 1 });
  assert.deepEqual(titlesOf(plain), ["New: Alert"]);
  const mapped = await aSource(world, "http", { name: "Mapped", mapping: { title: ["receiver"] } });
  assert.deepEqual(titlesOf(await mapped.send({ receiver: "Whole", alerts })), ["Whole"]);
});

test("each bucket of an OpenSearch monitor is an alert, and its completion resolves that one only (decision 0124)", async () => {
  const bucket = (bucket_keys: string, more: object = {}) => ({
    ...{
      id: `a-${bucket_keys}`,
      bucket_keys,
      parents_bucket_path: "by_host",
      state: "ACTIVE",
      severity: "2",
    },
    ...{ start_time: Date.parse("2026-05-01T10:00:00Z"), end_time: null, error_message: null, ...more },
  });
  const run = (newAlerts: object[], dedupedAlerts: object[], completedAlerts: object[]) => ({
    monitor: { _id: "m7", _version: 2, name: "Load", enabled: true },
    trigger: { id: "t7", name: "Too busy", severity: "2", actions: [{ name: "Tell" }] },
    results: [{ aggregations: { by_host: { buckets: [] } } }],
    ...{ periodStart: "2026-05-01T09:59:00Z", periodEnd: "2026-05-01T10:00:00Z", error: null },
    ...{ newAlerts, dedupedAlerts, completedAlerts },
  });
  const opened = await source.send(run([bucket("web-1"), bucket("web-2")], [], []));
  assert.deepEqual(titlesOf(opened), ["Load: Too busy (web-1)", "Load: Too busy (web-2)"]);
  const [one, two] = opened.json.map(({ iid }: { iid: number }) => iid);
  const { severity, monitoring_tool, started_at } = await alertOf(one);
  assert.deepEqual(
    [severity, monitoring_tool, started_at],
    ["high", "OpenSearch", "2026-05-01T10:00:00.000Z"],
  );
  const over = bucket("web-1", { state: "COMPLETED", end_time: Date.parse("2026-05-01T10:05:00Z") });
  // An action that runs once per alert has only that alert in its lists.
  await source.send({ ctx: run([], [], [over]) });
  await source.send({ ctx: run([], [bucket("web-2")], []) });
  const [first, second] = [await alertOf(one), await alertOf(two)];
  assert.deepEqual(
    [first.status, first.events, first.ended_at, second.status, second.events],
    ["resolved", 1, "2026-05-01T10:05:00.000Z", "triggered", 2],
  );
});
