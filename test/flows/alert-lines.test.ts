/** Bodies with one JSON value per line, as event streams and log shippers send them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const sendLines = (body: string, type = "application/x-ndjson", headers: Record<string, string> = {}) =>
  world.call(source.path, {
    body: headers["content-encoding"] ? gzipSync(body) : body,
    headers: { authorization: `Bearer ${source.key}`, "content-type": type, ...headers },
  });
const linesOf = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const { receiptOf } = readsAlerts(() => world);
async function found(title: string) {
  const query = `search=${encodeURIComponent(title)}&sort=created_at_asc`;
  return (await world.call(`${API}/alert_management_alerts?${query}`, { as: "dev" })).json;
}

test("each line is an alert and answered in order, with every media type for JSON lines and with gzip (spec: Alert payload; decision 0187)", async () => {
  const types = ["x-ndjson", "ndjson", "jsonl", "x-jsonlines", "json-lines"].map(
    (name) => `application/${name}`,
  );
  for (const [index, type] of [...types, "application/x-ndjson; charset=utf-8"].entries()) {
    const titles = [`Line ${index} a`, `Line ${index} b`];
    const reply = await sendLines(linesOf(...titles.map((title) => ({ title }))), type);
    assert.equal(reply.status, 200, `${type}: ${reply.text}`);
    assert.deepEqual(
      reply.json.map(({ title }: { title: string }) => title),
      titles,
    );
  }
  const packed = await sendLines(linesOf({ title: "Packed" }), undefined, { "content-encoding": "gzip" });
  assert.deepEqual(packed.json.length, 1, packed.text);
  const { reading, raw } = await receiptOf(packed);
  assert.deepEqual([reading.count, reading.alerts[0].title, raw.length > 0], [1, "Packed", true]);
});

test("an invalid line is reported by its number, and the other lines are accepted (decision 0187)", async () => {
  const body = `{"title":"Whole"}\r\n\n{"title":}\n[1]\n{"title":"Whole too"}`;
  const reply = await sendLines(body);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    reply.json.map(({ title, index }: { title?: string; index?: number }) => title ?? index),
    ["Whole", "Whole too", 1, 2],
  );
  const [bad, worse] = reply.json.slice(2);
  assert.match(bad.error, /^Line 3: The body is not valid JSON: line 3, column 10: a value is missing/);
  assert.equal(worse.error, "Line 4: An alert payload is a JSON object.");
  const { warnings } = await receiptOf(reply);
  assert.ok(
    warnings.some((warning: string) => warning.startsWith("Line 3: ")),
    warnings.join("\n"),
  );
  assert.ok(warnings.includes("Line 4: An alert payload is a JSON object."), warnings.join("\n"));
  for (const nothing of ["{\n{\n", "\n \n"]) {
    const refused = await sendLines(nothing);
    assert.equal(refused.status, 400, nothing);
    assert.equal(typeof refused.json.message, "string");
  }
});

test("JSON lines have the same limits as lists, and endpoints of other protocols return 415 for them (contract-alerts, limits; decision 0187)", async () => {
  const many = (count: number) =>
    linesOf(...Array.from({ length: count }, (_, n) => ({ title: `Many ${n}` })));
  const refused = await sendLines(many(1001));
  assert.deepEqual([refused.status, refused.json.message], [400, "A body may contain at most 1000 lines."]);
  const list = Array.from({ length: 1001 }, (_, n) => ({ title: `Many ${n}` }));
  const tooLong = await source.send(list);
  assert.deepEqual([tooLong.status, tooLong.json.message], [400, "A list may hold at most 1000 payloads."]);
  assert.deepEqual(await found("Many"), [], "nothing of either is stored");
  const large = linesOf(
    { title: "Large", more: "x".repeat(700_000) },
    { title: "Large", more: "y".repeat(700_000) },
  );
  assert.equal((await sendLines(large)).status, 413);
  const deep = `${'{"a":'.repeat(101)}1${"}".repeat(101)}\n`;
  assert.match((await sendLines(linesOf({ title: "Flat" }) + deep)).json[1].error, /^Line 2: .*100 levels/);
  for (const path of ["/acme/rocket/alertmanager/api/v2/alerts", "/opsgenie/v2/alerts"]) {
    const headers = { authorization: `Bearer ${source.key}`, "content-type": "application/x-ndjson" };
    assert.equal((await world.call(path, { body: "{}", headers })).status, 415, path);
  }
});

test("Zabbix event streams open and resolve alerts by event id, and item values open none (reference alerts E; decisions 0124, 0187)", async () => {
  const problem = {
    ...{ clock: 1_770_000_000, ns: 123, value: 1, eventid: 5021, name: "Load is high on web-9", severity: 4 },
    ...{
      hosts: [{ host: "web-9", name: "Web 9" }],
      groups: ["Linux"],
      tags: [{ tag: "scope", value: "load" }],
    },
  };
  const value = {
    ...{ host: { host: "web-9", name: "Web 9" }, groups: ["Linux"], item_tags: [], itemid: 7, name: "Load" },
    ...{ clock: 1_770_000_000, ns: 1, value: 0.5, type: 0 },
  };
  const opened = await sendLines(linesOf(problem, value), "application/x-ndjson; charset=utf-8");
  assert.equal(opened.json.length, 1, opened.text);
  const [alert] = await found("Load is high");
  assert.deepEqual(
    [alert.severity, alert.hosts, alert.monitoring_tool, alert.started_at],
    ["high", ["Web 9"], "Zabbix", "2026-02-02T02:40:00.000Z"],
  );
  const { warnings } = await receiptOf(opened);
  assert.deepEqual(warnings, ["Line 2: Zabbix tells of something that is no alert: Load."]);
  const over = await sendLines(
    linesOf({ clock: 1_770_000_060, ns: 5, value: 0, eventid: 5022, p_eventid: 5021 }),
  );
  assert.deepEqual(over.json, [{ iid: alert.iid, title: "Load is high on web-9" }]);
  const [resolved, ...others] = await found("Load is high");
  assert.deepEqual(
    [resolved.status, resolved.ended_at, others],
    ["resolved", "2026-02-02T02:41:00.000Z", []],
  );
});
