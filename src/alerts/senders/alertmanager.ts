/** What Alertmanager (version 4) and Grafana's unified alerting (version 1) send: groups of labelled alerts. */
import { Problem } from "../../platform/problem.ts";
import { labelFingerprint } from "../fingerprint.ts";
import type { AlertReport, Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { severityOfLabel } from "../severity.ts";
import { UNTITLED } from "./generic.ts";
import { hostList, shortText, textOf, type Warn } from "./member.ts";

const KEYS = ["version", "groupKey", "status", "receiver", "groupLabels", "commonLabels"];
const MORE_KEYS = ["commonAnnotations", "externalURL", "alerts"];
const MAX_ALERTS = 10_000;
type Members = Readonly<Record<string, unknown>>;

/** Whether a body has the shape, whatever the address it came to: all nine members, and version 4 or Grafana's 1. */
export function groupShape(value: unknown): "alertmanager" | "grafana" | undefined {
  if (!isObject(value)) return undefined;
  if (![...KEYS, ...MORE_KEYS].every((key) => Object.hasOwn(value, key))) return undefined;
  if (!Array.isArray(value.alerts)) return undefined;
  if (value.version === "4") return "alertmanager";
  return value.version === "1" ? "grafana" : undefined;
}

/** @throws Problem invalid: an alert that is no object; too_large: more than 10,000 of them */
export function readGroup(group: Members, shape: "alertmanager" | "grafana"): Reading {
  const alerts = group.alerts as unknown[];
  if (alerts.length > MAX_ALERTS) {
    throw new Problem("too_large", `More than ${MAX_ALERTS} alerts in one request.`);
  }
  const warnings = new Set<string>();
  const truncated = Number(group.truncatedAlerts);
  if (truncated > 0) warnings.add(`The sender left out ${truncated} alerts of this group (truncatedAlerts).`);
  const reports = alerts.map((alert) => {
    if (!isObject(alert)) throw new Problem("invalid", "Each of alerts is a JSON object.");
    return readOne(alert, group, shape, (text) => warnings.add(text));
  });
  return { shape, reports, warnings: [...warnings] };
}

function readOne(alert: Members, group: Members, shape: Reading["shape"], warn: Warn): AlertReport {
  const labels = isObject(alert.labels) ? alert.labels : {};
  const annotations = isObject(alert.annotations) ? alert.annotations : {};
  const own = (from: Members, ...names: string[]): unknown =>
    names
      .map((name) => (Object.hasOwn(from, name) ? from[name] : undefined))
      .find((value) => textOf(value)?.trim());
  const title = own(annotations, "title", "summary") ?? own(labels, "alertname");
  if (title === undefined) warn(`An alert has no title, summary or alertname; it is called ${UNTITLED}.`);
  const recovery = alert.status === "resolved";
  const startedAt = reportedTime(alert.startsAt) ?? null;
  if (!startedAt) warn("An alert has no startsAt that can be read; the time of receipt is used.");
  const environment = own(labels, "platform_environment_name", "gitlab_environment_name", "environment");
  const runbook = own(annotations, "runbook", "runbook_url");
  return {
    action: recovery ? "recovery" : "firing",
    title: shortText("title", title, 200, warn) ?? UNTITLED,
    description: shortText("description", own(annotations, "description"), 1000, warn),
    severity: severityIn(own(labels, "severity"), warn),
    service: shortText("service", own(labels, "service", "job", "app"), 100, warn),
    monitoringTool: shape === "grafana" ? "Grafana" : "Prometheus",
    hosts: hostList(own(labels, "instance", "host", "node", "pod"), warn),
    environmentName: textOf(environment),
    runbookUrl: textOf(runbook)?.slice(0, 2000) ?? null,
    startedAt,
    endedAt: recovery ? (reportedTime(alert.endsAt) ?? null) : null,
    fingerprint: labelFingerprint(alert.fingerprint, labels),
    counting: "starts",
    customNames: [],
    payload: { ...alert, receiver: group.receiver, externalURL: group.externalURL },
  };
}

function severityIn(value: unknown, warn: Warn): AlertReport["severity"] {
  if (value === undefined) return "critical";
  const known = severityOfLabel(value);
  if (!known) warn("A severity label holds a word that is not known; critical is used.");
  return known ?? "critical";
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
