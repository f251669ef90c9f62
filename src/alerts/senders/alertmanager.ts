/** Webhooks of Alertmanager (version 4) and of Grafana's unified alerting (version 1): groups of labelled alerts. */
import { cutText } from "../../platform/cut-text.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import { labelFingerprint } from "../fingerprint.ts";
import type { AlertReport, Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { severityOfLabel } from "../severity.ts";
import { labelHash } from "./label-hash.ts";
import {
  hostList,
  LONGEST,
  objectIn,
  ownValue,
  severityWord,
  shortText,
  textOf,
  UNTITLED,
  type Warn,
} from "./member.ts";
import { ENVIRONMENT_NAMES } from "./specified.ts";

/** The members that every group has. */
const KEYS = [
  "version",
  "groupKey",
  "status",
  "receiver",
  "groupLabels",
  "commonLabels",
  "commonAnnotations",
  "externalURL",
  "alerts",
];
const MAX_ALERTS = 10_000;
const MAX_SHARED = 1000;

/** Returns whose group a body is, whatever endpoint received it: it has all nine members, and version 4 or Grafana's 1. */
export function groupShape(value: unknown): "alertmanager" | "grafana" | undefined {
  if (!isObject(value)) return undefined;
  if (!KEYS.every((key) => Object.hasOwn(value, key))) return undefined;
  if (!Array.isArray(value.alerts)) return undefined;
  if (value.version === "4") return "alertmanager";
  return value.version === "1" ? "grafana" : undefined;
}

/**
 * Reads the alerts of a group; those that are not objects are skipped with a warning (decision 0128).
 * @throws Problem invalid: none of them is an object; too_large: more than 10,000
 */
export function readGroup(group: JsonObject, shape: "alertmanager" | "grafana"): Reading {
  const alerts = group.alerts as unknown[];
  if (alerts.length > MAX_ALERTS) {
    throw new Problem("too_large", `More than ${MAX_ALERTS} alerts in one request.`);
  }
  const warnings = new Set<string>();
  const truncated = Number(textOf(group.truncatedAlerts) ?? 0);
  if (truncated > 0) warnings.add(`The sender left out ${truncated} alerts of this group (truncatedAlerts).`);
  const readable = alerts.filter(isObject);
  if (readable.length < alerts.length) {
    if (readable.length === 0) throw new Problem("invalid", "Each of alerts is a JSON object.");
    warnings.add(`${alerts.length - readable.length} of alerts are no JSON objects; they were left out.`);
  }
  const shared = { receiver: shortened(group.receiver), externalURL: shortened(group.externalURL) };
  const reports = readable.map((alert) =>
    readLabelled(alert, (text) => warnings.add(text), {
      recovery: (alert.status ?? group.status) === "resolved",
      tool: shape === "grafana" ? "Grafana" : "Prometheus",
      payload: { ...alert, ...shared },
    }),
  );
  return { shape, reports, warnings: [...warnings] };
}

/** Shortens a value that is copied into every alert of a group, since there may be 10,000; objects and lists are dropped. */
export function shortened(value: unknown): unknown {
  if (typeof value === "string") return cutText(value, MAX_SHARED);
  return typeof value === "object" ? undefined : value;
}

/** Reads an alert with labels and annotations; its fingerprint is the tool's hash of the labels, or that hash computed here. */
export function readLabelled(
  alert: JsonObject,
  warn: Warn,
  { recovery, tool, payload }: { recovery: boolean; tool: string; payload: JsonObject },
): AlertReport {
  const labels = objectIn(alert, "labels");
  const annotations = objectIn(alert, "annotations");
  const title = ownValue(annotations, "title", "summary") ?? ownValue(labels, "alertname");
  if (title === undefined) warn(`An alert has no title, summary or alertname; it is called ${UNTITLED}.`);
  const startedAt = reportedTime(alert.startsAt) ?? null;
  if (!startedAt) warn("An alert has no startsAt that can be read; the time of receipt is used.");
  const environment = ownValue(labels, ...ENVIRONMENT_NAMES);
  const runbook = ownValue(annotations, "runbook", "runbook_url");
  return {
    action: recovery ? "recovery" : "firing",
    title: shortText("title", title, LONGEST.title, warn) ?? UNTITLED,
    description: shortText(
      "description",
      ownValue(annotations, "description", "message"),
      LONGEST.description,
      warn,
    ),
    severity: severityWord(ownValue(labels, "severity"), "critical", warn, "A severity label"),
    saidSeverity: severityOfLabel(ownValue(labels, "severity")),
    service: shortText("service", ownValue(labels, "service", "job", "app"), LONGEST.service, warn),
    monitoringTool: tool,
    hosts: hostList(ownValue(labels, "instance", "host", "node", "pod"), warn),
    environmentName: textOf(environment),
    runbookUrl: runbook === undefined ? null : cutText(textOf(runbook) ?? "", LONGEST.link),
    startedAt,
    endedAt: recovery ? (reportedTime(alert.endsAt) ?? null) : null,
    fingerprint: labelFingerprint(hashOf(alert.fingerprint, labels), labels),
    counting: "starts",
    customNames: [],
    payload,
  };
}

/** Returns the tool's hash of the labels, or computes it if the tool sends none; undefined if a label is not text. */
function hashOf(given: unknown, labels: JsonObject): unknown {
  if (typeof given === "string" && given !== "") return given;
  return Object.keys(labels).length > 0 ? labelHash(labels) : undefined;
}
