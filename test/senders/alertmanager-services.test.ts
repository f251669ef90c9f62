/** The real prometheus-alertmanager, configured for PagerDuty and Opsgenie, sends to this service. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { type Manager, startManager } from "../support/senders.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
let manager: Manager;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  manager = await startManager(`
route: {receiver: pagerduty, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 1h,
  routes: [{matchers: ['tool="opsgenie"'], receiver: opsgenie}]}
receivers:
- name: pagerduty
  pagerduty_configs:
  - {routing_key: ${source.key}, url: '${world.url}/v2/enqueue', severity: error, component: '{{ .CommonLabels.job }}'}
- name: opsgenie
  opsgenie_configs:
  - {api_key: ${source.key}, api_url: '${world.url}/opsgenie/', priority: P2, entity: '{{ .CommonLabels.job }}',
     update_alerts: true}
`);
});

const found = async (search: string) =>
  (await world.call(`${api}/alert_management_alerts?search=${search}`, { as: "dev" })).json;
const receipts = async () => (await world.call(`${api}/alert_receipts?per_page=50`, { as: "max" })).json;

for (const [tool, severity, shown] of [
  ["pagerduty", "medium", "Alertmanager"],
  ["opsgenie", "high", "Opsgenie client"],
] as const) {
  test(`a group sent by ${tool}_configs opens an alert, its growth is no new occurrence, and its end resolves it (reference alerts E1; decision 0085)`, async () => {
    const alert = (instance: string) => ({
      labels: { alertname: `Via${tool}`, tool, job: "archive", instance },
      annotations: { summary: "The archive is full" },
      startsAt: new Date(Date.now() - 60_000).toISOString(),
    });
    await manager.tell([alert("a")]);
    const opened = await until(async () => (await found(`Via${tool}`))[0]);
    assert.deepEqual(
      [opened.status, opened.severity, opened.service, opened.monitoring_tool],
      ["triggered", severity, "archive", shown],
    );
    await manager.tell([alert("a"), alert("b")]);
    const grown = await until(async () => {
      const [one, two] = await found(`Via${tool}`);
      assert.equal(two, undefined);
      return one.deliveries >= 2 && one;
    });
    assert.equal(grown.events, 1);
    const endsAt = new Date().toISOString();
    await manager.tell([
      { ...alert("a"), endsAt },
      { ...alert("b"), endsAt },
    ]);
    await until(async () => (await found(`Via${tool}`))[0].status === "resolved");
    const kept = (await receipts()) as { reading: { shape: string }; raw: string; status: number }[];
    const own = kept.filter(({ reading }) => reading.shape === tool);
    assert.ok(own.length >= 3 && own.every(({ status }) => status === 202));
    assert.ok(own.every(({ raw }) => !Buffer.from(raw, "base64").toString().includes(source.key)));
  });
}
