/** The real prometheus-alertmanager, configured for Slack, Discord, Telegram and Splunk On-Call, and amtool. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { promisify } from "node:util";
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
  const named = await aSource(world, "http");
  const withKey = `http://any:${source.key}@${world.url.slice("http://".length)}${source.path}`;
  const identifier = /(\w+)\.json$/.exec(named.path)?.[1];
  manager = await startManager(`
route: {receiver: slack, group_by: [alertname], group_wait: 1s, group_interval: 1s, repeat_interval: 1h,
  routes: [{matchers: ['tool="discord"'], receiver: discord}, {matchers: ['tool="victorops"'], receiver: victorops},
    {matchers: ['tool="telegram"'], receiver: telegram}]}
receivers:
- name: slack
  slack_configs: [{api_url: '${withKey}', channel: '#ops', send_resolved: true}]
- name: discord
  discord_configs: [{webhook_url: '${withKey}', send_resolved: true}]
- name: telegram
  telegram_configs:
  - api_url: '${world.url}${source.path}?answer=telegram&path='
    bot_token: '1:a'
    chat_id: 7
    parse_mode: ''
    http_config: {authorization: {credentials: ${source.key}}}
- name: victorops
  victorops_configs:
  - api_url: '${world.url}/acme/rocket/alerts/notify/'
    api_key: theirs
    routing_key: '${identifier}'
    http_config: {authorization: {credentials: ${named.key}}}
`);
});

const found = async (search: string) =>
  (await world.call(`${api}/alert_management_alerts?search=${search}`, { as: "dev" })).json;

for (const [tool, severity] of [
  ["slack", "critical"],
  ["discord", "low"],
  ["telegram", "low"],
  ["victorops", "critical"],
] as const) {
  test(`a group sent by ${tool}_configs opens one alert, and its end resolves it (decision 0141)`, async () => {
    const alert = {
      labels: { alertname: `Via${tool}`, tool, severity: "warning", instance: "db-1" },
      annotations: { summary: "The archive is full" },
      startsAt: new Date(Date.now() - 60_000).toISOString(),
    };
    await manager.tell([alert]);
    const opened = await until(async () => (await found(`Via${tool}`))[0]);
    assert.deepEqual([opened.status, opened.severity], ["triggered", severity]);
    assert.match(opened.title, new RegExp(`Via${tool}`));
    await manager.tell([{ ...alert, endsAt: new Date().toISOString() }]);
    await until(async () => (await found(`Via${tool}`))[0].status === "resolved");
    const [{ events, deliveries }, ...others] = await found(`Via${tool}`);
    // If the response looked like a failure, it would have been sent again.
    assert.deepEqual([events, deliveries, others], [1, 2, []]);
  });
}

test("amtool accepts a project's address as an Alertmanager, adds an alert and ends it (decision 0085)", async () => {
  const amtool = (...more: string[]) =>
    promisify(execFile)("/usr/bin/amtool", [
      ...[
        "alert",
        "add",
        "ByHand",
        "severity=warning",
        "instance=db-9",
        "--annotation=summary=Added by hand",
      ],
      `--alertmanager.url=http://any:${source.key}@${world.url.slice("http://".length)}/acme/rocket/alertmanager`,
      ...more,
    ]);
  await amtool();
  const [opened] = await found("Added%20by%20hand");
  assert.deepEqual([opened.status, opened.severity, opened.hosts], ["triggered", "low", ["db-9"]]);
  await amtool(`--end=${new Date().toISOString()}`);
  const [ended, other] = await found("Added%20by%20hand");
  assert.deepEqual([ended.iid, ended.status, other], [opened.iid, "resolved", undefined]);
});
