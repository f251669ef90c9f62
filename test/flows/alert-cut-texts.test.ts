/** Texts truncated to a maximum length: a cut within a surrogate pair must not make a request fail. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { deliverDue } from "../../src/outbox/deliver-due.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { type Receiver, startReceiver } from "../support/receivers.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
/** Surrogate pairs begin at every other code unit, so of two adjacent cuts one splits a pair. */
const faces = (before: number, many: number) => `${"a".repeat(before)}${"😀".repeat(many)}`;

let world: World;
let source: Source;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  world = await startWorld({ GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(receiver.url).host });
  source = await aSource(world);
});

async function channel(kind: string): Promise<void> {
  await world.platform.db.run(sql`delete from alert_channels`);
  await world.platform.db.run(sql`delete from alert_storms`);
  const json = { name: kind, kind, url: `${receiver.url}/${kind}` };
  assert.equal((await world.call(`${API}/alert_channels`, { as: "max", json })).status, 201);
}

async function sent(): Promise<string[]> {
  while ((await deliverDue(world.platform)) > 0);
  const bodies = receiver.requests.map(({ body }) => body);
  receiver.reset();
  return bodies;
}

test("alerts whose runbook URL is cut within a surrogate pair are accepted, in every payload format (contract-alerts, text lengths)", async () => {
  const manager = await aSource(world, "prometheus");
  const event = { action: "trigger", payload: { summary: "Cut", source: "host", severity: "error" } };
  for (const before of [0, 1]) {
    const runbook = `https://wiki/${faces(before, 1100)}`;
    const payload = { title: "Cut", fingerprint: `runbook ${before}`, runbook };
    const reply = await source.send(payload);
    assert.equal(reply.status, 200, reply.text);
    const alert = await world.call(`${API}/alert_management_alerts/${reply.json[0].iid}`, { as: "dev" });
    assert.equal(alert.json.payload.runbook, runbook);
    const labelled = {
      labels: { alertname: `Cut ${before}` },
      annotations: { runbook_url: runbook },
      startsAt: "2026-01-01T00:00:00Z",
      generatorURL: `https://prometheus/${faces(before, 120)}?g0.expr=up`,
    };
    assert.equal((await manager.send([labelled])).status, 200);
    const pagerDuty = {
      ...event,
      event_action: "trigger",
      links: [{ href: runbook }],
      dedup_key: runbook.slice(0, 40),
    };
    const enqueued = await world.call("/v2/enqueue", { json: { ...pagerDuty, routing_key: source.key } });
    assert.equal(enqueued.status, 202, enqueued.text);
  }
});

test("an alert is accepted if its silence's comment is cut within a surrogate pair in the receipt (decision 0096)", async () => {
  for (const before of [0, 1]) {
    const comment = faces(before, 60);
    const ends_at = new Date(Date.now() + 3_600_000).toISOString();
    const matchers = [{ field: "title", value: comment }];
    const made = await world.call(`${API}/alert_silences`, {
      as: "dev",
      json: { comment, ends_at, matchers },
    });
    assert.equal(made.status, 201, made.text);
    const fired = await source.send({ title: comment, fingerprint: `quiet ${before}` });
    assert.equal(fired.status, 200, fired.text);
    const receipt = await world.call(`${API}/alert_receipts/${fired.headers.get("x-alert-receipt")}`, {
      as: "max",
    });
    assert.match(receipt.json.warnings.join(), /no incident, no notification/);
    const ended = await world.call(`${API}/alert_silences/${made.json.id}`, { as: "dev", method: "DELETE" });
    assert.equal(ended.status, 204);
  }
});

test("alerts whose chat message is cut within a surrogate pair are accepted and sent (decision 0097)", async () => {
  await channel("slack");
  for (const before of [0, 1]) {
    const hosts = Array.from({ length: 10 }, (_, n) => `${n}`.padEnd(250, "h"));
    const description = faces(before, 500);
    const fired = await source.send({ title: "Long", fingerprint: `long ${before}`, hosts, description });
    assert.equal(fired.status, 200, fired.text);
  }
  assert.equal((await sent()).length, 2);
});

test("alerts whose titles are cut within a surrogate pair in a storm notification are accepted and sent (decision 0099)", async () => {
  for (const kind of ["webhook", "slack"]) {
    await channel(kind);
    const settings = { storm_threshold: 1, storm_seconds: 60 };
    await world.call(`${API}/alert_settings`, { as: "max", method: "PUT", json: settings });
    for (let n = 0; n < 6; n++) {
      const fired = await source.send({ title: faces(n, 150), fingerprint: `${kind} ${n}` });
      assert.equal(fired.status, 200, fired.text);
    }
    assert.equal((await sent()).length, 2, "one for the alert, one for the storm");
  }
});
