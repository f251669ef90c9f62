/** Webhooks of tools as they send them: fields are read from them, and recoveries resolve their alerts. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { aSource, readsAlerts, type Source } from "../support/alerts.ts";
import { TOOL_SAMPLES } from "../support/every-sample.ts";
import { ZABBIX_FOR_VICTOROPS } from "../support/further-samples.ts";
import { ZABBIX_FOR_SIGNL4 } from "../support/sender-samples.ts";
import type { ToolSample } from "../support/tool-samples.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const { receiptOf, alertOf } = readsAlerts(() => world);
const send = (sample: ToolSample, body: unknown) =>
  sample.form ? source.sendForm(body as object) : source.send(body);

for (const [group, samples] of TOOL_SAMPLES) {
  describe(group, () => {
    for (const sample of samples) {
      test(`${sample.name}: fields are read, repeats are counted, and its own recovery resolves the alert (decision 0124)`, async () => {
        const opened = await send(sample, sample.firing);
        assert.equal(opened.status, 200, opened.text);
        const { iid } = opened.json[0];
        const alert = await alertOf(iid);
        for (const [member, value] of Object.entries(sample.reads)) {
          assert.deepEqual(alert[member], value, member);
        }
        assert.equal((await send(sample, sample.firing)).json[0].iid, iid);
        if (sample.seen) {
          assert.equal((await send(sample, sample.seen)).json[0].iid, iid);
          assert.equal((await alertOf(iid)).status, "acknowledged");
        }
        if (!sample.over) return;
        const ended = await send(sample, sample.over);
        assert.equal(ended.json[0]?.iid, iid, ended.text);
        assert.equal((await alertOf(iid)).status, "resolved");
        assert.deepEqual((await send(sample, sample.over)).json, [], "a recovery without an open alert");
      });
    }
  });
}

test("a form of no known tool gets 415, also at the endpoints in the formats of other services (contract-alerts, limits)", async () => {
  for (const fields of [{ title: "a" }, { '{"title":"a"}': "" }]) {
    assert.equal((await source.sendForm(fields)).status, 415);
  }
  const authorization = `GenieKey ${source.key}`;
  for (const path of ["/opsgenie/v2/alerts", "/opsgenie/v2/alerts/a/close?identifierType=alias"]) {
    const refused = await world.call(path, {
      form: { message: "a", title: "a" },
      headers: { authorization },
    });
    assert.equal(refused.status, 415, `${path} ${refused.text}`);
  }
});

/** Sends a form with parts, whose boundary is another one each time. */
async function sendParts(fields: object, headers: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  // Undici writes the boundary into this header.
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const type = request.headers.get("content-type") ?? "";
  return source.sendBytes(await request.text(), { "content-type": type, ...headers });
}

test("a form with parts is read if it is Gotify's, Pushover's, or JSON for Slack or Discord, and refused otherwise (contract-alerts, limits; decision 0282)", async () => {
  const picture = new File(["png"], "graph.png", { type: "image/png" });
  for (const [fields, title, severity] of [
    [{ title: "Buoy 7", message: "drifts", priority: "5" }, "Buoy 7", "medium"],
    [{ token: "a", user: "b", message: "Buoy 8 drifts", priority: "1" }, "Buoy 8 drifts", "high"],
    [{ payload: '{"text":"Problem: Buoy 9 is down"}' }, "Buoy 9 is down", "critical"],
    [{ payload_json: '{"content":"Buoy 10 sinks"}', file1: picture }, "Buoy 10 sinks", "critical"],
  ] as const) {
    const reply = await sendParts(fields);
    assert.equal(reply.status, 200, reply.text);
    const alert = await alertOf(reply.json[0].iid);
    assert.deepEqual([alert.title, alert.severity], [title, severity]);
  }
  for (const fields of [{ title: "a" }, { title: "a", message: "b" }, { title: "a", severity: "high" }, {}]) {
    assert.equal((await sendParts(fields)).status, 415, JSON.stringify(fields));
  }
});

test("a form with parts under the same Idempotency-Key is a repeat whatever its boundary is, and one with other parts is refused (decisions 0089, 0282)", async () => {
  const fields = { title: "Buoy 11", message: "drifts", priority: "5" };
  const key = { "idempotency-key": "buoy-11" };
  const first = await sendParts(fields, key);
  const again = await sendParts(fields, key);
  assert.deepEqual([again.status, again.json], [200, first.json], again.text);
  assert.equal((await alertOf(first.json[0].iid)).events, 1);
  for (const other of [
    { ...fields, message: "sinks" },
    { ...fields, file: new File(["png"], "graph.png", { type: "image/png" }) },
    { message: "drifts", title: "Buoy 11", priority: "5" },
  ]) {
    assert.equal((await sendParts(other, key)).status, 422, JSON.stringify(other));
  }
});

test("an event without a body whose content type is that of a form with parts may have an Idempotency-Key (decision 0089)", async () => {
  const event = { "ce-specversion": "1.0", "ce-id": "b-12", "ce-source": "/buoys", "ce-type": "buoy.lost" };
  const headers = { "content-type": "multipart/form-data; boundary=x", "idempotency-key": "buoy-12" };
  const first = await source.sendBytes("", { ...event, ...headers });
  assert.equal(first.status, 200, first.text);
  assert.deepEqual((await source.sendBytes("", { ...event, ...headers })).json, first.json);
});

test("a changed severity in Zabbix is counted on its problem, and one that is not classified is unknown (decision 0141)", async () => {
  const problem = ZABBIX_FOR_VICTOROPS("INFO", "Problem started at 10:00:00 on 2026.05.01", "Not classified");
  const [{ iid }] = (await source.send({ ...problem, entity_id: "4713" })).json;
  assert.equal((await alertOf(iid)).severity, "unknown");
  const changed = "Ada changed severity from Not classified to High problem at 2026.05.01 10:00:00.\n";
  await source.send({ ...ZABBIX_FOR_VICTOROPS("INFO", changed), entity_id: "4713" });
  const { status, events, severity } = await alertOf(iid);
  assert.deepEqual([status, events, severity], ["triggered", 2, "high"]);
});

test("a payload with a title is read by the specification, whatever other members it has (spec: Alert payload title)", async () => {
  const reply = await source.send({
    ...{ title: "Mine", host: "a", state: "UP", output: "x", status: "resolved", level: "low" },
    ...{ NOTIFICATIONTYPE: "RECOVERY", HOSTNAME: "h" },
  });
  const alert = await alertOf(reply.json[0].iid);
  assert.deepEqual(
    [alert.title, alert.severity, alert.status, alert.hosts],
    ["Mine", "critical", "triggered", []],
  );
  for (const more of [{ state: "ok" }, { state: "ok", message: "open", room: 4 }, { status: "resolved" }]) {
    const [{ iid }] = (await source.send({ title: "Valve", ...more })).json;
    assert.equal((await alertOf(iid)).status, "triggered", JSON.stringify(more));
  }
});

test("the fingerprint of a tool's alert is tool name and id, so that a script can resolve it (decision 0124)", async () => {
  const down = { check_id: 99, check_name: "Docks", current_state: "DOWN" };
  const [{ iid }] = (await source.send(down)).json;
  const end = { title: "x", fingerprint: ["Pingdom", 99], end_time: new Date().toISOString() };
  assert.deepEqual((await source.send(end)).json, [{ iid, title: "Docks is DOWN" }]);
});

test("invalid members of a known webhook are ignored with a warning (decision 0124)", async () => {
  const odd: object[] = [
    { incident: { incident_id: null, state: 5, started_at: "x" } },
    { schemaId: {}, data: { essentials: { alertId: [], severity: {}, firedDateTime: {} } } },
    { NOTIFICATIONTYPE: "$NOTIFICATIONTYPE$", HOSTNAME: "$HOSTNAME$" },
  ];
  for (const payload of odd) {
    const reply = await source.send(payload);
    assert.equal((await alertOf(reply.json[0].iid)).title, "New: Alert", JSON.stringify(payload));
    assert.match((await receiptOf(reply)).warnings.join(" "), /nothing that could be a title/);
  }
});

test("Graylog events without a key are separate alerts for each group (decision 0124)", async () => {
  const event = (group_by_fields: object, more: object = {}) => ({
    ...{ event_definition_id: "6f2", event_definition_title: "Logins fail", event_definition_type: "agg" },
    event: { message: "count() = 9", source: "graylog-1", priority: 3, key: null, group_by_fields, ...more },
    backlog: [],
  });
  const iidOf = async (payload: object): Promise<number> => (await source.send(payload)).json[0].iid;
  const one = await iidOf(event({ host: "web-1", user: "root" }));
  assert.notEqual(await iidOf(event({ host: "web-2", user: "root" })), one);
  assert.equal(await iidOf(event({ user: "root", host: "web-1" })), one);
  assert.deepEqual((await alertOf(one)).hosts, ["web-1"]);
  // With a key, and without key and groups, the fingerprint is that of earlier versions.
  const named = (fingerprint: (string | null)[]) => ({ title: "Told from a shell", fingerprint });
  const keyed = await iidOf(event({ host: "web-3" }, { key: "root" }));
  assert.equal(await iidOf(named(["Graylog", "6f2", "root"])), keyed);
  assert.equal(await iidOf(named(["Graylog", "6f2", "-"])), await iidOf(event({})));
});

test("a Google Cloud alert pushed through Pub/Sub is read like a direct one, and a redelivery is not counted (decisions 0089, 0124)", async () => {
  const push = (messageId: string, said: unknown) => ({
    message: {
      ...{ attributes: {}, messageId, publishTime: "2026-05-01T10:00:00Z" },
      data: Buffer.from(typeof said === "string" ? said : JSON.stringify(said)).toString("base64"),
    },
    ...{ subscription: "projects/internal/subscriptions/alerts", deliveryAttempt: 1 },
  });
  const says = (state: string, more: object = {}) => ({
    version: "1.2",
    incident: {
      ...{ incident_id: "0.pushed", state, policy_name: "Latency", condition_name: "p99", ...more },
      ...{ started_at: 1777629600, url: "https://console.cloud.google.com/x", summary: "3 s" },
    },
  });
  const opened = await source.send(push("1", says("open")));
  const [{ iid }] = opened.json;
  const alert = await alertOf(iid);
  assert.deepEqual(
    [alert.title, alert.monitoring_tool, alert.description],
    ["Latency: p99", "Google Cloud", "3 s"],
  );
  assert.deepEqual((await source.send(push("1", says("open")))).json, opened.json);
  assert.equal((await alertOf(iid)).events, 1);
  assert.equal((await source.send(push("2", says("closed", { ended_at: 1777633200 })))).json[0].iid, iid);
  assert.equal((await alertOf(iid)).status, "resolved");
  const text = (await source.send(push("3", "Budget is spent\nof this month\0"))).json[0];
  assert.equal(text.title, "Budget is spent");
  // A payload in the service's own format may have members of these names.
  const own = {
    title: "Mine",
    message: { data: "x", messageId: "4" },
    subscription: "projects/a/subscriptions/b",
  };
  assert.equal((await source.send(own)).json[0].title, "Mine");
});

test("a Sumo Logic monitor has an alert for each group, or one identified by its id if it has none (decision 0124)", async () => {
  const says = (triggerType: string, alertGroup?: string) => ({
    ...{ id: "0468D5", name: "Errors by host", triggerType, triggerTime: "1777629600000" },
    ...{ queryUrl: "https://sumo.example.org/q", alertGroup },
  });
  const iidOf = async (payload: object) => (await source.send(payload)).json[0]?.iid;
  const one = await iidOf(says("Critical", "host=web-1"));
  const two = await iidOf(says("Critical", "host=web-2"));
  assert.notEqual(one, two);
  assert.equal(await iidOf(says("ResolvedCritical", "host=web-1")), one);
  assert.equal((await alertOf(two)).status, "triggered");
  const whole = await iidOf(says("Warning", ""));
  assert.equal(await iidOf({ title: "From a shell", fingerprint: ["Sumo Logic", "0468D5"] }), whole);
  assert.equal(await iidOf(says("ResolvedWarning")), whole);
});

test("each AWS Health event is an alert, and its closing resolves that one only (decision 0124)", async () => {
  const health = (eventArn: string, service: string, statusCode: string, resources: string[] = []) => ({
    ...{ version: "0", id: "7bf7", "detail-type": "AWS Health Event", source: "aws.health" },
    ...{ account: "123456789012", region: "eu-west-1", time: "2026-05-01T10:00:00Z", resources },
    detail: {
      ...{ eventArn, service, eventTypeCode: `AWS_${service}_ISSUE`, eventTypeCategory: "issue", statusCode },
      eventDescription: [{ language: "en_US", latestDescription: "Errors grow" }],
    },
  });
  const iidOf = async (payload: object) => (await source.send(payload)).json[0]?.iid;
  const machines = await iidOf(health("arn:aws:health:eu-west-1::event/EC2/1", "EC2", "open"));
  const databases = await iidOf(health("arn:aws:health:eu-west-1::event/RDS/1", "RDS", "open"));
  assert.notEqual(machines, databases);
  const { title, description, service } = await alertOf(machines);
  assert.deepEqual([title, description, service], ["AWS_EC2_ISSUE", "Errors grow", "EC2"]);
  const end = health("arn:aws:health:eu-west-1::event/EC2/1", "EC2", "closed", ["i-1"]);
  assert.equal(await iidOf(end), machines);
  assert.equal((await alertOf(databases)).status, "triggered");
});

test("Checkly's certificate and site alerts are separate, and a recovery of the site resolves its own only (decision 0124)", async () => {
  const says = (alert_type: string) => ({
    ...{ event: `Docs: ${alert_type}`, alert_type, check_id: "c-9", check_type: "API", check_name: "Docs" },
  });
  const iidOf = async (payload: object) => (await source.send(payload)).json[0]?.iid;
  const certificate = await iidOf(says("ALERT_SSL"));
  const site = await iidOf(says("ALERT_FAILURE"));
  assert.notEqual(site, certificate);
  assert.equal(await iidOf(says("ALERT_FAILURE_DEGRADED")), site);
  assert.equal(await iidOf(says("ALERT_RECOVERY")), site);
  assert.equal((await alertOf(certificate)).status, "triggered");
});

test("Honeybadger's downtime, certificate and error volume alerts are separate, and a recovery of the site resolves its own only (decision 0124)", async () => {
  const says = (event: string, about: object) => ({
    ...{ event, message: `[Quay] ${event}`, project: { id: 77, name: "Quay" } },
    ...about,
  });
  const site = { site: { id: "5c3d", name: "Quay", url: "https://quay.example.org", state: "up" } };
  const iidOf = async (payload: object) => (await source.send(payload)).json[0]?.iid;
  const certificate = await iidOf(says("cert_will_expire", site));
  const flood = await iidOf(says("volume_spike", { volume_spike: { observed: 412, baseline_median: 87 } }));
  const down = await iidOf(says("down", site));
  assert.equal(new Set([certificate, flood, down]).size, 3);
  const opened = await Promise.all([certificate, flood, down].map(alertOf));
  assert.deepEqual(
    opened.map(({ title, severity, service }) => [title, severity, service]),
    [
      ["[Quay] cert_will_expire", "medium", "Quay"],
      ["[Quay] volume_spike", "medium", "Quay"],
      ["[Quay] down", "critical", "Quay"],
    ],
  );
  assert.equal(await iidOf(says("up", site)), down);
  assert.equal((await alertOf(certificate)).status, "triggered");
});

test("each member of a list of webhooks is read separately (decision 0089)", async () => {
  const down = (token: string, event: string) => ({
    ...{ event, time: "2026-05-01T10:00:00Z", description: `DOWN: ${token}` },
    check: { token, url: `https://${token}.example.org` },
  });
  const opened = await source.send([down("aa1", "check.down"), down("bb2", "check.down")]);
  assert.deepEqual(
    opened.json.map((one: { title: string }) => one.title),
    ["DOWN: aa1", "DOWN: bb2"],
  );
  const ended = await source.send([{ ...down("aa1", "check.up"), time: "2026-05-01T10:09:00Z" }]);
  assert.deepEqual(ended.json, [{ iid: opened.json[0].iid, title: "DOWN: aa1" }]);
});

test("alerts in Alertmanager's format are accepted at any alert endpoint, and answered as alerts (contract-alerts, answer by payload shape; decision 0124)", async () => {
  const labelled = (more: object) => [
    {
      labels: { alertname: "collectd_cpu", instance: "db-1", severity: "FAILURE", service: "collectd" },
      annotations: { summary: "Host db-1, plugin cpu: above the failure threshold" },
      startsAt: "2026-05-01T10:00:00.000Z",
      ...more,
    },
  ];
  const reply = await source.send(labelled({}));
  const [iid] = (await receiptOf(reply)).alert_iids;
  const alerts = [{ iid, title: "Host db-1, plugin cpu: above the failure threshold" }];
  assert.deepEqual([reply.status, reply.json], [200, alerts]);
  const alert = await alertOf(iid);
  assert.deepEqual(
    [alert.title, alert.severity, alert.hosts],
    ["Host db-1, plugin cpu: above the failure threshold", "critical", ["db-1"]],
  );
  const over = labelled({ endsAt: "2026-05-01T10:05:00.000Z" });
  assert.deepEqual((await source.send(over)).json, alerts);
  assert.equal((await alertOf(iid)).status, "resolved");
  assert.deepEqual((await source.send(over)).json, []);
});

test("a collectd threshold is one alert whatever its severity label, and OKAY resolves it (decision 0124)", async () => {
  const says = (severity: string, minute: number) => [
    {
      labels: { alertname: "collectd_load", instance: "db-2", severity, service: "collectd" },
      annotations: { summary: `Host db-2, plugin load type load: ${severity}`, CurrentValue: `${minute}` },
      startsAt: `2026-05-01T10:0${minute}:00.000000001Z`,
    },
  ];
  const iidOf = async (reply: Reply) => (await receiptOf(reply)).alert_iids[0];
  const iid = await iidOf(await source.send(says("WARNING", 1)));
  assert.equal(await iidOf(await source.send(says("FAILURE", 2))), iid);
  assert.equal((await alertOf(iid)).monitoring_tool, "collectd");
  await source.send(says("OKAY", 3));
  assert.equal((await alertOf(iid)).status, "resolved");
  assert.equal((await receiptOf(await source.send(says("OKAY", 4)))).decision, "orphan");
});

test('a payload of no known tool and without a title is called "New: Alert" (contract §4, missing title)', async () => {
  for (const payload of [
    { description: "only this", level: "low" },
    { message: "Backup failed", host: "db-1" },
    { name: "mail", status: "resolved" },
  ]) {
    const reply = await source.send(payload);
    const alert = await alertOf(reply.json[0].iid);
    assert.deepEqual([alert.title, alert.status], ["New: Alert", "triggered"], JSON.stringify(payload));
  }
});

test("alertName with a known state is the title, separately per host; a strict integration refuses it (decision 0124; contract §4, missing title)", async () => {
  const says = (status: string, host: string) => ({ alertName: "Disk full", status, host, level: "warning" });
  const iidOf = async (payload: object) => (await source.send(payload)).json[0]?.iid;
  const one = await iidOf(says("ALERTING", "db-1"));
  const other = await iidOf(says("ALERTING", "db-2"));
  assert.notEqual(one, other);
  const alert = await alertOf(one);
  assert.deepEqual([alert.title, alert.severity, alert.hosts], ["Disk full", "low", ["db-1"]]);
  assert.equal(await iidOf(says("OK", "db-1")), one);
  assert.deepEqual([(await alertOf(one)).status, (await alertOf(other)).status], ["resolved", "triggered"]);
  // A word that is no known state.
  const strange = await iidOf({ alertName: "Disk full", status: "200", host: "db-1" });
  assert.equal((await alertOf(strange)).title, "New: Alert");
  const strict = await aSource(world, "http", { name: "Strict", strict: true });
  assert.equal((await strict.send(says("ALERTING", "db-3"))).status, 422);
});

test("an unknown severity is stored as critical, with a warning (reference alerts A5)", async () => {
  for (const severity of ["warning", "P2", "disaster"]) {
    const reply = await source.send({ title: `As ${severity}`, severity });
    assert.equal((await alertOf(reply.json[0].iid)).severity, "critical", severity);
    assert.match((await receiptOf(reply)).warnings.join(" "), /critical is used/);
  }
});

test("JSON after payload= is accepted, as Zabbix' media type for SIGNL4 sends it (contract-alerts, limits; decision 0124)", async () => {
  const post = (body: string) =>
    world.call(source.path, {
      body,
      headers: { authorization: `Bearer ${source.key}`, "content-type": "application/json" },
    });
  const fields = { ...ZABBIX_FOR_SIGNL4("PROBLEM", "Problem: Fan stands"), "X-S4-ExternalID": "fan" };
  const opened = await post(`payload=${JSON.stringify(fields)}`);
  assert.deepEqual([opened.status, opened.json[0]?.title], [200, "Problem: Fan stands"], opened.text);
  assert.match((await receiptOf(opened)).warnings.join("\n"), /form field with the content type of JSON/);
  const ended = await post(`payload=${JSON.stringify({ ...fields, "X-S4-Status": "resolved" })}`);
  assert.deepEqual(ended.json, opened.json);
  assert.equal((await alertOf(opened.json[0].iid)).status, "resolved");
  for (const body of ["payload=", "payload=[]", 'payload={"title"']) {
    assert.equal((await post(body)).status, 400, body);
  }
});

test("an environment named inside a tool's error is linked to the project's one of that name (contract-alerts, record)", async () => {
  const made = await world.call("/api/v4/projects/acme%2Frocket/environments", {
    as: "max",
    json: { name: "kitchen" },
  });
  assert.equal(made.status, 201, made.text);
  const exception = {
    exception: "Burnt",
    site: "shop",
    environment: "kitchen",
    url: "https://a.example.org/1",
  };
  const [{ iid }] = (await source.send({ exception })).json;
  assert.equal((await alertOf(iid)).environment?.name, "kitchen");
});
