/** Payloads of tools in their own formats: CloudEvents, Azure Event Grid, Grafana, and lists. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { CloudEvent, HTTP } from "cloudevents";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const api = "/api/v4/projects/acme%2Frocket";
const { receiptOf, alertOf, alertIn } = readsAlerts(() => world);

describe("CloudEvents", () => {
  const aboutPump = (more: Record<string, unknown> = {}) =>
    new CloudEvent({
      type: "org.example.pump.failed",
      source: "/pumps/yard",
      subject: "pump-7",
      time: "2026-05-01T10:00:00.000Z",
      data: { title: "Pump 7 stands still", severity: "high", hosts: ["plc-7"], pressure: 0.2 },
      ...more,
    });
  const messages = { structured: HTTP.structured, binary: HTTP.binary };
  for (const [way, write] of Object.entries(messages)) {
    test(`an event in the SDK's ${way} mode opens an alert, and its resolved event resolves it (reference alerts E9; decision 0089)`, async () => {
      const send = (event: CloudEvent<unknown>) => {
        const { body, headers } = write(event);
        return source.sendBytes(String(body), headers);
      };
      const subject = `pump-${way}`;
      const first = await send(aboutPump({ subject }));
      assert.equal(first.status, 200);
      const opened = await alertOf(first.json[0].iid);
      assert.deepEqual(
        [opened.title, opened.severity, opened.hosts, opened.service, opened.started_at],
        ["Pump 7 stands still", "high", ["plc-7"], "/pumps/yard", "2026-05-01T10:00:00.000Z"],
      );
      assert.equal(opened.payload.type, "org.example.pump.failed");
      await send(
        aboutPump({ subject, type: "org.example.pump.resolved", time: "2026-05-01T11:00:00.000Z", data: {} }),
      );
      const resolved = await alertOf(opened.iid);
      assert.deepEqual([resolved.status, resolved.ended_at], ["resolved", "2026-05-01T11:00:00.000Z"]);
    });
  }

  test("an event received twice with the same id counts once (decision 0089)", async () => {
    const event = aboutPump({ subject: "twice" });
    const { body, headers } = HTTP.structured(event);
    const first = await source.sendBytes(String(body), headers);
    const again = await source.sendBytes(String(body), headers);
    assert.deepEqual(again.json, first.json);
    assert.equal((await alertOf(first.json[0].iid)).events, 1);
    const next = HTTP.structured(aboutPump({ subject: "twice" }));
    await source.sendBytes(String(next.body), next.headers);
    assert.equal((await alertOf(first.json[0].iid)).events, 2);
  });

  test("each event of a batch is an alert, and invalid ones are reported by index (decision 0089)", async () => {
    const batch = JSON.stringify([aboutPump({ subject: "b1" }), { id: 1 }, aboutPump({ subject: "b2" })]);
    const reply = await source.sendBytes(batch, { "content-type": "application/cloudevents-batch+json" });
    assert.equal(reply.status, 200);
    const [one, two, refused] = reply.json;
    assert.ok(one.iid && two.iid && one.iid !== two.iid);
    assert.deepEqual(refused, { index: 1, error: "A CloudEvent has specversion, id, source and type." });
    assert.equal((await receiptOf(reply)).reading.shape, "cloudevents");
  });

  test("each event id counts once, whether it is repeated in another batch, alone or within one batch (decision 0254)", async () => {
    const event = (id: string, subject = "once") => ({ ...aboutPump({ subject }).toJSON(), id });
    const batch = (...events: object[]) =>
      source.sendBytes(JSON.stringify(events), { "content-type": "application/cloudevents-batch+json" });
    const first = await batch(event("o1"), event("o2"));
    const [{ iid }] = first.json;
    const counts = async () => {
      const { events, deliveries } = await alertOf(iid);
      return [events, deliveries];
    };
    assert.deepEqual(await counts(), [2, 1]);
    const other = await batch(event("o9", "other"), event("o2"));
    assert.deepEqual(other.json.slice(1), [first.json[0]], "a repeated event is answered in its place");
    assert.deepEqual(await counts(), [2, 2]);
    assert.match((await receiptOf(other)).warnings.join(), /1 of its messages had been received before/);
    await batch(event("o3"), event("o3"), event("o1"));
    assert.deepEqual(await counts(), [3, 3]);
    const structured = { "content-type": "application/cloudevents+json" };
    assert.deepEqual((await source.sendBytes(JSON.stringify(event("o3")), structured)).json, first.json);
    assert.deepEqual(await counts(), [3, 4]);
    assert.deepEqual((await source.sendBytes(JSON.stringify(event("o4")), structured)).json, first.json);
    await batch(event("o4"), event("o5"));
    assert.deepEqual(await counts(), [5, 6]);
    const whole = await batch(event("o4"), event("o5"));
    assert.deepEqual(whole.json, first.json);
    assert.deepEqual(await counts(), [5, 7]);
    const turned = await batch(event("o5"), event("o4"));
    assert.deepEqual([turned.json, turned.headers.get("x-alert-deduplicated")], [first.json, "true"]);
    assert.equal((await receiptOf(turned)).decision, "nothing");
    assert.deepEqual(await counts(), [5, 8]);
  });

  test("CloudEvents whose data is a string or missing are accepted, a string with a warning and missing data without one (decision 0031)", async () => {
    const text = await source.sendBytes(JSON.stringify(aboutPump({ subject: "text", data: "It hums." })), {
      "content-type": "application/json",
    });
    const alert = await alertIn(text);
    assert.deepEqual([alert.title, alert.description], ["text", "It hums."]);
    assert.ok((await receiptOf(text)).warnings.some((line: string) => /no JSON object/.test(line)));
    const { headers } = HTTP.binary(aboutPump({ subject: "h%C3%A4rte", data: undefined }));
    const empty = await source.sendBytes("", { ...headers, "content-type": "application/json" });
    assert.equal(empty.status, 200);
    assert.equal((await alertIn(empty)).title, "härte");
    assert.deepEqual((await receiptOf(empty)).warnings, []);
  });
});

/** The schema of learn.microsoft.com/azure/event-grid/event-schema; one event is delivered as a list of one. */
describe("Azure Event Grid", () => {
  const topic = "/subscriptions/1/resourceGroups/r/providers/Microsoft.EventGrid/topics/pumps";
  let count = 0;
  const event = (eventType: string, eventTime: string, data: object, subject = "pump-9") => [
    {
      ...{ topic, subject, id: `grid-${count++}`, eventType, eventTime, data },
      ...{ dataVersion: "1.0", metadataVersion: "1" },
    },
  ];

  test("an event in Event Grid's schema opens an alert, its resolved event resolves it, and a repeat counts once (decision 0089)", async () => {
    const failed = event("Pump.Failed", "2026-05-01T10:00:00.1234567Z", { severity: "high", pressure: 0.2 });
    const first = await source.send(failed);
    const { iid } = first.json[0];
    assert.deepEqual((await source.send(failed)).json, first.json);
    const alert = await alertOf(iid);
    assert.deepEqual(
      [alert.title, alert.severity, alert.service, alert.events, alert.started_at],
      ["pump-9", "high", topic, 1, "2026-05-01T10:00:00.123Z"],
    );
    assert.equal(alert.payload.eventType, "Pump.Failed");
    await source.send(event("Pump.Resolved", "2026-05-01T11:00:00Z", {}));
    assert.equal((await alertOf(iid)).status, "resolved");
  });

  test("the subscription validation is answered with its code if the key is right, whatever the mapping, and opens no alert (decision 0124)", async () => {
    const validation = event(
      "Microsoft.EventGrid.SubscriptionValidationEvent",
      "2026-05-01T10:00:00Z",
      { validationCode: "512d38b6-c7b8-40c8-89fe-f46f9e9622b6", validationUrl: "https://rp.example.org/v" },
      "",
    );
    const mapped = await aSource(world, "http", { mapping: { title: ["subject"] } });
    const before = (await world.call(`${api}/alert_management_alerts/counts`, { as: "max" })).json.all;
    for (const to of [source, mapped]) {
      const reply = await to.send(validation);
      assert.deepEqual(
        [reply.status, reply.json],
        [200, { validationResponse: "512d38b6-c7b8-40c8-89fe-f46f9e9622b6" }],
      );
      const { decision, warnings } = await receiptOf(reply);
      assert.equal(decision, "nothing");
      assert.match(warnings.join(" "), /asked whether it may deliver here/);
    }
    const stranger = await source.sendBytes(JSON.stringify(validation), {
      authorization: "Bearer gak_wrong",
    });
    assert.equal(stranger.status, 401);
    assert.doesNotMatch(stranger.text, /512d38b6/);
    const without = event("Microsoft.EventGrid.SubscriptionValidationEvent", "2026-05-01T10:00:00Z", {});
    assert.ok(Array.isArray((await source.send(without)).json));
    const after = (await world.call(`${api}/alert_management_alerts/counts`, { as: "max" })).json.all;
    assert.equal(after, before + 1);
  });
});

describe("Grafana", () => {
  const group = (status: string, more: Record<string, unknown> = {}) => ({
    receiver: "gatehouse",
    status,
    alerts: [
      {
        status,
        labels: {
          alertname: "High memory usage",
          instance: "server1",
          grafana_folder: "Ops",
          severity: "warn",
        },
        annotations: {
          summary: "Memory usage is high on server1",
          runbook_url: "https://runbooks.example.org/m",
        },
        startsAt: "2026-05-01T10:00:00Z",
        endsAt: "0001-01-01T00:00:00Z",
        generatorURL: "https://grafana.example.org/alerting/grafana/abc/view",
        fingerprint: "c6eadffa33fcdf37",
        silenceURL: "https://grafana.example.org/alerting/silence/new",
        dashboardURL: "https://grafana.example.org/d/abc",
        panelURL: "",
        values: { A: 91.2, C: 1 },
        valueString: "[ var='A' labels={} value=91.2 ]",
        ...more,
      },
    ],
    groupLabels: { alertname: "High memory usage" },
    commonLabels: {},
    commonAnnotations: {},
    externalURL: "https://grafana.example.org/",
    version: "1",
    groupKey: '{}:{alertname="High memory usage"}',
    truncatedAlerts: 0,
    orgId: 1,
    title: "[FIRING:1] High memory usage",
    state: status === "firing" ? "alerting" : "ok",
    message: "**Firing**",
  });

  test("each alert of a group is an alert with its links, and changed values are no new occurrence (reference alerts A11)", async () => {
    const first = await source.send(group("firing"));
    assert.deepEqual([first.status, first.text], [201, ""]);
    await source.send(group("firing", { values: { A: 95 }, valueString: "[ value=95 ]" }));
    const opened = await alertIn(first);
    assert.deepEqual(
      [opened.title, opened.severity, opened.monitoring_tool, opened.hosts, opened.events, opened.deliveries],
      ["Memory usage is high on server1", "low", "Grafana", ["server1"], 1, 2],
    );
    assert.equal(opened.payload.dashboardURL, "https://grafana.example.org/d/abc");
    assert.equal(opened.runbook, "https://runbooks.example.org/m");
    await source.send(group("resolved", { endsAt: "2026-05-01T11:00:00Z" }));
    assert.equal((await alertOf(opened.iid)).status, "resolved");
  });
});

test("invalid members of a group or of an Alertmanager list are left out with a warning, and the others accepted (decision 0128)", async () => {
  const labelled = (name: string) => ({
    ...{ status: "firing", labels: { alertname: name }, annotations: {} },
    startsAt: "2026-05-01T10:00:00Z",
  });
  const group = (alerts: unknown[]) => ({
    ...{ version: "4", groupKey: "{}", status: "firing", receiver: "us", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://am.example.org", alerts },
  });
  const asGroup = await source.send(group([5, labelled("Kept in a group"), null]));
  assert.equal(asGroup.status, 201, asGroup.text);
  assert.equal((await alertIn(asGroup)).title, "Kept in a group");
  assert.match(
    (await receiptOf(asGroup)).warnings.join(),
    /2 of alerts are no JSON objects; they were left out/,
  );
  assert.equal((await source.send(group([5, null]))).status, 400);

  const ruler = (alerts: unknown[]) =>
    world.call("/acme/rocket/alertmanager/api/v2/alerts", {
      json: alerts,
      headers: { authorization: `Bearer ${source.key}` },
    });
  const asList = await ruler([labelled("Kept in a list"), { labels: 3 }, "x"]);
  assert.equal(asList.status, 200, asList.text);
  assert.equal((await alertIn(asList)).title, "Kept in a list");
  assert.match((await receiptOf(asList)).warnings.join(), /2 alerts are no JSON objects with labels/);
  assert.equal((await ruler([{ labels: 3 }])).status, 400);
});

test("each payload of a list is checked separately, and invalid ones are reported by index (reference alerts D17; decision 0089)", async () => {
  const strict = await aSource(world, "http", { name: "Strict", strict: true });
  const reply = await strict.send([{ title: "Good" }, 5, {}, { title: "Also good" }]);
  assert.equal(reply.status, 200);
  assert.deepEqual(
    reply.json.map(
      (one: { title?: string; index?: number; error?: string }) => one.title ?? [one.index, one.error],
    ),
    ["Good", "Also good", [1, "An alert payload is a JSON object."], [2, "title is missing"]],
  );
  const receipt = await receiptOf(reply);
  assert.ok(receipt.warnings.includes("Payload 3: title is missing"));
  assert.equal((await strict.send([{}, 5])).status, 422);
});

test("alerts of a list are answered in its order, whatever the decision for each (contract-alerts, answer; decision 0089)", async () => {
  const lists = await aSource(world, "http", { name: "Lists" });
  await lists.send([{ title: "Open before" }, { title: "Ends now" }]);
  const reply = await lists.send([
    { title: "Ends now", end_time: "2999-01-01T00:00:00Z" },
    { title: "Open before" },
    { title: "Opens" },
    { title: "Open before" },
    { title: "Opens last" },
  ]);
  const expected = ["Ends now", "Open before", "Opens", "Opens last"];
  assert.deepEqual(
    reply.json.map((one: { title: string }) => one.title),
    expected,
  );
  assert.deepEqual(
    (await receiptOf(reply)).alert_iids,
    reply.json.map((one: { iid: number }) => one.iid),
  );
});

test("an integration's mapping takes precedence over the detected format (decision 0089)", async () => {
  const mapped = await aSource(world, "http", { name: "Mapped", mapping: { title: ["body"] } });
  const reply = await mapped.send({ alert_transition: "Recovered", title: "Not this", body: "But this" });
  assert.equal(reply.json[0].title, "But this");
});

test("a strict integration accepts alerts without a title within a group (decision 0235)", async () => {
  const strict = await aSource(world, "http", { name: "Strict about groups", strict: true });
  const alert = (labels: object) => ({
    ...{ status: "firing", labels, annotations: {}, startsAt: "2026-05-01T10:00:00Z", endsAt: "" },
    generatorURL: "",
  });
  const reply = await strict.send({
    ...{ version: "4", groupKey: "k", status: "firing", receiver: "r", groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: "http://am.example.org" },
    alerts: [alert({ rule: "nameless" }), alert({ alertname: "Disk" })],
  });
  assert.equal(reply.status, 201);
  const path = `/api/v4/projects/acme%2Frocket/alert_management_alerts?integration_id=${strict.id}`;
  const titles = (await world.call(path, { as: "max" })).json.map(({ title }: { title: string }) => title);
  assert.deepEqual(titles.sort(), ["Disk", "New: Alert"]);
  assert.equal((await strict.send({ severity: "low" })).status, 422);
});
