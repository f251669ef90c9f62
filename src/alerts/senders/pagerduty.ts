/** Events of PagerDuty's clients, by version 2 of its Events API and by the older generic API. */
import { entryOf } from "../../platform/entry-of.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { FieldProblem } from "../../platform/problem.ts";
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

const ACTIONS: Readonly<Record<string, AlertReport["action"]>> = {
  trigger: "firing",
  acknowledge: "acknowledgement",
  resolve: "recovery",
};
/** Clients that resend a whole group whenever it changes, so that a repeated event is no new occurrence. */
const REPEATERS = /alertmanager|grafana/i;

/**
 * Reads an event of version 2. An event without a dedup_key gets one that identical events share.
 * @throws FieldProblem invalid, by member
 */
export function readPagerDuty(value: unknown, userAgent: string | undefined): Reading {
  const event = eventOf(value);
  const faults: Record<string, string[]> = {};
  const action = entryOf(ACTIONS, textOf(ownValue(event, "event_action")) ?? "");
  if (!action) faults.event_action = ["must be one of trigger, acknowledge, resolve"];
  const details = objectIn(event, "payload");
  if (action === "firing") {
    if (!isObject(event.payload)) faults.payload = ["is missing or blank"];
    else if (ownValue(details, "summary") === undefined) faults["payload.summary"] = ["is missing or blank"];
  }
  const named = textOf(ownValue(event, "dedup_key"));
  if (named !== null && named.length > 255) faults.dedup_key = ["is too long (maximum is 255 characters)"];
  if (named === null && action && action !== "firing") faults.dedup_key = ["is missing or blank"];
  if (!action || Object.keys(faults).length > 0) throw new FieldProblem(faults);
  return readingOf({ event, action, details, named, userAgent });
}

/**
 * Reads an event of the older API, whose members are all at the top level.
 * @throws FieldProblem invalid, by member
 */
export function readPagerDutyGeneric(value: unknown, userAgent: string | undefined): Reading {
  const event = eventOf(value);
  const action = entryOf(ACTIONS, textOf(ownValue(event, "event_type")) ?? "");
  const named = textOf(ownValue(event, "incident_key"));
  const summary = ownValue(event, "description");
  const faults: Record<string, string[]> = {};
  if (!action) faults.event_type = ["must be one of trigger, acknowledge, resolve"];
  if (action === "firing" && summary === undefined) faults.description = ["is missing or blank"];
  if (action && action !== "firing" && named === null) faults.incident_key = ["is missing or blank"];
  if (!action || Object.keys(faults).length > 0) throw new FieldProblem(faults);
  const details = { ...objectIn(event, "details"), summary, custom_details: event.details };
  return readingOf({ event, action, details, named, userAgent });
}

/** Reads a change event, which is kept only as its receipt. @throws FieldProblem: not an object, or without a summary */
export function readPagerDutyChange(value: unknown): Reading {
  const summary = ownValue(objectIn(eventOf(value), "payload"), "summary");
  if (summary === undefined) throw new FieldProblem({ "payload.summary": ["is missing or blank"] });
  return {
    shape: "pagerduty",
    reports: [],
    warnings: ["A change event opens no alert; it is kept as this receipt."],
  };
}

function eventOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new FieldProblem({ event: ["is not a JSON object"] });
  return value;
}

interface Parts {
  event: JsonObject;
  action: AlertReport["action"];
  details: JsonObject;
  named: string | null;
  userAgent: string | undefined;
}

function readingOf({ event, action, details, named, userAgent }: Parts): Reading {
  const warnings: string[] = [];
  const warn: Warn = (text) => warnings.push(text);
  const identity = payloadFingerprint(event);
  const dedupKey = named ?? identity.hash.toString("hex");
  const given = givenFingerprint(dedupKey) ?? identity;
  const custom = objectIn(details, "custom_details");
  const at = reportedTime(ownValue(details, "timestamp")) ?? null;
  const [link] = Array.isArray(event.links) ? event.links : [];
  const report: AlertReport = {
    action,
    title: shortText("summary", ownValue(details, "summary"), LONGEST.title, warn) ?? UNTITLED,
    description: shortText(
      "description",
      ownValue(custom, "description", "firing") ?? onlyText(details.custom_details),
      LONGEST.description,
      warn,
    ),
    severity: severityWord(ownValue(details, "severity"), "critical", warn),
    saidSeverity: severityOfLabel(ownValue(details, "severity")),
    service: shortText(
      "component",
      ownValue(details, "component", "group", "service"),
      LONGEST.service,
      warn,
    ),
    monitoringTool: shortText("client", ownValue(event, "client"), LONGEST.tool, warn) ?? "PagerDuty event",
    hosts: hostList(withoutAddress(ownValue(details, "source", "host", "hostname")), warn),
    environmentName: textOf(ownValue(custom, "platform_environment_name", "environment")),
    runbookUrl: webAddress(ownValue(custom, "runbook", "runbook_url"), isObject(link) ? link.href : link),
    startedAt: action === "firing" ? at : null,
    endedAt: action === "recovery" ? at : null,
    // Without a dedup_key, identical events belong together if the project groups by payload.
    fingerprint: named === null ? { ...given, kind: "payload", shown: null } : given,
    counting: REPEATERS.test(userAgent ?? "") ? "once" : "each",
    customNames: Object.keys(custom),
    payload: event,
  };
  if (details.timestamp !== undefined && !at) warn("timestamp cannot be read as a time.");
  return { shape: "pagerduty", reports: [report], warnings, dedupKey };
}

/** Removes the address that Zabbix writes behind a host's name: `web-1 : 10.0.0.7`. */
function withoutAddress(host: unknown): unknown {
  return typeof host === "string" ? host.replace(/ : [\d.a-f:]{2,45}$/i, "") : host;
}

function onlyText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
