/** Webhooks of Sentry: issue alerts, metric alerts, errors and changes of issues. */
import { entryOf } from "../../platform/entry-of.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import type { AlertReport, Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { severityOfLabel } from "../severity.ts";
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
  webAddress,
} from "./member.ts";

type Headers = Readonly<Record<string, string>>;

/** The changes of an issue that are read, and their actions here. */
const ISSUE_ACTIONS: Readonly<Record<string, AlertReport["action"]>> = {
  created: "firing",
  unresolved: "firing",
  resolved: "recovery",
};

/** Reads a webhook of Sentry; undefined for other payloads. */
export function readSentry(value: unknown, headers: Headers): Reading | undefined {
  if (!isObject(value) || !isObject(value.data) || typeof value.action !== "string") return undefined;
  const { data, action } = value;
  const isNamed = headers["sentry-hook-resource"] !== undefined;
  if (!isNamed && typeof objectIn(value, "installation").uuid !== "string") return undefined;
  const warnings: string[] = [];
  const warn: Warn = (text) => warnings.push(text);
  const report = isObject(data.metric_alert)
    ? metricAlert(value, data, data.metric_alert, action, warn)
    : issueAlert(value, data, action, warn);
  if (!report) warn(`Sentry's ${headers["sentry-hook-resource"] ?? "webhook"} ${action} is no alert.`);
  const id = headers["request-id"];
  return { shape: "sentry", reports: report ? [report] : [], warnings, ...(id ? { messageId: id } : {}) };
}

/** Reads an issue alert, an error or a change of an issue; all of one issue have the same fingerprint. */
function issueAlert(
  payload: JsonObject,
  data: JsonObject,
  action: string,
  warn: Warn,
): AlertReport | undefined {
  const isIssue = isObject(data.issue);
  const about = [data.event, data.issue, data.error].find(isObject);
  const effect = isIssue ? entryOf(ISSUE_ACTIONS, action) : "firing";
  if (!about || !effect) return undefined;
  const issueId = isIssue ? about.id : about.issue_id;
  const project = isObject(about.project)
    ? ownValue(about.project, "slug", "name")
    : ownValue(about, "project_slug", "culprit");
  const at = reportedTime(ownValue(about, "datetime", isIssue ? "firstSeen" : "timestamp")) ?? null;
  return {
    ...shared(payload),
    action: effect,
    title: shortText("title", ownValue(about, "title", "message"), LONGEST.title, warn) ?? UNTITLED,
    description: shortText(
      "description",
      ownValue(about, "culprit") ?? ownValue(data, "triggered_rule"),
      LONGEST.description,
      warn,
    ),
    severity: severityWord(ownValue(about, "level"), "critical", warn, "level"),
    saidSeverity: severityOfLabel(ownValue(about, "level")),
    service: shortText("project", project, LONGEST.service, warn),
    hosts: hostList(ownValue(about, "server_name") ?? tagOf(about, "server_name"), warn),
    environmentName: textOf(ownValue(about, "environment") ?? tagOf(about, "environment")),
    runbookUrl: webAddress(about.web_url, about.permalink, about.issue_url, about.url),
    startedAt: effect === "firing" && !isIssue ? at : null,
    endedAt: null,
    fingerprint: givenFingerprint(issueId && ["sentry issue", issueId]) ?? payloadFingerprint(about),
  };
}

function metricAlert(
  payload: JsonObject,
  data: JsonObject,
  metric: JsonObject,
  action: string,
  warn: Warn,
): AlertReport {
  const rule = objectIn(metric, "alert_rule");
  const isOver = action === "resolved";
  const [project] = Array.isArray(metric.projects) ? metric.projects : [];
  return {
    ...shared(payload),
    action: isOver ? "recovery" : "firing",
    title:
      shortText(
        "title",
        ownValue(data, "description_title") ?? metric.title ?? rule.name,
        LONGEST.title,
        warn,
      ) ?? UNTITLED,
    description: shortText("description", ownValue(data, "description_text"), LONGEST.description, warn),
    severity: severityWord(isOver ? undefined : action, "critical", warn, "action"),
    saidSeverity: severityOfLabel(action),
    service: shortText("project", project, LONGEST.service, warn),
    hosts: [],
    environmentName: textOf(ownValue(rule, "environment")),
    runbookUrl: webAddress(data.web_url),
    startedAt: isOver ? null : (reportedTime(metric.date_started) ?? null),
    endedAt: isOver ? (reportedTime(metric.date_closed) ?? null) : null,
    fingerprint:
      givenFingerprint(metric.id && ["sentry metric alert", metric.id]) ?? payloadFingerprint(metric),
  };
}

function shared(payload: JsonObject) {
  return { monitoringTool: "Sentry", counting: "each" as const, customNames: [], payload };
}

/** Returns the value of a tag; tags are pairs of name and value. */
function tagOf(event: JsonObject, name: string): unknown {
  const tags = Array.isArray(event.tags) ? event.tags : [];
  return tags.find((tag) => Array.isArray(tag) && tag[0] === name)?.[1];
}
