import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUP_LIMIT_BYTES } from "../../src/alerts/body-limits.ts";
import { readJson } from "../../src/alerts/payload.ts";
import { readDelivery } from "../../src/alerts/read-delivery.ts";
import { MAX_VALUES, shapeOf } from "../../src/platform/bounded-json.ts";
import { PLAIN_RULES } from "../support/plain-rules.ts";
import { refused } from "../support/refused-unparsed.ts";

const ARRIVAL = { headers: {}, receivedAt: new Date("2026-05-01T10:00:00Z") };

/** Repeats the text up to this number of characters. */
const filled = (text: string, characters: number) => text.repeat(Math.floor(characters / text.length));

test("a body with more than 1,048,576 values is refused while they are counted, whatever follows them (contract-alerts, limits; decision 0187)", (context) => {
  for (const value of ['{"a":1},', "{},", "0,", '{"attachments":[{"attachments":[]}]},']) {
    const body = `{"groupKey":"{}","alerts":[${filled(value, 16_000_000)}x`;
    const { looked, values } = shapeOf(body, MAX_VALUES);
    assert.equal(values, MAX_VALUES + 1);
    assert.ok(looked <= MAX_VALUES * value.length + 100, `${looked} characters looked at`);
    const found = refused(context, () => readJson(Buffer.from(body)));
    assert.deepEqual(found, {
      kind: "too_large",
      message: "More than 1,048,576 values in one request.",
      parsed: 0,
    });
  }
  // No body of 1 MiB has that many.
  assert.ok(shapeOf(`[${filled("0,", 1024 * 1024 - 3)}0]`).values <= MAX_VALUES);
});

test("a body nested too deeply is refused at the first level that is too deep (contract-alerts, limits; decision 0187)", (context) => {
  const body = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  assert.equal(shapeOf(body).looked, 5 + 100);
  const { kind, message, parsed } = refused(context, () => readJson(Buffer.from(body)));
  assert.deepEqual([kind, message, parsed], ["invalid", "The body is nested more than 100 levels deep.", 0]);
  const flat = `${'{"\\"[{,":"]}\\\\",'.repeat(100)}"a":1${"}".repeat(100)}`;
  assert.deepEqual(shapeOf(flat), { values: 1 + 200, depth: 100, looked: flat.length });
});

test("a group of 10,000 alerts in 16 MiB is accepted, with fewer than half of the allowed values (contract-alerts, limits; decision 0187)", () => {
  const labels = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [`label_${n}`, `value of the label ${n}`]),
  );
  const alert = (n: number, description: string) => ({
    status: "firing",
    labels: { alertname: "HighLoad", instance: `host-${n}:9100`, severity: "warning", ...labels },
    annotations: { summary: "Load is high", description },
    ...{ startsAt: "2026-05-01T10:00:00Z", endsAt: "0001-01-01T00:00:00Z", generatorURL: "" },
    fingerprint: n.toString(16).padStart(16, "0"),
  });
  const group = (description: string) =>
    JSON.stringify({
      ...{ version: "4", groupKey: "{}", status: "firing", receiver: "r", groupLabels: {}, commonLabels: {} },
      ...{ commonAnnotations: {}, externalURL: "http://alertmanager.example.org" },
      alerts: Array.from({ length: 10_000 }, (_, n) => alert(n, description)),
    });
  const left = GROUP_LIMIT_BYTES - group("").length;
  const body = group("d".repeat(Math.floor(left / 10_000)));
  assert.ok(body.length > GROUP_LIMIT_BYTES - 10_000 && body.length <= GROUP_LIMIT_BYTES, `${body.length}`);
  assert.equal(readDelivery(Buffer.from(body), PLAIN_RULES, ARRIVAL).reports.length, 10_000);
  assert.ok(shapeOf(body).values * 2 < MAX_VALUES, `${shapeOf(body).values}`);
});

test("members that a body shares among several alerts are shortened in the payload of each alert (reference alerts D8; decision 0124)", () => {
  const long = "x".repeat(100_000);
  const labelled = { labels: { alertname: "A" }, startsAt: "2026-05-01T10:00:00Z" };
  const bodies: Readonly<Record<string, readonly [list: string, item: object, shared: readonly string[]]>> = {
    Redfish: ["Events", { MessageId: "FAN0001", Message: "Fan", Severity: "Critical" }, ["Context"]],
    ServiceNow: ["records", { source: "a", severity: "1", node: "n", type: "t", message_key: "k" }, []],
    Mist: ["events", { org_id: "o", type: "AP_DISCONNECTED", mac: "m" }, ["topic"]],
    "a group": ["alerts", labelled, ["receiver"]],
  };
  for (const [name, [list, item, shared]] of Object.entries(bodies)) {
    const body = {
      ...{ Context: long, topic: long, receiver: long, blob: long, more: { deep: long } },
      [list]: [item, item, item],
    };
    const { reports } = readDelivery(JSON.stringify(body), PLAIN_RULES, ARRIVAL);
    assert.equal(reports.length, 3, name);
    for (const { payload } of reports) {
      const { length } = JSON.stringify(payload);
      assert.ok(length < 2000, `${name}: ${length} characters`);
      for (const kept of shared) assert.ok(Object.hasOwn(payload as object, kept), `${name}: ${kept}`);
    }
  }
});

test("an alert of a group without a status of its own has the group's, and otherwise its own (contract §4, body shape; reference alerts A11)", () => {
  const actions = (status: string, version: string, ...own: (string | undefined)[]) => {
    const group = {
      ...{ version, groupKey: "{}", status, receiver: "r", groupLabels: {}, commonLabels: {} },
      ...{ commonAnnotations: {}, externalURL: "http://alertmanager.example.org" },
      alerts: own.map((status, at) => ({ status, labels: { alertname: `A${at}` } })),
    };
    const { reports } = readDelivery(JSON.stringify(group), PLAIN_RULES, ARRIVAL);
    return reports.map(({ action }) => action);
  };
  for (const version of ["4", "1"]) {
    assert.deepEqual(actions("resolved", version, undefined, "resolved", "firing"), [
      ...["recovery", "recovery", "firing"],
    ]);
    assert.deepEqual(actions("firing", version, undefined, "resolved", "firing"), [
      ...["firing", "recovery", "firing"],
    ]);
  }
});

test("a strict integration refuses a template of Datadog that nothing names, but not one whose title is empty once its state is taken off (decision 0235)", (context) => {
  const strict = { ...PLAIN_RULES, strict: true };
  const untitled = { alert_transition: "Triggered", alert_cycle_key: "7", body: "b" };
  for (const title of [undefined, "", " ", "$EVENT_TITLE"]) {
    const body = JSON.stringify({ ...untitled, title });
    const { kind, message } = refused(context, () => readDelivery(body, strict, ARRIVAL));
    assert.deepEqual([kind, message], ["unprocessable", "title is missing"]);
    assert.equal(readDelivery(body, PLAIN_RULES, ARRIVAL).reports[0]?.title, "New: Alert");
  }
  for (const named of [{ title: "CPU is high" }, { alert_title: "CPU is high" }, { title: "[Triggered]" }]) {
    const body = JSON.stringify({ ...untitled, ...named });
    assert.equal(readDelivery(body, strict, ARRIVAL).reports.length, 1, body);
  }
});
