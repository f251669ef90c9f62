/**
 * Payloads in the specification's format are read as such, whatever custom fields they have; other formats are still
 * recognized.
 */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { receiptOf, alertOf, alertIn } = readsAlerts(() => world);
const JSON_TYPE = { "content-type": "application/json" };

/** Custom fields that make a payload look like that of another program. */
const CUSTOM: Readonly<Record<string, object>> = {
  "a machine's action": { action: "inspect", data: { pressure: 9.1 }, installation: "Hamburg" },
  "Sentry's installation": { action: "resolved", data: { issue: {} }, installation: { uuid: "24b3b8f2" } },
  "Datadog's transition": { alert_transition: "Triggered", alert_cycle_key: "7" },
  "Datadog's recovery": { alert_transition: "Recovered", alert_cycle_key: "7" },
  "some of Datadog's names": { event_type: "disk", last_updated: "2026-11-26", org: "acme" },
  "all of Datadog's names": {
    ...{ event_type: "disk", last_updated: "2026-11-26", org: {}, id: "1", body: "b", date: "1777629600000" },
  },
  "a notification of Amazon SNS": {
    ...{ Type: "Notification", TopicArn: "arn", MessageId: "1", Message: "hello" },
  },
  "a question of Amazon SNS": { Type: "SubscriptionConfirmation", TopicArn: "arn", MessageId: "2" },
  "an alarm of CloudWatch": { AlarmName: "cpu", NewStateValue: "ALARM" },
  "the end of an alarm of CloudWatch": { AlarmName: "cpu", NewStateValue: "OK" },
  "a CloudEvent": { specversion: "1.0", id: "5", source: "/x", type: "pump.resolved", data: {} },
  "an event of Azure Event Grid": {
    ...{ id: "1", eventType: "Pump.Resolved", eventTime: "2026-05-01T10:00:00Z", dataVersion: "1.0" },
    ...{ subject: "pump-9", data: {} },
  },
  Apprise: { version: "2.3.1", message: "m", type: "failure" },
  "an open issue of New Relic": { issue_url: "https://t.example.org/1", state: "open", priority: "P1" },
  "a closed issue of New Relic": { issue_url: "https://t.example.org/1", state: "closed", priority: "P1" },
  "a rule of Grafana": { rule_id: 4, rule_name: "cpu", state: "ok" },
  "Grafana OnCall": { alert_uid: "u1", state: "ok" },
  LibreNMS: { hostname: "h", sysname: "s", state: 0, uid: "u", name: "n" },
  Wazuh: { pretext: "p", all_fields: { agent: { name: "a" } }, rule_id: "5710" },
  "Oracle Cloud": { dedupeKey: "k", type: "FIRING_TO_OK", alarmMetaData: [{ namespace: "x" }] },
  Sematext: { backToNormal: "true", ruleType: "t" },
  "incident.io": { status: "resolved", deduplication_key: "k" },
  Flashduty: { event_status: "Ok", alert_key: "k" },
  PagerTree: { event_type: "resolve", id: "k", heartbeat: {}, monitor: {} },
  SIGNL4: { "X-S4-Status": "resolved", "X-S4-ExternalID": "k" },
};

const SAID = {
  ...{ severity: "low", service: "shop", hosts: ["web-1"], description: "D" },
  start_time: "2026-05-01T10:00:00Z",
};

describe("a payload in the specification's format", () => {
  for (const [name, custom] of Object.entries(CUSTOM)) {
    test(`with custom fields like those of ${name} is read as such, and only its end_time resolves it (spec: Alert payload; spec: Alert payload custom fields; spec: Alert payload end_time; decision 0219)`, async () => {
      const payload = { title: name, ...SAID, ...custom };
      const opened = await source.send(payload);
      assert.equal(opened.status, 200, opened.text);
      assert.equal(opened.json[0]?.title, name, opened.text);
      const { iid } = opened.json[0];
      const { severity, service, hosts, description, started_at, status } = await alertOf(iid);
      assert.deepEqual(
        { severity, service, hosts, description, started_at, status },
        {
          ...{ severity: "low", service: "shop", hosts: ["web-1"], description: "D" },
          ...{ started_at: "2026-05-01T10:00:00.000Z", status: "triggered" },
        },
      );
      assert.equal((await receiptOf(opened)).reading.shape, "generic");
      // Each member of a list is read separately.
      assert.equal((await source.send([payload])).json[0].iid, iid);
      const ended = await source.send({ ...payload, end_time: "2026-05-01T11:00:00Z" });
      assert.deepEqual(ended.json, opened.json);
      assert.equal((await alertOf(iid)).status, "resolved");
    });
  }

  test("is identified by its own fingerprint, even with Datadog's alert_transition (spec: Alert payload fingerprint; decision 0219)", async () => {
    const said = (fingerprint: string) => ({
      ...{ title: "CPU high", fingerprint, severity: "low", hosts: ["web-1"], alert_transition: "Triggered" },
    });
    const [one, two] = [
      await alertIn(await source.send(said("agg-1"))),
      await alertIn(await source.send(said("agg-2"))),
    ];
    assert.notEqual(one.iid, two.iid);
    for (const { severity, hosts } of [one, two]) assert.deepEqual([severity, hosts], ["low", ["web-1"]]);
    await source.send({ ...said("agg-1"), end_time: "2099-01-01T00:00:00Z" });
    assert.deepEqual(
      [(await alertOf(one.iid)).status, (await alertOf(two.iid)).status],
      ["resolved", "triggered"],
    );
  });

  test("with a fingerprint is also resolved by Datadog's Recovered, and without one is not (reference alerts E9; decision 0219)", async () => {
    const said = (alert_transition: string, more: object) => ({
      ...{ title: `[${alert_transition}] Queue`, severity: "high", alert_transition, ...more },
    });
    const { iid, title, severity } = await alertIn(
      await source.send(said("Triggered", { fingerprint: "agg-3" })),
    );
    assert.deepEqual([title, severity], ["[Triggered] Queue", "high"]);
    const ended = await source.send(said("Recovered", { fingerprint: "agg-3" }));
    assert.deepEqual(
      [ended.json.map((one: { iid: number }) => one.iid), (await alertOf(iid)).status],
      [[iid], "resolved"],
    );
    const other = await alertIn(await source.send(said("Recovered", {})));
    assert.deepEqual([other.title, other.status], ["[Recovered] Queue", "triggered"]);
  });

  test("is recognized by a title and any one other member, severity only if its value is valid (spec: Alert payload; spec: Alert payload severity; contract-alerts, record; decision 0219)", async () => {
    const readAs = async (member: object) => {
      const title = `Beside ${JSON.stringify(member)}`;
      const issue = { title, issue_url: "https://t.example.org/1", state: "open", priority: "P1" };
      const { monitoring_tool } = await alertIn(await source.send({ ...issue, ...member }));
      return monitoring_tool === "New Relic" ? "New Relic" : "specification";
    };
    for (const member of [
      ...[{ description: "" }, { start_time: "2026-05-01T10:00:00Z" }, { end_time: null }, { service: "s" }],
      ...[{ monitoring_tool: "m" }, { hosts: "h" }, { severity: "Medium " }, { fingerprint: "f" }],
      ...[{ platform_environment_name: "p" }, { gitlab_environment_name: "p" }, { environment: "p" }],
    ]) {
      assert.equal(await readAs(member), "specification", JSON.stringify(member));
    }
    for (const member of [{}, { severity: "warning" }, { severity: 3 }, { Service: "s" }, { HOSTS: "h" }]) {
      assert.equal(await readAs(member), "New Relic", JSON.stringify(member));
    }
  });

  /** Custom fields with names that messages for chats and phones have as well. */
  const COMMON: readonly object[] = [
    ...[{ state: "ok" }, { state: "alerting" }].map((more) => ({ message: "finished", ...more })),
    { message: "finished", type: "success", version: "1" },
    { message: "finished", type: "success", version: "1.0", region: "eu" },
    ...[3, 9, 0].map((priority) => ({ message: "finished", priority })),
    { message: "finished", priority: 3, extras: { region: "eu" } },
    ...[{}, { priority: 2 }, { tags: "fire" }].map((more) => ({ message: "m", topic: "kilns", ...more })),
    ...[{}, { group: "kilns" }].map((more) => ({ body: "finished", sound: "none", ...more })),
    { message: "Alert resolved", priority: 3 },
    { message: "m", token: "a", user: "u", priority: 1 },
  ];
  for (const [at, custom] of COMMON.entries()) {
    test(`with only a title and ${JSON.stringify(custom)} opens a critical alert, which counts identical payloads only (spec: Alert payload; spec: Alert payload custom fields; spec: States 3; decision 0309)`, async () => {
      const payload = { title: `Kiln ${at}`, ...custom };
      const opened = await alertIn(await source.send(payload));
      const { title, status, severity, monitoring_tool, events } = opened;
      assert.deepEqual(
        { title, status, severity, monitoring_tool, events },
        {
          ...{ title: payload.title, status: "triggered", severity: "critical" },
          monitoring_tool: null,
          events: 1,
        },
      );
      assert.equal((await source.send(payload)).json[0].iid, opened.iid);
      for (const name of Object.keys(custom)) {
        const other = await alertIn(await source.send({ ...payload, [name]: "another" }));
        assert.notEqual(other.iid, opened.iid, name);
      }
      await source.send({ ...payload, end_time: "2099-01-01T00:00:00Z" });
      assert.equal((await alertOf(opened.iid)).status, "resolved");
    });
  }

  /** The same with what only the messages of one service have, or with a headline that states a status. */
  const OWN: readonly [custom: object, severity: string][] = [
    [{ title: "Own 1", message: "m", state: "alerting", image_url: null }, "critical"],
    [{ title: "Own 2", message: "m", priority: 2, extras: { "client::display": {} } }, "low"],
    [{ title: "Own 3", message: "m", topic: "kilns", priority: 4, tags: ["kiln"] }, "high"],
    [{ title: "Own 4", message: "m", topic: "kilns", priority: 4, click: "https://k.example.org" }, "high"],
    [{ title: "Own 5", body: "b", device_key: "k", level: "passive" }, "info"],
    [{ title: "Own 6", message: "m", version: "1.0", type: "warning" }, "low"],
    [{ title: "Own 7", message: "m", token: "a".repeat(30), user: "u".repeat(30), priority: 1 }, "high"],
    [{ title: "Own 8 is down", message: "m", priority: 2 }, "low"],
    [{ title: "[FIRING] Own 9", message: "m", topic: "kilns", priority: 2 }, "low"],
  ];
  test("is a message if a member shows whose it is, or if the title states a status (decisions 0141, 0309)", async () => {
    for (const [payload, severity] of OWN) {
      const alert = await alertIn(await source.send(payload));
      assert.equal(alert.severity, severity, JSON.stringify(payload));
    }
    const [down, up] = ["is down", "is up"].map((state) => ({ title: `Kiln 90 ${state}`, message: state }));
    const { iid } = await alertIn(await source.send({ ...down, state: "alerting" }));
    assert.equal((await source.send({ ...up, state: "ok" })).json[0]?.iid, iid);
    assert.equal((await alertOf(iid)).status, "resolved");
  });

  test("needs only a title where the other formats have none (spec: Alert payload title; decision 0219)", async () => {
    const untitled = /SNS|CloudWatch|CloudEvent|Event Grid|Sentry|machine|some of Datadog/;
    for (const [name, custom] of Object.entries(CUSTOM).filter(([name]) => untitled.test(name))) {
      const title = `${name}, with a title`;
      for (const payload of [{ title, ...custom }, [{ title, ...custom }]]) {
        const reply = await source.send(payload);
        assert.equal(reply.json[0]?.title, title, reply.text);
        assert.equal((await alertIn(reply)).status, "triggered", name);
      }
    }
  });

  test("is read the same way in an SNS notification, a Pub/Sub message and JSON lines (spec: Alert payload; decisions 0089, 0187, 0219)", async () => {
    const payload = (title: string) => ({ title, ...SAID, AlarmName: "cpu", NewStateValue: "OK" });
    const notified = {
      ...{ Type: "Notification", TopicArn: "arn", MessageId: "n-7", Timestamp: "2026-05-01T10:00:01.000Z" },
      Message: JSON.stringify(payload("Notified")),
    };
    const pushed = {
      message: { data: Buffer.from(JSON.stringify(payload("Pushed"))).toString("base64"), messageId: "p-7" },
      subscription: "projects/internal/subscriptions/alerts",
    };
    const lines = ["On a line", "On another"].map((title) => JSON.stringify(payload(title))).join("\n");
    const replies = [
      await source.send(notified),
      await source.send(pushed),
      await source.sendBytes(lines, { "content-type": "application/x-ndjson" }),
    ];
    const opened = replies.flatMap(({ json }) => json as { iid: number; title: string }[]);
    assert.deepEqual(
      opened.map(({ title }) => title),
      ["Notified", "Pushed", "On a line", "On another"],
    );
    for (const { iid } of opened) {
      const { severity, hosts, status } = await alertOf(iid);
      assert.deepEqual([severity, hosts, status], ["low", ["web-1"], "triggered"]);
    }
  });

  test("is accepted as a form in the format of a tool that sends forms only (contract-alerts, limits; decisions 0124, 0219)", async () => {
    const form = { version: "1.0", title: "Backup failed", message: "m", type: "failure", severity: "low" };
    const reply = await source.sendForm(form);
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await alertIn(reply)).severity, "low");
  });
});

describe("a payload of another program", () => {
  test("is recognized by its headers, even if it has members of the specification (decision 0219)", async () => {
    const words = { title: "Not this", severity: "low", fingerprint: "by-headers" };
    const event = { specversion: "1.0", id: "h-1", source: "/pumps", type: "pump.failed" };
    const data = { title: "The data's", severity: "high" };
    const structured = await source.sendBytes(JSON.stringify({ ...event, ...words, data }), {
      "content-type": "application/cloudevents+json; charset=utf-8",
    });
    const binary = await source.sendBytes(JSON.stringify({ ...data, AlarmName: "a", NewStateValue: "OK" }), {
      ...{ ...JSON_TYPE, "ce-specversion": "1.0", "ce-id": "h-2", "ce-source": "/pumps" },
      "ce-type": "pump.failed",
    });
    for (const reply of [structured, binary]) {
      const { title, severity, service } = await alertIn(reply);
      assert.deepEqual([title, severity, service], ["The data's", "high", "/pumps"]);
    }
    const issue = { id: "77", title: "The issue's", level: "error" };
    const hook = await source.sendBytes(
      JSON.stringify({ ...words, action: "created", installation: {}, data: { issue } }),
      { ...JSON_TYPE, "sentry-hook-resource": "issue" },
    );
    const { title, monitoring_tool } = await alertIn(hook);
    assert.deepEqual([title, monitoring_tool], ["The issue's", "Sentry"]);
  });

  test("of Sentry is recognized without headers by its installation's UUID (decisions 0089, 0219)", async () => {
    const said = (installation: unknown) => ({
      ...{ action: "created", installation, actor: { type: "application" } },
      data: { issue: { id: "78", title: "Without headers", level: "error" } },
    });
    const known = await source.send(said({ uuid: "24b3b8f2-0000-4000-8000-000000000000" }));
    assert.equal((await alertIn(known)).title, "Without headers");
    for (const installation of ["Hamburg", {}, { uuid: 5 }, null]) {
      const [{ title }] = (await source.send(said(installation))).json;
      assert.equal(title, "New: Alert", JSON.stringify(installation));
    }
  });

  /** Payloads that have a title and members of the specification according to their documentation or source. */
  const SHARING: Readonly<Record<string, { firing: object; over: object }>> = {
    LibreNMS: {
      firing: {
        ...{ title: "Port down on sw2", hostname: "sw2", sysName: "sw2", state: 1, uid: 9, alert_id: 4 },
        ...{ name: "Port down", severity: "critical", description: "Core switch", msg: "Gi0/2 is down" },
      },
      over: {
        ...{ title: "sw2 recovered", hostname: "sw2", sysName: "sw2", state: 0, uid: 10, alert_id: 4 },
        ...{ name: "Port down", severity: "critical", description: "Core switch", msg: "up" },
      },
    },
    "Grafana OnCall": {
      firing: { alert_uid: "l-4", title: "Port down", state: "alerting", raw_state: 1, severity: "critical" },
      over: { alert_uid: "l-4", title: "Port up", state: "ok", raw_state: 0, severity: "critical" },
    },
    "Oracle Cloud": {
      firing: {
        ...{ dedupeKey: "o-4", title: "High CPU", type: "OK_TO_FIRING", severity: "INFO" },
        alarmMetaData: [],
      },
      over: {
        ...{ dedupeKey: "o-4", title: "High CPU", type: "FIRING_TO_OK", severity: "INFO" },
        alarmMetaData: [],
      },
    },
    SIGNL4: {
      firing: { title: "Pump", service: "Water", severity: "high", "X-S4-ExternalID": "s-4" },
      over: { title: "Pump", severity: "high", "X-S4-ExternalID": "s-4", "X-S4-Status": "resolved" },
    },
  };
  for (const [name, { firing, over }] of Object.entries(SHARING)) {
    test(`of ${name} shares members with the specification and is resolved by its own recovery (decisions 0124, 0219)`, async () => {
      const [{ iid }] = (await source.send(firing)).json;
      assert.equal((await source.send(over)).json[0]?.iid, iid);
      assert.equal((await alertOf(iid)).status, "resolved");
    });
  }
});
