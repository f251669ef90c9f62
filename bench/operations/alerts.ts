/** Receiving alerts, each committed before its response: distinct ones and repeated ones, compared with bare inserts. */
import type { Shape, Varied } from "../load-plan.ts";
import { CONNECTIONS, MANY_CONNECTIONS, type Operation } from "../operation.ts";
import { AUTHORS, integrationIdentifier, LISTED_PROJECT, projectPath, SECRETS } from "../seeded.ts";

/** Numbers that no two measurements share, so that every distinct alert is new. */
const distinct: Varied = { kind: "sequence", from: 1, to: Number.MAX_SAFE_INTEGER };

function payload(number: string): string {
  return JSON.stringify({
    title: `Disk of shard ${number} is nearly full`,
    description: "Less than five percent of the volume is free, and it shrinks by one percent in an hour.",
    service: "storage",
    monitoring_tool: "bench",
    severity: "high",
    hosts: [`shard-${number}.example.org`],
    fingerprint: `disk-${number}`,
  });
}

/** A post of the generic shape to one of the seeded integrations. */
export function alert(integration: number, number: string): Shape {
  return {
    method: "POST",
    path: `/${projectPath(integration)}/alerts/notify/bench-${integration}/${integrationIdentifier(integration)}.json`,
    headers: {
      authorization: `Bearer ${SECRETS.integration}${integration}`,
      "content-type": "application/json",
    },
    body: payload(number),
    ...(number === "{n}" ? { varied: { n: distinct } } : {}),
    expect: 200,
  };
}

function bareInsert(path: string): Shape {
  return {
    method: "POST",
    path,
    headers: { "content-type": "application/json" },
    body: payload("{n}"),
    varied: { n: distinct },
    expect: 200,
  };
}

/** A post by Prometheus: one alert, identified by its labels. */
function toAlertmanager(number: string): Shape {
  const labels = { alertname: "DiskNearlyFull", severity: "high", instance: `shard-${number}.example.org` };
  const annotations = { summary: `Disk of shard ${number} is nearly full` };
  return {
    method: "POST",
    path: "/api/v2/alerts",
    headers: { "content-type": "application/json" },
    body: JSON.stringify([{ labels, annotations }]),
    ...(number === "{n}" ? { varied: { n: distinct } } : {}),
    expect: 200,
  };
}

/** A list of the project with seeded alerts; one connection, since the latency for one person matters. */
function listed(id: string, title: string, query: string): Operation {
  return {
    id,
    title,
    group: "alerts",
    server: "service",
    connections: 1,
    shape: {
      method: "GET",
      path: `/api/v4/projects/${LISTED_PROJECT}/alert_management_alerts${query}`,
      headers: { authorization: `Bearer ${SECRETS.reader}{n}` },
      varied: { n: { kind: "random", from: 1, to: AUTHORS } },
      expect: 200,
    },
  };
}

export function alertOperations(): Operation[] {
  const shared = { group: "alerts", connections: CONNECTIONS } as const;
  const service = { ...shared, server: "service", check: isAlertReply } as const;
  const bare = { ...shared, server: "bare/inserts" } as const;
  const alertmanager = { ...shared, server: "peers/alertmanager" } as const;
  const many = { connections: MANY_CONNECTIONS };
  return [
    { ...bare, id: "bare-insert", title: "bare durable insert", shape: bareInsert("/single") },
    {
      ...bare,
      id: "bare-insert-coalesced",
      title: "bare insert, put together",
      shape: bareInsert("/coalesced"),
    },
    { ...bare, id: "bare-upsert", title: "bare upsert of one row", shape: bareInsert("/upsert") },
    {
      ...alertmanager,
      id: "peer-alertmanager",
      title: "Alertmanager, distinct",
      shape: toAlertmanager("{n}"),
    },
    {
      ...alertmanager,
      id: "peer-alertmanager-same",
      title: "Alertmanager, the same",
      shape: toAlertmanager("0"),
    },
    { ...service, id: "alert", title: "POST alert, distinct, with incident", shape: alert(1, "{n}") },
    { ...service, id: "alert-plain", title: "POST alert, distinct, no incident", shape: alert(3, "{n}") },
    { ...service, id: "alert-same", title: "POST alert, the same again", shape: alert(2, "0") },
    { ...bare, ...many, id: "bare-insert-64", title: "bare durable insert", shape: bareInsert("/single") },
    {
      ...bare,
      ...many,
      id: "bare-insert-coalesced-64",
      title: "bare insert, put together",
      shape: bareInsert("/coalesced"),
    },
    {
      ...alertmanager,
      ...many,
      id: "peer-alertmanager-64",
      title: "Alertmanager, distinct",
      shape: toAlertmanager("{n}"),
    },
    {
      ...service,
      ...many,
      id: "alert-64",
      title: "POST alert, distinct, with incident",
      shape: alert(1, "{n}"),
    },
    {
      ...service,
      ...many,
      id: "alert-plain-64",
      title: "POST alert, distinct, no incident",
      shape: alert(3, "{n}"),
    },
    listed("alerts-list", "first page of the alerts", ""),
    listed("alerts-open", "… that are open", "?status=triggered,acknowledged"),
    listed(
      "alerts-severity",
      "… critical and open, by count",
      "?status=triggered&severity=critical&sort=event_count_desc",
    ),
    listed("alerts-counts", "counts of the tabs", "/counts"),
  ];
}

function isAlertReply(answer: unknown): string | undefined {
  const [first] = Array.isArray(answer) ? answer : [];
  return Number.isInteger(first?.iid) ? undefined : "the answer names no alert";
}
