/** Untrusted content inside payloads: JSON in strings, percent-encoded headers, and input that is slow to parse. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
let prometheus: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  prometheus = await aSource(world, "prometheus");
});

const { receiptOf, alertOf } = readsAlerts(() => world);

function notification(message: string, id: string) {
  return {
    Type: "Notification",
    MessageId: id,
    TopicArn: "arn:aws:sns:eu-central-1:123456789012:yard",
    Message: message,
    Timestamp: "2026-05-01T10:00:00.000Z",
  };
}

describe("JSON embedded in strings is sanitized and limited like the payload itself", () => {
  const unstorable = String.raw`{"title":"Pump \u0000 7 \ud800","fingerprint":"FP"}`;

  test("NUL and lone surrogates in an Amazon SNS message become U+FFFD, with a warning (contract-alerts, limits)", async () => {
    const reply = await source.send(notification(unstorable.replace("FP", "sns"), "nul"));
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json[0].title, "Pump \ufffd 7 \ufffd");
    const { warnings } = await receiptOf(reply);
    assert.ok(
      warnings.some((line: string) => /U\+FFFD/.test(line)),
      warnings.join(),
    );
  });

  test("NUL and lone surrogates in the Base64 data of a CloudEvent become U+FFFD, with a warning (contract-alerts, limits)", async () => {
    const event = {
      ...{ specversion: "1.0", id: "nul", source: "/pumps", type: "org.example.pump.failed" },
      data_base64: Buffer.from(unstorable.replace("FP", "base64")).toString("base64"),
    };
    const reply = await source.send(event);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json[0].title, "Pump \ufffd 7 \ufffd");
    const { warnings } = await receiptOf(reply);
    assert.ok(
      warnings.some((line: string) => /U\+FFFD/.test(line)),
      warnings.join(),
    );
  });

  test("NUL in CloudEvent attributes sent as headers becomes U+FFFD, with a warning (contract-alerts, limits)", async () => {
    const reply = await source.send(
      { pressure: 0.2 },
      {
        "ce-specversion": "1.0",
        "ce-id": "n%00l",
        "ce-source": "/pumps",
        "ce-type": "failed",
        "ce-subject": "pump%007",
      },
    );
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json[0].title, "pump\ufffd7");
    const { warnings } = await receiptOf(reply);
    assert.ok(
      warnings.some((line: string) => /U\+FFFD/.test(line)),
      warnings.join(),
    );
  });

  test("embedded JSON that is nested too deeply is treated as text (reference alerts D11)", async () => {
    const deep = `{"title":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const told = await source.send({ ...notification(deep, "deep"), Subject: "Too deep" });
    assert.equal(told.status, 200, told.text);
    assert.equal(told.json[0].title, "Too deep");
    const event = {
      ...{
        specversion: "1.0",
        id: "deep",
        source: "/pumps",
        type: "org.example.pump.failed",
        subject: "deep",
      },
      data_base64: Buffer.from(deep).toString("base64"),
    };
    const reply = await source.send(event);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json[0].title, "deep");
  });
});

test("a group's long externalURL is truncated in the stored payload of its 10,000 alerts (contract-alerts, limits)", async () => {
  const group = {
    ...{
      version: "4",
      groupKey: "{}",
      status: "firing",
      groupLabels: {},
      commonLabels: {},
      commonAnnotations: {},
    },
    receiver: { everything: "r".repeat(100_000) },
    externalURL: `http://alertmanager.example.org/${"x".repeat(200_000)}`,
    alerts: Array.from({ length: 10_000 }, (_, n) => ({
      status: "firing",
      labels: { alertname: `Long ${n}` },
    })),
  };
  const reply = await prometheus.send(group);
  assert.equal(reply.status, 201, reply.text);
  const [alert] = (await world.call(`${api}/alert_management_alerts?search=Long+9999`, { as: "dev" })).json;
  assert.match(alert.payload.externalURL, /^http:\/\/alertmanager\.example\.org\/x+$/);
  assert.ok(alert.payload.externalURL.length <= 1000, "truncated");
  assert.equal(alert.payload.receiver, undefined);
});

test("a title of a bracket and half a million spaces is accepted (reference alerts D12)", async () => {
  const title = `[${" ".repeat(500_000)}`;
  const reply = await source.send({ id: "1", body: "", event_type: "x", last_updated: "1", org: {}, title });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.json[0].title, "[");
});

test("a repeated startsAt is no new occurrence, even after more than a thousand other starts (contract-alerts, counting)", async () => {
  const first = Date.parse("2026-01-01T00:00:00Z");
  const group = (starts: readonly number[]) => ({
    ...{ version: "4", groupKey: "{}", status: "firing", receiver: "r", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://alertmanager.example.org" },
    alerts: starts.map((n) => ({
      ...{ status: "firing", labels: { alertname: "Flapping" } },
      startsAt: new Date(first + n * 60_000).toISOString(),
    })),
  });
  await prometheus.send(group(Array.from({ length: 990 }, (_, n) => n)));
  for (const n of [990, 991, 992, 993, 994, 995, 996, 997, 998, 999, 1000, 1001, 1001, 1001, 1000, 1001]) {
    assert.equal((await prometheus.send(group([n]))).status, 201);
  }
  const [alert] = (await world.call(`${api}/alert_management_alerts?search=Flapping`, { as: "dev" })).json;
  assert.deepEqual([alert.events, alert.deliveries], [1002, 17]);
  assert.equal((await alertOf(alert.iid)).status, "triggered");
});

describe("objects with members named like built-in methods are accepted anywhere in a payload (reference alerts D12)", () => {
  const odd = { toString: null, valueOf: 1, toJSON: 2, constructor: 3, hasOwnProperty: 4 };
  const bodies: Readonly<Record<string, unknown>> = {
    "a payload of our own": {
      title: odd,
      Type: odd,
      hosts: [odd],
      severity: odd,
      fingerprint: [odd],
      tags: [odd],
    },
    "a member called Type": { title: "Odd", Type: odd },
    "Datadog's tags": { alert_transition: "Triggered", alert_title: "Odd", tags: [odd] },
    "ntfy's tags": { topic: "odd", message: "Odd", tags: [odd] },
    "a dimension of CloudWatch": {
      ...{ AlarmName: "Odd", NewStateValue: "ALARM", StateChangeTime: odd },
      Trigger: { Dimensions: [{ name: odd, value: odd }] },
    },
    "a group of Alertmanager": {
      ...{ version: "4", groupKey: odd, status: odd, receiver: odd, groupLabels: odd, commonLabels: odd },
      ...{ commonAnnotations: odd, externalURL: odd, truncatedAlerts: odd },
      alerts: [{ status: odd, labels: { alertname: odd, severity: odd, instance: odd }, startsAt: odd }],
    },
    "a ruler's list": [{ labels: { alertname: odd }, annotations: odd, endsAt: odd, generatorURL: odd }],
    "a CloudEvent": { specversion: "1.0", id: "odd", source: "/odd", type: "odd", time: odd, data: [odd] },
    "a webhook of Sentry": {
      action: "created",
      installation: { ...odd, uuid: "odd" },
      data: { issue: { id: odd, level: odd, tags: [odd] } },
    },
    "a message of Slack": {
      text: "Odd",
      attachments: [{ fields: [{ title: odd, value: odd }], color: odd, ts: odd }],
    },
    "a webhook of Zabbix": { eventid: odd, eventvalue: odd, hostname: [odd] },
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(`${name} (reference alerts D12, D20)`, async () => {
      const reply = await source.send(body);
      assert.ok(reply.status === 200 || reply.status === 201, `${reply.status} ${reply.text}`);
      const receipt = await receiptOf(reply);
      assert.equal(receipt.alert_iids.length, 1);
      assert.equal((await alertOf(receipt.alert_iids[0])).status, "triggered");
    });
  }
});
