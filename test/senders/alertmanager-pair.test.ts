/** Two real Alertmanagers in a cluster, one outside it, and a Prometheus report the same alert. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { type Manager, startManager } from "../support/senders.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
let pair: [Manager, Manager, Manager];
before(async () => {
  world = await startWorld();
  source = await aSource(world, "prometheus");
  const config = `
route: {receiver: us, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}
receivers:
- name: us
  webhook_configs:
  - {url: '${world.url}${source.path}', send_resolved: true, http_config: {authorization: {type: Bearer, credentials: ${source.key}}}}
`;
  const first = await startManager(config, []);
  const second = await startManager(config, [first.peer ?? ""]);
  // One that has lost its cluster sends the same notifications.
  const apart = await startManager(config);
  pair = [first, second, apart];
});

const found = async (search: string) =>
  (await world.call(`${api}/alert_management_alerts?search=${search}`, { as: "dev" })).json;

test("reports by both members and one outside the cluster are one alert with one occurrence, resolved once (reference alerts D5, D31)", async () => {
  const alert = {
    labels: { alertname: "Pair", instance: "db-1", job: "postgres", place: "größer" },
    annotations: { summary: "The pair speaks" },
    startsAt: new Date(Date.now() - 60_000).toISOString(),
  };
  for (const manager of pair) await manager.tell([alert]);
  const opened = await until(async () => {
    const [one] = await found("The%20pair");
    return one?.deliveries >= 2 && one;
  });
  assert.equal(opened.events, 1);

  const direct = await world.call("/acme/rocket/alertmanager/api/v2/alerts", {
    json: [alert],
    headers: { authorization: `Bearer ${source.key}` },
  });
  assert.equal(direct.status, 200);
  const alerts = await found("The%20pair");
  assert.equal(alerts.length, 1, "the labels of Prometheus and of Alertmanager give the same fingerprint");
  assert.equal(alerts[0].events, 1);

  for (const manager of pair) await manager.tell([{ ...alert, endsAt: new Date().toISOString() }]);
  await until(async () => (await found("The%20pair"))[0].status === "resolved");
  const notes = await world.call(`${api}/issues/${opened.issue_iid}/notes`, { as: "dev" });
  const closings = notes.json.filter(({ body }: { body: string }) => /closed this incident/.test(body));
  assert.equal(closings.length, 1);
});
