/** A real Prometheus that watches this service, configured as docs/operations.md says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { newInstallation, type Service, startService } from "../support/installation.ts";
import { startPrometheus } from "../support/senders.ts";
import { until } from "../support/until.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
const [scraping = "", rules = ""] = [
  ...page.matchAll(/```yaml\n# (?:prometheus|rules)\.yml\n([\s\S]+?)```/g),
].map(([, text = ""]) => text);
const PROMTOOL = "/usr/bin/promtool";
const WORKERS = 3;
const REQUESTS = 60;
let url: string;
let service: Service;
let prometheus: Awaited<ReturnType<typeof startPrometheus>>;

/** The values that a query returns, each with its labels. */
async function ask(query: string): Promise<{ metric: Record<string, string>; value: number }[]> {
  const reply = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await reply.json()) as {
    data: { result: { metric: Record<string, string>; value: [number, string] }[] };
  };
  return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
}

/**
 * The same once there are at least so many: a scrape that takes longer than its second ends all series until the next one, and a
 * worker that does not respond in time is missing from it.
 */
const askedUntil = (query: string, least: number) =>
  until(async () => {
    const found = await ask(query);
    return found.length >= least && found;
  });

before(async () => {
  const installation = await newInstallation({ GATEHOUSE_WORKERS: String(WORKERS) });
  service = await startService(installation);
  url = installation.url;
  const config = scraping.replace("127.0.0.1:3000", new URL(url).host);
  prometheus = await startPrometheus(
    `global: {scrape_interval: 1s, evaluation_interval: 1s}\n${config}`,
    rules,
  );
});

test("over one connection it reads the requests of all workers, each once (decision 0291)", async () => {
  // Each request has a connection of its own, so that all workers get some.
  for (let i = 0; i < REQUESTS; i++) {
    await fetch(`${url}/openapi.json`, { headers: { connection: "close" } });
  }
  const counted = 'sum(gatehouse_http_requests_total{route="/openapi.json"})';
  await until(async () => (await ask(counted))[0]?.value === REQUESTS);
  const found = await askedUntil("process_start_time_seconds", WORKERS);
  assert.deepEqual(found.map(({ metric }) => metric.worker).sort(), ["1", "2", "3"]);
  // What the workers share has one series.
  for (const [query, expected] of [
    ["gatehouse_outbox_waiting", 0],
    ["gatehouse_database_up", 1],
  ] as const) {
    const values = (await askedUntil(query, 1)).map(({ value }) => value);
    assert.deepEqual(values, [expected], query);
  }
  const [scraped, ...others] = (await askedUntil("up == 1", 1)).map(({ metric }) => metric.job);
  assert.deepEqual([scraped, others], ["gatehouse", []]);
});

test("it evaluates the rules of the documentation, and one of them fires for a refused alert (decision 0291)", async () => {
  const reply = await fetch(`${prometheus.url}/api/v1/rules`);
  const { data } = (await reply.json()) as {
    data: { groups: { rules: { name: string; lastError?: string }[] }[] };
  };
  const all = data.groups.flatMap((group) => group.rules);
  assert.ok(all.length >= 5, rules);
  for (const { name, lastError } of all) assert.equal(lastError ?? "", "", name);
  const alerts = await ask('ALERTS{alertname="GatehouseRefusesAlerts"}');
  assert.deepEqual(alerts, []);
  await fetch(`${url}/v2/enqueue`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      routing_key: "wrong",
      event_action: "trigger",
      payload: { summary: "x", source: "x" },
    }),
  });
  const [fired] = await until(async () => {
    const found = await ask('ALERTS{alertname="GatehouseRefusesAlerts"}');
    return found.length > 0 && found;
  });
  assert.equal(fired?.metric.result, "wrong key");
});

test("GatehouseFails fires for ten minutes at the first failure of a route, method and worker too (docs/operations.md, Prometheus)", () => {
  const routes = {
    // Since 5 minutes after the start, of one worker and of another beside an old failure.
    "/first": ["_x19 1x180"],
    "/worker": ["1x200", "_x19 1x180"],
    // One more at that time; and once, at the start, with a failed scrape at 15 minutes.
    "/again": ["1x19 2x180"],
    "/old": ["1x59 stale 1x140"],
  };
  const series = Object.entries(routes).flatMap(([route, all]) =>
    all.map((values, worker) => ({
      series: `gatehouse_http_requests_total{status="500",route="${route}",worker="${worker}"}`,
      values,
    })),
  );
  const at = (eval_time: string, ...firing: string[]) => ({
    eval_time,
    alertname: "GatehouseFails",
    exp_alerts: firing.map((route) => ({ exp_labels: { route } })),
  });
  const alert_rule_test = [
    at("6m", "/again", "/first", "/old", "/worker"),
    at("14m", "/again", "/first", "/worker"),
    at("20m"),
    at("25m"),
  ];
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-rules-"));
  writeFileSync(join(folder, "rules.yml"), rules);
  const tests = [{ interval: "15s", input_series: series, alert_rule_test }];
  // JSON is YAML.
  writeFileSync(join(folder, "tests.yml"), JSON.stringify({ rule_files: ["rules.yml"], tests }));
  const { status, stdout, stderr } = spawnSync(PROMTOOL, ["test", "rules", join(folder, "tests.yml")], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout + stderr);
});

test("promtool finds nothing to improve in the metrics of several workers (decision 0291)", async () => {
  const text = await (await fetch(`${url}/-/metrics`)).text();
  const { status, stdout, stderr } = spawnSync(PROMTOOL, ["check", "metrics"], {
    input: text,
    encoding: "utf8",
  });
  assert.deepEqual([status, stdout, stderr], [0, "", ""]);
});

test("after the service was stopped, Prometheus says so (decision 0291)", async () => {
  await service.stop();
  await until(async () => (await ask("up"))[0]?.value === 0);
});
