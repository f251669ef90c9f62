/** What tools send as it is: CloudEvents, Amazon SNS and CloudWatch, Sentry, Datadog, Grafana, and lists. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { CloudEvent, HTTP } from "cloudevents";
import { aSource, type Source } from "../support/alerts.ts";
import { type Reply, startWorld, type World } from "../support/world.ts";

const api = "/api/v4/projects/acme%2Frocket";
let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

const receiptOf = async (reply: Reply) =>
  (await world.call(`${api}/alert_receipts/${reply.headers.get("x-alert-receipt")}`, { as: "max" })).json;
const alertOf = async (iid: number) =>
  (await world.call(`${api}/alert_management_alerts/${iid}`, { as: "dev" })).json;
const alertIn = async (reply: Reply) => alertOf((await receiptOf(reply)).alert_iids[0]);
/** Sends bytes as they are. */
const post = (body: string, headers: Record<string, unknown> = {}) =>
  world.call(source.path, {
    body,
    headers: { authorization: `Bearer ${source.key}`, ...headers } as Record<string, string>,
  });

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
    test(`the ${way} way of the SDK opens an alert, and its end resolves it (reference alerts E9; decision 0089)`, async () => {
      const send = (event: CloudEvent<unknown>) => {
        const { body, headers } = write(event);
        return post(String(body), headers);
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

  test("an event that comes twice counts once, for its id is the message's name (decision 0089)", async () => {
    const event = aboutPump({ subject: "twice" });
    const { body, headers } = HTTP.structured(event);
    const first = await post(String(body), headers);
    const again = await post(String(body), headers);
    assert.deepEqual(again.json, first.json);
    assert.equal((await alertOf(first.json[0].iid)).events, 1);
    const next = HTTP.structured(aboutPump({ subject: "twice" }));
    await post(String(next.body), next.headers);
    assert.equal((await alertOf(first.json[0].iid)).events, 2);
  });

  test("a batch is as many alerts, and what is no event is told by its place (decision 0089)", async () => {
    const batch = JSON.stringify([aboutPump({ subject: "b1" }), { id: 1 }, aboutPump({ subject: "b2" })]);
    const reply = await post(batch, { "content-type": "application/cloudevents-batch+json" });
    assert.equal(reply.status, 200);
    const [one, two, refused] = reply.json;
    assert.ok(one.iid && two.iid && one.iid !== two.iid);
    assert.deepEqual(refused, { index: 1, error: "A CloudEvent has specversion, id, source and type." });
    assert.equal((await receiptOf(reply)).reading.shape, "cloudevents");
  });

  test("data that are no object, or none at all, are read with a warning (decision 0031)", async () => {
    const text = await post(JSON.stringify(aboutPump({ subject: "text", data: "It hums." })), {
      "content-type": "application/json",
    });
    const alert = await alertIn(text);
    assert.deepEqual([alert.title, alert.description], ["text", "It hums."]);
    assert.ok((await receiptOf(text)).warnings.some((line: string) => /no JSON object/.test(line)));
    const { headers } = HTTP.binary(aboutPump({ subject: "h%C3%A4rte", data: undefined }));
    const empty = await post("", { ...headers, "content-type": "application/json" });
    assert.equal(empty.status, 200);
    assert.equal((await alertIn(empty)).title, "härte");
  });
});

/** In the schema of learn.microsoft.com/azure/event-grid/event-schema, a list of one as it is delivered. */
describe("Azure Event Grid", () => {
  const topic = "/subscriptions/1/resourceGroups/r/providers/Microsoft.EventGrid/topics/pumps";
  let count = 0;
  const event = (eventType: string, eventTime: string, data: object, subject = "pump-9") => [
    {
      ...{ topic, subject, id: `grid-${count++}`, eventType, eventTime, data },
      ...{ dataVersion: "1.0", metadataVersion: "1" },
    },
  ];

  test("an event of its own schema is read like a CloudEvent: it opens an alert, its end resolves it, and its repeat counts once (decision 0089)", async () => {
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

  test("its question whether it may deliver is answered by its code, with a key and whatever the integration maps, and opens nothing (decision 0124)", async () => {
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
    const stranger = await post(JSON.stringify(validation), { authorization: "Bearer gak_wrong" });
    assert.equal(stranger.status, 401);
    assert.doesNotMatch(stranger.text, /512d38b6/);
    const without = event("Microsoft.EventGrid.SubscriptionValidationEvent", "2026-05-01T10:00:00Z", {});
    assert.ok(Array.isArray((await source.send(without)).json));
    const after = (await world.call(`${api}/alert_management_alerts/counts`, { as: "max" })).json.all;
    assert.equal(after, before + 1);
  });
});

describe("Amazon SNS", () => {
  const TOPIC = "arn:aws:sns:eu-central-1:123456789012:alarms";
  let count = 0;
  const notify = (more: Record<string, unknown>) => {
    const body = {
      Type: "Notification",
      MessageId: `message-${++count}`,
      TopicArn: TOPIC,
      Subject: "ALARM",
      Timestamp: "2026-05-01T10:00:01.000Z",
      SignatureVersion: "1",
      Signature: "EXAMPLE",
      SigningCertURL:
        "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0000000000000000000000.pem",
      UnsubscribeURL: "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe",
      ...more,
    };
    return post(JSON.stringify(body), {
      "content-type": "text/plain; charset=UTF-8",
      "x-amz-sns-message-type": String(body.Type),
      "x-amz-sns-topic-arn": TOPIC,
      "user-agent": "Amazon Simple Notification Service Agent",
    });
  };
  const alarm = (more: Record<string, unknown> = {}) => ({
    AlarmName: "queue-depth",
    AlarmDescription: "The queue grows",
    AWSAccountId: "123456789012",
    NewStateValue: "ALARM",
    NewStateReason: "Threshold Crossed: 1 datapoint [612.0] was greater than the threshold (500.0).",
    StateChangeTime: "2026-05-01T10:00:00.000+0000",
    Region: "EU (Frankfurt)",
    AlarmArn: "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:queue-depth",
    OldStateValue: "OK",
    Trigger: {
      MetricName: "ApproximateNumberOfMessagesVisible",
      Namespace: "AWS/SQS",
      Dimensions: [{ name: "InstanceId", value: "i-0123" }],
    },
    ...more,
  });

  test("a CloudWatch alarm opens an alert and OK resolves it; the receipt says that its signature is not checked (reference alerts E10; decision 0089)", async () => {
    const first = await notify({ Message: JSON.stringify(alarm()) });
    assert.equal(first.status, 200);
    const opened = await alertIn(first);
    assert.deepEqual(
      [opened.title, opened.description, opened.service, opened.hosts, opened.monitoring_tool],
      ["queue-depth", "The queue grows", "AWS/SQS", ["i-0123"], "Amazon CloudWatch"],
    );
    assert.equal(opened.started_at, "2026-05-01T10:00:00.000Z");
    assert.match((await receiptOf(first)).warnings[0], /signature .* is not checked/);
    await notify({ Message: JSON.stringify(alarm()) });
    await notify({
      Message: JSON.stringify(
        alarm({ NewStateValue: "OK", StateChangeTime: "2026-05-01T10:30:00.000+0000" }),
      ),
    });
    const resolved = await alertOf(opened.iid);
    assert.deepEqual(
      [resolved.status, resolved.ended_at, resolved.events],
      ["resolved", "2026-05-01T10:30:00.000Z", 1],
    );
  });

  test("an alarm that lacks data is unknown, and one delivered raw is read too (decision 0089)", async () => {
    const reply = await post(
      JSON.stringify(
        alarm({ NewStateValue: "INSUFFICIENT_DATA", AlarmArn: "arn:aws:cloudwatch:x:alarm:raw" }),
      ),
      { "content-type": "application/json" },
    );
    assert.equal((await alertIn(reply)).severity, "unknown");
  });

  test("a subscription is kept with the address to open, and nothing is fetched (reference alerts D26; decision 0089)", async () => {
    const link = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc";
    const asked = await notify({
      Type: "SubscriptionConfirmation",
      Message: "You have chosen to subscribe",
      Token: "abc",
      SubscribeURL: link,
    });
    assert.deepEqual([asked.status, asked.json], [200, []]);
    const receipt = await receiptOf(asked);
    assert.equal(receipt.decision, "nothing");
    assert.ok(receipt.warnings[0].endsWith(link));
    for (const SubscribeURL of [
      `${world.url}/`,
      "http://sns.eu-central-1.amazonaws.com/",
      "https://sns.eu-central-1.amazonaws.com.evil.example/",
      "https://user@evil.example/sns.eu-central-1.amazonaws.com",
      5,
    ]) {
      const { warnings } = await receiptOf(await notify({ Type: "SubscriptionConfirmation", SubscribeURL }));
      assert.match(warnings[0], /not Amazon's\. Do not open it\.$/);
    }
  });

  test("the same message delivered again counts once; plain text is shown as it is (decision 0089)", async () => {
    const message = {
      MessageId: "the-same",
      Subject: "Backup failed",
      Message: "Night of 1 May\nNo space left",
    };
    const first = await notify(message);
    await notify(message);
    const alert = await alertIn(first);
    assert.deepEqual(
      [alert.title, alert.description, alert.events],
      ["Backup failed", "Night of 1 May\nNo space left", 1],
    );
    await notify({ ...message, MessageId: "another" });
    assert.equal((await alertOf(alert.iid)).events, 2);
  });
});

describe("Amazon EventBridge through Amazon SNS", () => {
  test("an event in a notification is read as when EventBridge sends it itself, and its success ends its failure (decisions 0089, 0124)", async () => {
    const pipeline = (state: string, id: string) =>
      post(
        JSON.stringify({
          ...{ Type: "Notification", MessageId: id, TopicArn: "arn:aws:sns:eu-central-1:1:builds" },
          ...{ Subject: "AWS Notification Message", Timestamp: "2026-05-01T10:00:01.000Z" },
          Message: JSON.stringify({
            ...{ version: "0", id, "detail-type": "CodePipeline Pipeline Execution State Change" },
            ...{ source: "aws.codepipeline", account: "1", time: "2026-05-01T10:00:00Z" },
            ...{ region: "eu-central-1", resources: ["arn:aws:codepipeline:eu-central-1:1:rocket"] },
            detail: { pipeline: "rocket", state, "execution-id": id },
          }),
        }),
        { "content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification" },
      );
    const failed = await alertIn(await pipeline("FAILED", "e-1"));
    assert.deepEqual(
      [failed.title, failed.monitoring_tool, failed.service, failed.started_at],
      [
        "CodePipeline Pipeline Execution State Change",
        "Amazon EventBridge",
        "aws.codepipeline",
        "2026-05-01T10:00:00.000Z",
      ],
    );
    await pipeline("SUCCEEDED", "e-2");
    assert.equal((await alertOf(failed.iid)).status, "resolved");
  });

  test("what a tool tells through a topic beside its alerts opens nothing there either (decisions 0089, 0124)", async () => {
    const reply = await post(
      JSON.stringify({
        ...{ Type: "Notification", MessageId: "n-1", TopicArn: "arn:aws:sns:eu-central-1:1:nagios" },
        Message: JSON.stringify({ NOTIFICATIONTYPE: "DOWNTIMESTART", HOSTNAME: "db-1", HOSTSTATE: "UP" }),
      }),
      { "content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification" },
    );
    assert.deepEqual([reply.status, reply.json], [200, []]);
    const { decision, warnings } = await receiptOf(reply);
    assert.equal(decision, "nothing");
    assert.match(warnings.join(" "), /tells of something that is no alert: DOWNTIMESTART/);
  });
});

describe("Sentry", () => {
  const hook = (resource: string, body: unknown, id = `${Math.random()}`) =>
    post(JSON.stringify(body), {
      "content-type": "application/json",
      "sentry-hook-resource": resource,
      "sentry-hook-timestamp": "1777629600",
      "request-id": id,
    });
  const installation = { uuid: "24b3b8f2-0000-4000-8000-000000000000" };
  const actor = { type: "application", id: "sentry", name: "Sentry" };
  const issueAlert = {
    action: "triggered",
    installation,
    actor,
    data: {
      event: {
        event_id: "e4874d664c3540c1a32eab185f12c5ab",
        issue_id: "1170820242",
        issue_url: "https://sentry.example.org/api/0/issues/1170820242/",
        web_url: "https://sentry.example.org/organizations/acme/issues/1170820242/events/e487/",
        title: "ReferenceError: blooopy is not defined",
        culprit: "?(runner)",
        level: "fatal",
        platform: "javascript",
        project: 1,
        datetime: "2026-05-01T10:00:00.000000Z",
        environment: "production",
        tags: [
          ["environment", "production"],
          ["server_name", "web-3"],
        ],
      },
      triggered_rule: "Very important rule",
      issue_alert: { title: "Very important rule", settings: [] },
    },
  };

  test("an issue alert opens an alert that the resolved issue resolves (reference alerts E10; decision 0089)", async () => {
    const first = await hook("event_alert", issueAlert);
    assert.equal(first.status, 200);
    const opened = await alertIn(first);
    assert.deepEqual(
      [opened.title, opened.severity, opened.hosts, opened.monitoring_tool, opened.runbook],
      [
        "ReferenceError: blooopy is not defined",
        "critical",
        ["web-3"],
        "Sentry",
        "https://sentry.example.org/organizations/acme/issues/1170820242/events/e487/",
      ],
    );
    const issue = {
      id: "1170820242",
      title: "ReferenceError: blooopy is not defined",
      level: "error",
      project: { id: "1", name: "web", slug: "web" },
    };
    const assigned = await hook("issue", { action: "assigned", installation, actor, data: { issue } });
    assert.deepEqual(
      [assigned.json, (await receiptOf(assigned)).warnings],
      [[], ["Sentry's issue assigned is no alert."]],
    );
    await hook("issue", { action: "resolved", installation, actor, data: { issue } });
    assert.equal((await alertOf(opened.iid)).status, "resolved");
  });

  test("a metric alert changes its severity in one alert until it is resolved (decision 0089)", async () => {
    const metric = (action: string, more = {}) => ({
      action,
      installation,
      actor,
      data: {
        description_text: "1000 events in the last 10 minutes",
        description_title: "Resolved: Too many errors",
        web_url: "https://sentry.example.org/organizations/acme/alerts/rules/details/7/",
        metric_alert: {
          id: "7",
          title: "Too many errors",
          projects: ["web"],
          date_started: "2026-05-01T10:00:00Z",
          date_closed: null,
          alert_rule: { id: "3", name: "Too many errors", environment: null },
          ...more,
        },
      },
    });
    const opened = await alertIn(await hook("metric_alert", metric("warning")));
    assert.deepEqual([opened.severity, opened.service], ["low", "web"]);
    const critical = await alertIn(await hook("metric_alert", metric("critical")));
    assert.deepEqual([critical.iid, critical.events], [opened.iid, 2]);
    await hook("metric_alert", metric("resolved", { date_closed: "2026-05-01T11:00:00Z" }));
    const resolved = await alertOf(opened.iid);
    assert.deepEqual([resolved.status, resolved.ended_at], ["resolved", "2026-05-01T11:00:00.000Z"]);
  });

  test("a request that Sentry sends again counts once (decision 0089)", async () => {
    const body = {
      ...issueAlert,
      data: { ...issueAlert.data, event: { ...issueAlert.data.event, issue_id: "2" } },
    };
    const first = await hook("event_alert", body, "one");
    await hook("event_alert", body, "one");
    assert.equal((await alertIn(first)).events, 1);
  });
});

describe("Datadog", () => {
  const template = (more: Record<string, unknown> = {}) => ({
    alert_transition: "Triggered",
    alert_cycle_key: "6123456789",
    alert_title: "Disk on {host:db-1} is full",
    alert_priority: "P2",
    title: "[P2] [Triggered on {host:db-1}] Disk on {host:db-1} is full",
    body: "%%%\nThe disk is full.\n%%%",
    date: "1777629600000",
    hostname: "db-1",
    tags: "env:production,service:archive,host:db-1",
    link: "https://app.datadoghq.eu/monitors/1",
    ...more,
  });

  test("its template opens an alert, repeats count for nothing, and Recovered resolves it (reference alerts E10; decision 0089)", async () => {
    const first = await source.send(template());
    const opened = await alertIn(first);
    assert.deepEqual(
      [opened.title, opened.severity, opened.service, opened.hosts, opened.runbook, opened.started_at],
      [
        "Disk on {host:db-1} is full",
        "high",
        "archive",
        ["db-1"],
        "https://app.datadoghq.eu/monitors/1",
        "2026-05-01T10:00:00.000Z",
      ],
    );
    await source.send(template({ alert_transition: "Re-Triggered", date: "1777633200000" }));
    await source.send(template({ alert_transition: "Recovered", date: "1777636800000" }));
    const resolved = await alertOf(opened.iid);
    assert.deepEqual(
      [resolved.status, resolved.events, resolved.ended_at],
      ["resolved", 1, "2026-05-01T12:00:00.000Z"],
    );
  });

  test("the template that it comes with is read by its title; variables without a value are warned of (decision 0089)", async () => {
    const usual = (title: string) => ({
      body: "It is full",
      last_updated: "1777629600000",
      event_type: "query_alert_monitor",
      title,
      date: "1777629600000",
      org: { id: "1", name: "acme" },
      id: `${Math.random()}`,
      hostname: "$HOSTNAME",
    });
    const first = await source.send(usual("[Warn on {host:db-2}] Disk fills"));
    const opened = await alertIn(first);
    assert.deepEqual([opened.title, opened.severity, opened.hosts], ["Disk fills", "low", ["db-2"]]);
    assert.ok((await receiptOf(first)).warnings.includes("Without a value: hostname."));
    // Another host of the same monitor is another trouble, and its end is not this one's.
    const other = await alertIn(await source.send(usual("[P3] [Triggered on {host:db-3}] Disk fills")));
    assert.deepEqual([other.severity, other.hosts], ["medium", ["db-3"]]);
    await source.send(usual("[P3] [Recovered on {host:db-3}] Disk fills"));
    assert.deepEqual(
      [(await alertOf(opened.iid)).status, (await alertOf(other.iid)).status],
      ["triggered", "resolved"],
    );
    await source.send(usual("[Recovered on {host:db-2}] Disk fills"));
    assert.equal((await alertOf(opened.iid)).status, "resolved");
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

  test("each alert of a group is one, its changing values mean nothing, and it keeps its links (reference alerts A11)", async () => {
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

test("one broken member of a group or of a ruler's list does not take the others along (decision 0128)", async () => {
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

test("of a list each payload is judged by itself, and a wrong one is told by its place (reference alerts D17; decision 0089)", async () => {
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

test("a mapping goes before what a payload looks like (decision 0089)", async () => {
  const mapped = await aSource(world, "http", { name: "Mapped", mapping: { title: ["body"] } });
  const reply = await mapped.send({ alert_transition: "Recovered", title: "Not this", body: "But this" });
  assert.equal(reply.json[0].title, "But this");
});
