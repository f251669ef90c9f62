/** Payloads at and beyond the size limits, over HTTP. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
let prometheus: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  prometheus = await aSource(world, "prometheus");
});

const api = "/api/v4/projects/acme%2Frocket";

function groupOf(count: number) {
  const hosts = Array.from({ length: count }, (_, i) => `node-${i}.example.org:9100`);
  return {
    version: "4",
    groupKey: "{}:{}",
    status: "firing",
    receiver: "gatehouse",
    groupLabels: {},
    commonLabels: { alertname: "HostDown" },
    commonAnnotations: {},
    externalURL: "http://alertmanager.example.org",
    alerts: hosts.map((instance) => ({
      status: "firing",
      labels: { alertname: "HostDown", severity: "critical", job: "node", instance },
      annotations: { summary: `${instance} does not answer`, description: "x".repeat(300) },
      startsAt: "2026-01-27T13:01:11Z",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "http://prometheus.example.org/graph?g0.expr=up+%3D%3D+0",
    })),
  };
}

const totalOf = async (path: string) =>
  Number((await world.call(`${api}/${path}`, { as: "max" })).headers.get("x-total"));

test("a group of 10,000 alerts is accepted with an incident each, and once more as repeats (reference alerts D8; contract-alerts, limits)", async () => {
  const group = groupOf(10_000);
  assert.ok(JSON.stringify(group).length > 4 * 1024 * 1024, "far above the limit of other payloads");
  assert.equal((await prometheus.send(group)).status, 201);
  assert.equal(await totalOf("alert_management_alerts?per_page=1"), 10_000);
  assert.equal(await totalOf("issues?issue_type=incident&per_page=1"), 10_000);
  const other = await source.send({ title: "Of somebody else" });
  assert.deepEqual(other.json, [{ iid: 10_001, title: "Of somebody else" }]);
  assert.equal((await prometheus.send(group)).status, 201);
  assert.equal(await totalOf("alert_management_alerts?per_page=1"), 10_001);
  const [last] = (await world.call(`${api}/alert_management_alerts?search=node-9999.`, { as: "dev" })).json;
  assert.deepEqual([last.events, last.deliveries], [1, 2], "the same startsAt is no new occurrence");
});

test("a group of 10,001 alerts is refused with a reason (contract-alerts, limits)", async () => {
  const reply = await prometheus.send(groupOf(10_001));
  assert.deepEqual([reply.status, reply.json], [413, { message: "More than 10000 alerts in one request." }]);
});

describe("hostile JSON is refused with a reason and never with 500", () => {
  const refused: Readonly<Record<string, [string, number]>> = {
    "100,000 levels deep": ["[".repeat(100_000) + "]".repeat(100_000), 400],
    "101 levels deep in a member": [`{"title":"t","x":${"[".repeat(101)}${"]".repeat(101)}}`, 400],
    "cut off": ['{"title":"half', 400],
    "a number that is none": ['{"title":"t","x":01}', 400],
    "larger than a MiB": [JSON.stringify({ title: "t", x: "y".repeat(1024 * 1024) }), 413],
    "nothing at all": ["", 400],
    "a text": ['"text"', 400],
  };
  for (const [name, [body, status]] of Object.entries(refused)) {
    test(`${name}: ${status} (reference alerts D11, D17)`, async () => {
      const reply = await world.call(source.path, {
        method: "POST",
        headers: { authorization: `Bearer ${source.key}`, "content-type": "application/json" },
        body,
      });
      assert.equal(reply.status, status, reply.text);
      assert.ok(reply.json.message.length > 10, reply.text);
    });
  }

  test("a payload with fifty thousand members is stored (reference alerts D12)", async () => {
    const members = Array.from({ length: 50_000 }, (_, i) => [`m${i}`, i]);
    const reply = await source.send({ title: "Wide", ...Object.fromEntries(members) });
    assert.equal(reply.status, 200);
    const alert = await world.call(`${api}/alert_management_alerts/${reply.json[0].iid}`, { as: "dev" });
    assert.equal(alert.json.payload.m49999, 49_999);
  });
});
