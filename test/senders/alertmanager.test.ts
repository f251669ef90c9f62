/** The real prometheus-alertmanager: firing alerts open an alert and its incident, and resolved ones close both. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { type Manager, startManager } from "../support/senders.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";

let world: World;
let metrics: Source;
let generic: Source;
let watchdog: { id: number; url: string; key: string };
let manager: Manager;

before(async () => {
  world = await startWorld();
  metrics = await aSource(world, "prometheus");
  generic = await aSource(world);
  const json = { name: "Prometheus", interval_seconds: 300 };
  watchdog = (await world.call(`${api}/alert_heartbeats`, { as: "max", json })).json;
  manager = await startManager(`
route: {receiver: metrics, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 1h,
  routes: [{matchers: ['door="generic"'], receiver: generic},
    {matchers: ['alertname="Watchdog"'], receiver: watchdog, repeat_interval: 1m}]}
receivers:
- name: metrics
  webhook_configs:
  - {url: '${world.url}${metrics.path}', send_resolved: true, http_config: {authorization: {type: Bearer, credentials: ${metrics.key}}}}
- name: watchdog
  webhook_configs:
  - {url: '${watchdog.url}', send_resolved: false, http_config: {authorization: {credentials: ${watchdog.key}}}}
- name: generic
  webhook_configs:
  - {url: '${world.url}${generic.path}', send_resolved: true, http_config: {basic_auth: {username: '', password: ${generic.key}}}}
`);
});

const alertsNamed = async (search: string) =>
  (await world.call(`${api}/alert_management_alerts?sort=created_at_asc&search=${search}`, { as: "dev" }))
    .json;

for (const door of ["metrics", "generic"] as const) {
  test(`firing and resolved alerts sent to the ${door} integration open and close an incident (spec: Configuration 4; spec: States 1)`, async () => {
    const startsAt = new Date(Date.now() - 60_000).toISOString();
    const alert = {
      labels: { alertname: `Down${door}`, door, instance: "db-1:9100", job: "postgres", severity: "page" },
      annotations: {
        summary: `Database ${door} is down`,
        description: "No answer",
        runbook_url: "https://example.org/r",
      },
      generatorURL: "http://prometheus.example.org/graph?g0.expr=up",
      startsAt,
    };
    await manager.tell([alert]);
    const [opened] = await until(async () => {
      const found = await alertsNamed(`Database%20${door}`);
      return found.length > 0 && found;
    });
    assert.deepEqual(
      [
        opened.status,
        opened.severity,
        opened.service,
        opened.hosts,
        opened.monitoring_tool,
        opened.started_at,
      ],
      ["triggered", "high", "postgres", ["db-1:9100"], "Prometheus", startsAt],
    );
    const issue = `${api}/issues/${opened.issue_iid}`;
    assert.equal((await world.call(issue, { as: "dev" })).json.state, "opened");

    await manager.tell([{ ...alert, endsAt: new Date().toISOString() }]);
    const resolved = await until(async () => {
      const [found] = await alertsNamed(`Database%20${door}`);
      return found.status === "resolved" && found;
    });
    assert.ok(resolved.ended_at);
    assert.equal(resolved.events, 1);
    assert.equal((await world.call(issue, { as: "dev" })).json.state, "closed");
  });
}

test("hosts of one group are separate alerts, and sending the group again is a delivery but no occurrence (reference alerts A11)", async () => {
  const startsAt = new Date(Date.now() - 60_000).toISOString();
  const on = (instance: string) => ({
    labels: { alertname: "Disk", instance },
    annotations: { summary: "Disk is full" },
    startsAt,
  });
  await manager.tell([on("a"), on("b")]);
  await until(async () => (await alertsNamed("Disk%20is")).length === 2);
  // A third member makes Alertmanager send the whole group again.
  await manager.tell([on("a"), on("b"), on("c")]);
  const alerts = await until(async () => {
    const found = await alertsNamed("Disk%20is");
    return found.length === 3 && found;
  });
  assert.deepEqual(
    alerts.map((alert: { events: number }) => alert.events),
    [1, 1, 1],
  );
  assert.ok(alerts[0].deliveries >= 2);
});

test("an alert that always fires pings a heartbeat, and opens no alert (reference alerts D31)", async () => {
  const look = async () => (await world.call(`${api}/alert_heartbeats/${watchdog.id}`, { as: "max" })).json;
  assert.equal((await look()).state, "waiting");
  await manager.tell([{ labels: { alertname: "Watchdog", severity: "none" } }]);
  await until(async () => (await look()).state === "up");
  assert.deepEqual(await alertsNamed("Watchdog"), []);
});
