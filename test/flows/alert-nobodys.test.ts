/**
 * Payloads of unknown tools with common member names: title and state are read from them, and recoveries resolve
 * their alerts.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { receiptOf, alertOf } = readsAlerts(() => world);
const iidsOf = async (payload: unknown): Promise<number[]> =>
  (await source.send(payload)).json.map(({ iid }: { iid: number }) => iid);

/** A firing payload, and the one that resolves it. */
const PAIRS: readonly [name: string, begins: object, ends: object, title: string][] = [
  ...(
    [
      ["failed", "success"],
      ["FAILED", "FIXED"],
      ["offline", "online"],
      ["raised", "cleared"],
      ["started", "ended"],
      ["new", "done"],
      ["failing", "passing"],
      ["unhealthy", "restored"],
    ] as const
  ).map(([begins, ends]): [string, object, object, string] => [
    `a state that is ${begins}, then ${ends}`,
    { alert_name: `Job ${begins}`, status: begins },
    { alert_name: `Job ${begins}`, status: ends },
    `Job ${begins}`,
  ]),
  [
    "an incident in an object of its own",
    { incident: { id: 4, title: "Queue stands", status: "open", severity: "high" } },
    { incident: { id: 4, title: "Queue stands", status: "resolved", severity: "high" } },
    "Queue stands",
  ],
  [
    "an event with a word for its outcome",
    {
      event: "alert.fired",
      alert: { id: "a1", name: "Latency", severity: "warning" },
      timestamp: 1777629600,
    },
    {
      event: "alert.resolved",
      alert: { id: "a1", name: "Latency", severity: "warning" },
      timestamp: 1777633200,
    },
    "Latency",
  ],
  [
    "an alert inside an object that has the request's status",
    { status: "success", data: { alert: { id: 3, name: "Replica", status: "firing" } } },
    { status: "success", data: { alert: { id: 3, name: "Replica", status: "resolved" } } },
    "Replica",
  ],
  [
    "a payload inside a payload",
    { type: "alert.triggered", payload: { rule_name: "Errors", host: "web-1" } },
    { type: "alert.resolved", payload: { rule_name: "Errors", host: "web-1" } },
    "Errors",
  ],
  [
    "a rule with a member that says whether it is resolved",
    { rule_name: "Disk", host: "db-7", resolved: false },
    { rule_name: "Disk", host: "db-7", resolved: true },
    "Disk",
  ],
  [
    "a trigger with a member active",
    { trigger: { name: "Heat" }, active: true, value: 91 },
    { trigger: { name: "Heat" }, active: false, value: 40 },
    "Heat",
  ],
  [
    "a problem with an end time that is empty until it ends",
    { problem_title: "Power", resolved_at: null, started_at: "2026-05-01T10:00:00Z" },
    { problem_title: "Power", resolved_at: "2026-05-01T11:00:00Z", started_at: "2026-05-01T10:00:00Z" },
    "Power",
  ],
  [
    "a site without an id",
    { monitor: "Docs", url: "https://docs.example.org", status: "down", reason: "504" },
    { monitor: "Docs", url: "https://docs.example.org", status: "up" },
    "Docs is down",
  ],
  [
    "a host in an object with measurements",
    { alert_name: "Load", status: "firing", host: { name: "web-9", load: 12 } },
    { alert_name: "Load", status: "resolved", host: { name: "web-9", load: 1 } },
    "Load",
  ],
];

describe("an alert of an unknown tool", () => {
  for (const [name, begins, ends, title] of PAIRS) {
    test(`is read from common member names: ${name}, resolved by its recovery (decision 0267)`, async () => {
      const [iid = 0] = await iidsOf(begins);
      const alert = await alertOf(iid);
      assert.deepEqual([alert.title, alert.status], [title, "triggered"]);
      assert.deepEqual(await iidsOf({ ...begins, value: 92 }), [iid], "same alert with another value");
      assert.deepEqual(await iidsOf(ends), [iid]);
      assert.equal((await alertOf(iid)).status, "resolved");
      assert.deepEqual(await iidsOf(ends), [], "a recovery without an open alert");
      assert.notDeepEqual(await iidsOf(begins), [iid], "a new alert");
    });
  }

  test("has its severity, host and start read from nested members (decision 0267)", async () => {
    const [iid = 0] = await iidsOf({
      event: "incident.opened",
      data: { incident: { id: 9, name: "Pods restart", priority: "P2", url: "https://watch.example.org/9" } },
      ...{ hostname: "not this one" },
    });
    assert.equal((await alertOf(iid)).severity, "high");
    const [other = 0] = await iidsOf({
      incident: {
        id: 10,
        title: "Nodes restart",
        state: "triggered",
        level: "warning",
        startedAt: 1777629600,
      },
      hostname: "node-1",
    });
    const { severity, hosts, started_at } = await alertOf(other);
    assert.deepEqual([severity, hosts, started_at], ["low", ["node-1"], "2026-05-01T10:00:00.000Z"]);
  });

  test('is acknowledged by an "acknowledged" event (decision 0267)', async () => {
    const says = (event: string) => ({ event: `incident.${event}`, incident: { id: 11, title: "Mail" } });
    const [iid = 0] = await iidsOf(says("triggered"));
    assert.deepEqual(await iidsOf(says("acknowledged")), [iid]);
    assert.equal((await alertOf(iid)).status, "acknowledged");
  });

  test('is not resolved by the success status of the request, and is called "New: Alert" without a state (contract §4, missing title; decision 0267)', async () => {
    for (const payload of [
      { status: "success", alert: { name: "Disk", severity: "high" } },
      { status: "success", data: { alert: { name: "Disk" } } },
      { rule_name: "Disk", value: 3 },
      { name: "disk", resolved: true },
      { data: { name: "disk", status: "resolved" } },
    ]) {
      const [iid = 0] = await iidsOf(payload);
      const { title, status } = await alertOf(iid);
      assert.deepEqual([title, status], ["New: Alert", "triggered"], JSON.stringify(payload));
    }
  });

  test("takes its own state over the status of the request around it (decision 0267)", async () => {
    const says = (name: string, more: object) => ({
      status: "ok",
      alert: { name, severity: "high" },
      ...more,
    });
    for (const [name, begins, ends] of [
      ["Crane", { event: "alert.fired" }, { event: "alert.resolved" }],
      ["Lock", { active: true }, { active: false }],
      ["Weir", { resolved: false }, { resolved: true }],
    ] as const) {
      const [iid = 0] = await iidsOf(says(name, begins));
      const { title, status } = await alertOf(iid);
      assert.deepEqual([title, status], [name, "triggered"]);
      assert.deepEqual(await iidsOf(says(name, ends)), [iid]);
      assert.equal((await alertOf(iid)).status, "resolved");
    }
    const [flat = 0] = await iidsOf({ status: "ok", alert_name: "Sluice", alert_state: "firing" });
    assert.deepEqual(await iidsOf({ status: "ok", alert_name: "Sluice", alert_state: "resolved" }), [flat]);
    // Here `active` says that the rule is enabled, not that it fires.
    const [rule = 0] = await iidsOf({ alert: { name: "Dyke", status: "firing", active: true } });
    assert.deepEqual(await iidsOf({ alert: { name: "Dyke", status: "ok", active: true } }), [rule]);
    assert.equal((await alertOf(rule)).status, "resolved");
  });

  test("is read from a list of alerts within an object, each with its own state (decision 0267)", async () => {
    const one = (alert_name: string, status: string) => ({ alert_name, status });
    const iids = await iidsOf({ account: 7, alerts: [one("Fan 1", "firing"), one("Fan 2", "firing")] });
    assert.equal(new Set(iids).size, 2);
    const [first = 0, second = 0] = iids;
    await iidsOf({ account: 7, alerts: [one("Fan 1", "resolved"), one("Fan 2", "firing")] });
    assert.deepEqual(
      [(await alertOf(first)).status, (await alertOf(second)).status],
      ["resolved", "triggered"],
    );
  });

  test("is read by the service's own format if it has a title or another member of that (spec: Alert payload; decision 0219)", async () => {
    for (const payload of [
      { title: "Mine", incident: { title: "Other", status: "resolved" }, resolved: true },
      { title: "Mine too", status: "firing", labels: { alertname: "Other" } },
    ]) {
      const [iid = 0] = await iidsOf(payload);
      assert.deepEqual((await alertOf(iid)).title, payload.title);
    }
    const [iid = 0] = await iidsOf({
      monitoring_tool: "Mine",
      alert: { labels: { alertname: "A" }, status: "firing" },
    });
    assert.equal((await alertOf(iid)).title, "New: Alert");
  });
});

test("a single Alertmanager alert forwarded by a relay is the same alert as in its group (reference alerts A11; decision 0267)", async () => {
  const alert = (status: string) => ({
    status,
    labels: { alertname: "Lag", instance: "db-2:9100", severity: "warning" },
    annotations: { summary: "Replica lags" },
    startsAt: "2026-05-01T10:00:00Z",
    endsAt: status === "firing" ? "0001-01-01T00:00:00Z" : "2026-05-01T11:00:00Z",
    ...{ generatorURL: "http://prometheus.example.org", fingerprint: "c6eadffa33fcdf37" },
  });
  const [iid = 0] = await iidsOf(alert("firing"));
  const { title, severity, hosts, monitoring_tool } = await alertOf(iid);
  assert.deepEqual(
    [title, severity, hosts, monitoring_tool],
    ["Replica lags", "low", ["db-2:9100"], "Prometheus"],
  );
  const group = await source.send({
    ...{ version: "4", groupKey: "k", status: "resolved", receiver: "r", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://am.example.org", alerts: [alert("resolved")] },
  });
  assert.deepEqual((await receiptOf(group)).alert_iids, [iid]);
  const ended = await alertOf(iid);
  assert.deepEqual([ended.status, ended.ended_at], ["resolved", "2026-05-01T11:00:00.000Z"]);
  const [wrapped = 0] = await iidsOf({ source: "relay", alert: alert("firing") });
  assert.deepEqual(await iidsOf({ source: "relay", alert: alert("resolved") }), [wrapped]);
});

describe("the specification's own members without a title, beside common names", () => {
  const NAMES: readonly object[] = [
    { alert_name: "Kiln", status: "open" },
    { rule: { name: "Kiln" }, status: "firing" },
    { monitor: { id: 7, name: "Kiln" }, status: "down" },
  ];
  for (const [at, names] of NAMES.entries()) {
    test(`${JSON.stringify(names)} is resolved by an end_time and has its start_time and hosts (spec: Alert payload end_time; spec: Alert payload start_time; spec: Alert payload hosts; contract §4, resolve)`, async () => {
      const fingerprint = `kiln-${at}`;
      const [iid = 0] = await iidsOf({ title: "Kiln", fingerprint });
      const end = { fingerprint, end_time: "2099-01-02T00:00:00Z" };
      assert.deepEqual(await iidsOf({ ...end, ...names }), [iid]);
      const { status, ended_at, events } = await alertOf(iid);
      assert.deepEqual([status, ended_at, events], ["resolved", "2099-01-02T00:00:00.000Z", 1]);
      const [other = 0] = await iidsOf({
        ...{ fingerprint: `other-${at}`, start_time: "2026-05-01T10:00:00Z", hosts: ["kiln-1", "kiln-2"] },
        ...names,
      });
      const { started_at, hosts } = await alertOf(other);
      assert.deepEqual([started_at, hosts], ["2026-05-01T10:00:00.000Z", ["kiln-1", "kiln-2"]]);
    });
  }

  test("an end_time that is no time, or is empty, ends nothing (contract-alerts, recovery; decision 0128)", async () => {
    for (const end_time of ["soon", "", null, 0, "0001-01-01T00:00:00Z"]) {
      const [iid = 0] = await iidsOf({ alert_name: "Kiln that burns", status: "open", end_time });
      assert.equal((await alertOf(iid)).status, "triggered", String(end_time));
    }
  });
});
