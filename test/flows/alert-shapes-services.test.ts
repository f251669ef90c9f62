/** Webhooks of Sentry and Datadog. */
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

describe("Sentry", () => {
  const hook = (resource: string, body: unknown, id = `${Math.random()}`) =>
    source.sendBytes(JSON.stringify(body), {
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

  test("an issue alert opens an alert, and resolving the issue resolves it (reference alerts E10; decision 0089)", async () => {
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

  test("a metric alert's changes of severity count on one alert until it is resolved (decision 0089)", async () => {
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

  test("a redelivered request with the same id counts once (decision 0089)", async () => {
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

  test("the recommended template opens an alert, Re-Triggered is not counted, and Recovered resolves it (reference alerts E10; decision 0089)", async () => {
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

  test("Datadog's default template is read by its title, with a warning about variables without a value (decision 0089)", async () => {
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
    // Another host of the same monitor is a separate alert and resolves separately.
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
