/** The endpoints and responses that clients of PagerDuty and of Alertmanager's API expect. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { receiptOf, alertOf, alertIn } = readsAlerts(() => world);

describe("PagerDuty", () => {
  const enqueue = (event: unknown, headers = {}) => world.call("/v2/enqueue", { json: event, headers });
  const event = (more: Record<string, unknown> = {}) => ({
    routing_key: source.key,
    event_action: "trigger",
    dedup_key: "disk/db-1",
    client: "Yard monitor",
    links: [{ href: "https://runbooks.example.org/disk", text: "Runbook" }],
    payload: {
      summary: "Disk is full",
      source: "db-1.example.org",
      severity: "error",
      timestamp: "2026-05-01T10:00:00.000Z",
      component: "archive",
      custom_details: { free: "0 %", description: "Nothing can be written" },
    },
    ...more,
  });

  test("a gzip event that inflates to more than 1 MiB gets 413, even with an invalid key (contract-alerts, limits)", async () => {
    const big = gzipSync(
      JSON.stringify({ ...event(), routing_key: "guessed", padding: "x".repeat(2 * 1024 * 1024) }),
    );
    assert.ok(big.length < 10_000);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const reply = await world.call("/v2/enqueue", { method: "POST", body: big, headers });
    assert.deepEqual([reply.status, reply.json.status], [413, "invalid event"]);
  });

  test("trigger, acknowledge and resolve events change one alert and get PagerDuty's responses (contract-alerts, doors; decision 0085)", async () => {
    const first = await enqueue(event());
    assert.equal(first.status, 202);
    assert.deepEqual(first.json, {
      status: "success",
      message: "Event processed",
      dedup_key: "disk/db-1",
    });
    const opened = await alertIn(first);
    assert.deepEqual(
      [opened.title, opened.severity, opened.service, opened.hosts, opened.monitoring_tool, opened.runbook],
      [
        "Disk is full",
        "medium",
        "archive",
        ["db-1.example.org"],
        "Yard monitor",
        "https://runbooks.example.org/disk",
      ],
    );
    assert.deepEqual(
      [opened.description, opened.started_at, opened.status],
      ["Nothing can be written", "2026-05-01T10:00:00.000Z", "triggered"],
    );
    const { iid } = opened;
    await enqueue(event());
    assert.equal((await alertOf(iid)).events, 2);

    const acknowledged = await enqueue({
      routing_key: source.key,
      event_action: "acknowledge",
      dedup_key: "disk/db-1",
    });
    assert.deepEqual([acknowledged.status, (await receiptOf(acknowledged)).decision], [202, "acknowledged"]);
    assert.equal((await alertOf(iid)).status, "acknowledged");

    await enqueue({ routing_key: source.key, event_action: "resolve", dedup_key: "disk/db-1" });
    const resolved = await alertOf(iid);
    assert.equal(resolved.status, "resolved");
    const incident = await world.call(`${api}/issues/${resolved.issue_iid}`, { as: "dev" });
    assert.equal(incident.json.state, "closed");

    const late = await enqueue({
      routing_key: source.key,
      event_action: "acknowledge",
      dedup_key: "disk/db-1",
    });
    assert.deepEqual([late.status, (await receiptOf(late)).decision], [202, "orphan"]);
  });

  test("the routing key is redacted from receipt and alert (decision 0085)", async () => {
    const details = { custom_details: { copy: source.key }, summary: "Key", source: "x", severity: "info" };
    const reply = await enqueue(event({ dedup_key: "key", payload: details }));
    const receipt = await receiptOf(reply);
    const raw = Buffer.from(receipt.raw, "base64").toString();
    assert.ok(raw.includes('"summary":"Key"'));
    const kept = raw + JSON.stringify(receipt) + JSON.stringify(await alertIn(reply));
    assert.ok(!kept.includes(source.key));
    assert.equal(receipt.key_hint, `…${source.key.slice(-4)}`);
  });

  test("an event without a dedup_key gets one back, which resolves the alert (decision 0085)", async () => {
    const first = await enqueue(event({ dedup_key: undefined }));
    assert.match(first.json.dedup_key, /^[0-9a-f]{64}$/);
    const again = await enqueue(event({ dedup_key: undefined }));
    assert.equal(again.json.dedup_key, first.json.dedup_key);
    const opened = await alertIn(first);
    assert.equal(opened.events, 2);
    await enqueue({
      routing_key: source.key,
      event_action: "resolve",
      dedup_key: first.json.dedup_key,
    });
    assert.equal((await alertOf(opened.iid)).status, "resolved");
  });

  test("invalid members and keys are reported in PagerDuty's error format (decision 0085)", async () => {
    const wrong: readonly [Record<string, unknown>, number, string][] = [
      [{ event_action: "explode" }, 400, "event_action must be one of trigger, acknowledge, resolve"],
      [{ payload: undefined }, 400, "payload is missing or blank"],
      [{ payload: { source: "x", severity: "info" } }, 400, "payload.summary is missing or blank"],
      [{ event_action: "resolve", dedup_key: "" }, 400, "dedup_key is missing or blank"],
      [{ dedup_key: "k".repeat(256) }, 400, "dedup_key is too long (maximum is 255 characters)"],
      [{ routing_key: undefined }, 400, "routing_key is missing or blank"],
      [{ routing_key: "0".repeat(32) }, 401, "routing_key is not the key of an integration"],
    ];
    for (const [more, status, message] of wrong) {
      const reply = await enqueue(event(more));
      assert.deepEqual(
        [reply.status, reply.json],
        [status, { status: "invalid event", message: "Event object is invalid", errors: [message] }],
      );
    }
    const broken = await world.call("/v2/enqueue", {
      body: '{"routing_key":',
      headers: { "content-type": "application/json" },
    });
    assert.equal(broken.status, 400);
    assert.match(broken.json.errors[0], /line 1, column 16/);
    const off = await aSource(world, "http", { active: false });
    const refused = await enqueue(event({ routing_key: off.key }));
    assert.deepEqual([refused.status, refused.json.errors], [403, ["403 Forbidden"]]);
  });

  test("an unknown severity is stored as critical, with a warning (decision 0031)", async () => {
    for (const [severity, warned] of [
      ["", false],
      ["purple", true],
    ] as const) {
      const reply = await enqueue(
        event({ dedup_key: `s${severity}`, payload: { summary: "S", source: "x", severity } }),
      );
      assert.equal((await alertIn(reply)).severity, "critical");
      assert.equal((await receiptOf(reply)).warnings.length, warned ? 1 : 0);
    }
  });

  test("events of the older generic API and change events are accepted (decision 0085)", async () => {
    const path = "/generic/2010-04-15/create_event.json";
    const trigger = { service_key: source.key, event_type: "trigger", incident_key: "old/1" };
    const first = await world.call(path, {
      json: { ...trigger, description: "An old client", details: { load: 9 } },
    });
    assert.deepEqual(
      [first.status, first.json],
      [200, { status: "success", message: "Event processed", incident_key: "old/1" }],
    );
    const opened = await alertIn(first);
    assert.equal(opened.title, "An old client");
    await world.call(path, { json: { ...trigger, event_type: "resolve" } });
    assert.equal((await alertOf(opened.iid)).status, "resolved");
    const change = await world.call("/v2/change/enqueue", {
      json: { routing_key: source.key, payload: { summary: "Deployed 7" } },
    });
    assert.equal(change.status, 202);
    const receipt = await receiptOf(change);
    assert.deepEqual([receipt.decision, receipt.alert_iids], ["nothing", []]);
    assert.match(receipt.warnings[0], /change event/);
  });
});

test("the host is read from Zabbix's media types for PagerDuty and Opsgenie (decision 0085)", async () => {
  const event = await world.call("/v2/enqueue", {
    json: {
      ...{ routing_key: source.key, dedup_key: "6931", event_action: "trigger", client: "Zabbix" },
      payload: {
        ...{ summary: "Problem: Disk space is low on /", source: "web-1 : 10.0.0.7", severity: "error" },
        custom_details: { "Event host": "web-1", "Event host ip": "10.0.0.7" },
      },
    },
  });
  assert.deepEqual((await alertIn(event)).hosts, ["web-1"]);
  const alert = await world.call("/opsgenie/v2/alerts/", {
    headers: { authorization: `GenieKey ${source.key}` },
    json: {
      ...{ message: "Problem: Disk space is low on /", alias: "6932", priority: "P2", source: "Zabbix" },
      description:
        "Problem started at 21:00:00 on 2026.11.22\nProblem name: Disk space is low on /\nHost: web-2\nSeverity: High\n",
      ...{
        details: { "Zabbix server": "https://zabbix.example.org/" },
        responders: [{ type: "team", name: "" }],
      },
    },
  });
  assert.deepEqual((await alertIn(alert)).hosts, ["web-2"]);
});

describe("Alertmanager's API", () => {
  let metrics: Source;
  before(async () => {
    metrics = await aSource(world, "prometheus");
  });
  const past = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const alertNamed = (name: string, more: Record<string, unknown> = {}) => ({
    labels: { alertname: name, instance: "db-1:9100", job: "postgres", severity: "warning" },
    annotations: { summary: `${name} is down` },
    startsAt: "2026-05-01T10:00:00.000Z",
    endsAt: past(-4),
    generatorURL: "http://prometheus.example.org/graph?g0.expr=up",
    ...more,
  });
  const post = (alerts: unknown, path = "/acme/rocket/alertmanager/api/v2/alerts", key = metrics.key) =>
    world.call(path, { json: alerts, headers: { authorization: `Bearer ${key}` } });
  const search = async (name: string) =>
    (await world.call(`${api}/alert_management_alerts?search=${name}`, { as: "dev" })).json;

  test("an alert with a future endsAt fires, one with a past endsAt resolves, and a repeat counts as delivery (contract-alerts, doors; decision 0085)", async () => {
    const reply = await post([alertNamed("Api1"), alertNamed("Api2")]);
    assert.deepEqual([reply.status, reply.text], [200, ""]);
    await post([alertNamed("Api1"), alertNamed("Api2")]);
    const [opened] = await search("Api1");
    assert.deepEqual(
      [opened.status, opened.events, opened.deliveries, opened.severity, opened.service, opened.hosts],
      ["triggered", 1, 2, "low", "postgres", ["db-1:9100"]],
    );
    assert.equal(opened.started_at, "2026-05-01T10:00:00.000Z");
    const end = past(1);
    await post([alertNamed("Api1", { endsAt: end })]);
    await post([alertNamed("Api1", { endsAt: end })]);
    const [resolved] = await search("Api1");
    assert.deepEqual([resolved.status, resolved.ended_at, resolved.events], ["resolved", end, 1]);
    assert.equal((await search("Api2"))[0].status, "triggered");
  });

  test("the API is available under each base path of the project, with keys of its integrations (decision 0085)", async () => {
    for (const path of [
      "/acme/rocket/alertmanager/api/v2/alerts/",
      "/acme/rocket/alertmanager/api/v1/alerts",
      "/acme/rocket/prometheus/alertmanager/api/v2/alerts",
    ]) {
      assert.equal((await post([alertNamed("Api3")], path)).status, 200, path);
    }
    assert.equal((await post([alertNamed("Api3")], undefined, source.key)).status, 200);
    assert.equal((await post([], undefined, "wrong")).status, 401);
    assert.equal((await post([], "/acme/nowhere/alertmanager/api/v2/alerts")).status, 403);
    assert.equal((await search("Api3"))[0].events, 1);
  });

  test("a body that is no list of labelled alerts gets 400 (decision 0085)", async () => {
    for (const body of [{}, [1], [{ labels: 1 }], "x"]) assert.equal((await post(body)).status, 400);
    assert.equal((await post(Array.from({ length: 10_001 }, () => alertNamed("x")))).status, 413);
    assert.equal((await post([])).status, 200);
  });

  test("a receipt of this API shows how the alert was read and decided (decision 0038)", async () => {
    const reply = await post([alertNamed("Api4", { endsAt: past(1) })]);
    const receipt = await receiptOf(reply);
    assert.deepEqual(
      [receipt.reading.shape, receipt.reading.alerts[0].action, receipt.decision],
      ["prometheus", "recovery", "orphan"],
    );
  });
});

test("requests of these clients without a counterpart get 404 as JSON (decision 0085)", async () => {
  for (const [method, address] of [
    ["GET", "/opsgenie/v2/alerts/x/recipients?identifierType=alias"],
    ["POST", "/opsgenie/v2/heartbeats/x/ping"],
    ["POST", "/opsgenie/v2/alerts/x/explode?identifierType=alias"],
    ["DELETE", "/opsgenie/v2/heartbeats/x"],
    ["GET", "/v2/enqueue"],
    ["POST", "/v2/incidents"],
  ] as const) {
    const reply = await world.call(address, { method });
    assert.equal(reply.status, 404, `${method} ${address}`);
    assert.match(JSON.stringify(reply.json), /404 Not Found/, `${method} ${address}`);
  }
});

test("prometheus is a reserved project path, as its endpoints would clash with another project's (decision 0088)", async () => {
  const { status, json } = await world.call("/api/v4/projects", {
    as: "olga",
    json: { name: "Prometheus", path: "prometheus" },
  });
  assert.deepEqual([status, json], [400, { message: { path: ["is a reserved name"] } }]);
});
