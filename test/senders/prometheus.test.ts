/** A real Prometheus, configured with this service as its Alertmanager. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { startPrometheus } from "../support/senders.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
const rules = (expression: string) => `
groups:
- name: always
  interval: 1s
  rules:
  - {alert: AlwaysOn, expr: '${expression}', labels: {severity: warning, service: rules}, annotations: {summary: 'Always on'}}
`;
let world: World;
let source: Source;
let prometheus: Awaited<ReturnType<typeof startPrometheus>>;
before(async () => {
  world = await startWorld();
  source = await aSource(world, "prometheus");
  prometheus = await startPrometheus(
    `
global: {evaluation_interval: 1s}
rule_files: [rules.yml]
alerting:
  alertmanagers:
  - path_prefix: /acme/rocket/alertmanager
    authorization: {credentials: ${source.key}}
    static_configs: [{targets: ['${new URL(world.url).host}']}]
`,
    rules("vector(1)"),
  );
});

test("a firing rule opens an alert, its repeats are no occurrences, and its end resolves the alert (reference alerts E2; decision 0085)", async () => {
  const found = async () => (await world.call(`${api}/alert_management_alerts`, { as: "dev" })).json;
  const opened = await until(async () => {
    const [one] = await found();
    return one?.deliveries >= 2 && one;
  });
  assert.deepEqual(
    [opened.title, opened.events, opened.severity, opened.service, opened.monitoring_tool, opened.status],
    ["Always on", 1, "low", "rules", "Prometheus", "triggered"],
  );
  await prometheus.changeRules(rules("vector(1) > 1"));
  const resolved = await until(async () => {
    const [one] = await found();
    return one.status === "resolved" && one;
  });
  assert.equal(resolved.events, 1);
  assert.ok(resolved.ended_at);
});
