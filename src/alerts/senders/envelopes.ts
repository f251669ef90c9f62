/**
 * Objects that wrap several alerts: groups like Alertmanager's, Redfish events, PagerDuty messages, Security Hub findings,
 * OpenSearch buckets, Moira's events, HertzBeat's groups, Fleet's hosts and others.
 */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import { jsonWithin } from "../payload.ts";
import type { Reading } from "../report.ts";
import { readLabelled, shortened } from "./alertmanager.ts";
import { ownValue, textOf } from "./member.ts";
import { isOwn, isSpecified } from "./specified.ts";

const MAX_ALERTS = 10_000;
/** The most hosts of a message that are alerts of their own: as many as a list may hold payloads. */
const MAX_HOSTS = 1000;
/** The most characters of a message that are read. */
const MAX_TEXT = 20_000;

const LIKE_GROUP =
  "It is not in the format of Alertmanager or Grafana, but similar: each of its alerts was read by its labels.";

interface Listed {
  /** The member that holds the list. */
  name: string;
  /** Members that every item of the list has. */
  has: readonly string[];
  /** Members of the object that are copied, shortened, into each item. */
  shares: readonly string[];
  /** A member that the object must have. */
  beside?: string;
}

const LISTS: readonly Listed[] = [
  { name: "Events", has: ["MessageId"], shares: ["Context"] },
  { name: "records", has: ["severity", "source"], shares: [] },
  { name: "messages", has: ["event", "incident"], shares: [] },
  { name: "events", has: ["org_id", "type"], shares: ["topic"] },
  {
    name: "alerts",
    has: ["id", "level", "resourceName"],
    shares: ["source", "event", "timestamp", "resolvedAt", "dashboard"],
  },
  { name: "events", has: ["entity_name", "component", "event"], shares: [] },
  { name: "alerts", has: ["status"], shares: ["app_key"], beside: "app_key" },
];

/** Returns the alerts in a wrapping object, each with the shortened members that all share; any other value alone in a list. */
export function unwrapped(value: unknown): unknown[] {
  if (!isObject(value)) return [value];
  const beats = hertzBeatAlertsIn(value);
  if (beats) return beats;
  if (isOwn(value)) return [value];
  const opened = withPayloadRead(value);
  if (opened) return [opened];
  const several =
    findingsIn(value) ??
    bucketsIn(value) ??
    triggerEventsIn(value) ??
    nasAlertsIn(value) ??
    fleetHostsIn(value);
  if (several) return several;
  const found = LISTS.find(({ name, has, beside }) => {
    const list = Object.hasOwn(value, name) ? value[name] : undefined;
    return (
      (beside === undefined || Object.hasOwn(value, beside)) &&
      Array.isArray(list) &&
      list.length > 0 &&
      list.every((item) => isObject(item) && has.every((one) => Object.hasOwn(item, one)))
    );
  });
  if (!found) return [value];
  const present = found.shares.filter((name) => Object.hasOwn(value, name));
  const shared = Object.fromEntries(present.map((name) => [name, shortened(value[name])]));
  return (value[found.name] as JsonObject[]).map((item) => ({ ...shared, ...item }));
}

/**
 * Splits a group of HertzBeat, whose template has the same title for every group, into its alerts, each with its status. By its
 * template only the group has one, and that is firing as long as one alert fires. Those that have ended, which are sent only this
 * once, are those with an `endAt`: whatever its time is, since it is a local time without its zone.
 */
function hertzBeatAlertsIn(value: JsonObject): JsonObject[] | undefined {
  const { title, status, alerts } = value;
  if (typeof title !== "string" || !title.includes("HertzBeat Alert") || !Array.isArray(alerts)) {
    return undefined;
  }
  if (typeof status !== "string" || isSpecified(value, ["title"])) return undefined;
  const has = ["triggerTimes", "startAt"];
  const isAlert = (alert: unknown): alert is JsonObject =>
    isObject(alert) && isObject(alert.labels) && has.every((name) => Object.hasOwn(alert, name));
  if (alerts.length === 0 || !alerts.every(isAlert)) return undefined;
  const hasEnded = (alert: JsonObject) => !["", "0"].includes(textOf(alert.endAt)?.trim() ?? "");
  // If all have one, it does not tell which of them fires.
  const isMixed = !alerts.every(hasEnded);
  const statusOf = (alert: JsonObject) =>
    textOf(alert.status)?.trim() || (isMixed && hasEnded(alert) ? "resolved" : status);
  return alerts.map((alert) => ({ ...alert, groupStatus: statusOf(alert) }));
}

/** Returns a webhook of Twilio's debugger with the JSON in its `Payload` as an object. */
function withPayloadRead(value: JsonObject): JsonObject | undefined {
  const { AccountSid, PayloadType, Payload } = value;
  const type = textOf(PayloadType)?.split(";", 1)[0]?.trim().toLowerCase();
  if (typeof AccountSid !== "string" || type !== "application/json" || typeof Payload !== "string") {
    return undefined;
  }
  const read = jsonWithin(Payload);
  return read && isObject(read.value) ? { ...value, Payload: read.value } : undefined;
}

/** Splits an Amazon EventBridge event with several findings, such as a custom action of Security Hub sends. */
function findingsIn(event: JsonObject): JsonObject[] | undefined {
  const { detail } = event;
  const findings = isObject(detail) ? detail.findings : undefined;
  if (!isObject(detail) || !Array.isArray(findings) || findings.length < 2) return undefined;
  if (!Object.hasOwn(event, "detail-type") || !findings.every(isObject)) return undefined;
  const around = sharedPart(event);
  const said = sharedPart(detail);
  return findings.map((finding) => ({ ...around, detail: { ...said, findings: [finding] } }));
}

/** The lists of alerts of an OpenSearch bucket-level monitor, and the member names used here for one item of each. */
const BUCKET_LISTS = [
  ["newAlerts", "newAlert"],
  ["dedupedAlerts", "dedupedAlert"],
  ["completedAlerts", "completedAlert"],
] as const;

/** Splits a run of an OpenSearch bucket-level monitor into its new, ongoing and completed alerts. */
function bucketsIn(value: JsonObject): JsonObject[] | undefined {
  const context = isObject(value.ctx) ? value.ctx : value;
  const { monitor, trigger, periodStart, periodEnd } = context;
  if (!isObject(monitor) || !isObject(trigger)) return undefined;
  const around = { monitor: sharedPart(monitor), trigger: sharedPart(trigger) };
  const times = sharedPart({ periodStart, periodEnd });
  const found = BUCKET_LISTS.flatMap(([list, name]) => {
    const alerts = Object.hasOwn(context, list) ? context[list] : undefined;
    return Array.isArray(alerts)
      ? alerts.filter(isObject).map((alert) => ({ ...around, ...times, [name]: alert }))
      : [];
  });
  return found.length > 0 ? found : undefined;
}

/** Splits a message of Moira into its events, each about one metric of the trigger. */
function triggerEventsIn({ trigger, events }: JsonObject): JsonObject[] | undefined {
  if (!isObject(trigger) || !Array.isArray(events) || events.length === 0) return undefined;
  const has = ["metric", "state", "old_state"];
  const isMoira = events.every((event) => isObject(event) && has.every((name) => Object.hasOwn(event, name)));
  return isMoira ? events.map((event) => ({ trigger: sharedPart(trigger), event })) : undefined;
}

/** What a message of Fleet says of a policy or a vulnerability that is copied into the message of each host. */
const FLEET_SHARED = [
  "id",
  "name",
  "description",
  "critical",
  "resolution",
  "cve",
  "details_link",
  "cvss_score",
];

/** Splits a message of Fleet about a policy or a vulnerability into one for each host. */
function fleetHostsIn({ timestamp, policy, hosts, vulnerability }: JsonObject): JsonObject[] | undefined {
  const about = policy ?? vulnerability;
  if (timestamp === undefined || !isObject(about)) return undefined;
  const list = isObject(policy) ? hosts : about.hosts_affected;
  const isHost = (one: unknown) =>
    isObject(one) && ["id", "hostname"].every((name) => Object.hasOwn(one, name));
  if (!Array.isArray(list) || list.length < 2 || list.length > MAX_HOSTS || !list.every(isHost))
    return undefined;
  const present = FLEET_SHARED.filter((name) => Object.hasOwn(about, name));
  const shared = Object.fromEntries(present.map((name) => [name, shortened(about[name])]));
  const at = shortened(timestamp);
  return list.map((host) =>
    isObject(policy)
      ? { timestamp: at, policy: shared, hosts: [host] }
      : { timestamp: at, vulnerability: { ...shared, hosts_affected: [host] } },
  );
}

const NAS = /^(?:True|Free)NAS(?: \w{1,20})? @ \S{1,253}(?=\s*\n)/;
/** The lines above TrueNAS's new and cleared alerts; alerts under any other heading, such as those still open, are skipped. */
const NAS_NEW = /^new alerts?:$/i;
const NAS_OVER = /^(?:the following|these) alerts? (?:has|have) been cleared:$/i;

/** Splits a chat message of TrueNAS into a message for each new or cleared alert, whose text may span several lines. */
function nasAlertsIn(value: JsonObject): JsonObject[] | undefined {
  const { text } = value;
  const prefix = typeof text === "string" ? NAS.exec(text)?.[0] : undefined;
  if (typeof text !== "string" || prefix === undefined) return undefined;
  const alerts: string[] = [];
  let part = "";
  let isOpen = false;
  for (const line of text
    .slice(prefix.length, MAX_TEXT)
    .split("\n")
    .map((one) => one.trim())) {
    const item = /^[*-] +(\S.*)$/.exec(line)?.[1];
    if (line.endsWith(":") && item === undefined) {
      part = NAS_NEW.test(line) ? "New alert" : NAS_OVER.test(line) ? "Cleared alert" : "";
    } else if (item !== undefined && part) alerts.push(`${prefix}: ${part}: ${item}`);
    else if (line !== "" && isOpen && part) alerts.push(`${alerts.pop()} ${line}`);
    isOpen = item !== undefined || (isOpen && line !== "");
  }
  return alerts.length > 0 ? alerts.map((one) => ({ ...value, text: one })) : undefined;
}

/** Picks the short text members of an object that is copied into up to 10,000 alerts. */
function sharedPart(members: JsonObject): JsonObject {
  const names = [
    "version",
    "id",
    "detail-type",
    "source",
    "account",
    "time",
    "region",
    "actionName",
    "actionDescription",
    "_id",
    "name",
    "description",
    "severity",
    "periodStart",
    "periodEnd",
  ];
  const present = names.filter((name) => typeof members[name] === "string");
  return Object.fromEntries(present.map((name) => [name, shortened(members[name])]));
}

/** Returns a single Alertmanager alert, at the top level or in `alert`; its `fingerprint` is Alertmanager's hash, not ours. */
function singleAlertIn(value: JsonObject): JsonObject | undefined {
  const alert = isObject(value.alert) ? value.alert : value;
  const { fingerprint: _hash, ...rest } = alert;
  if (isOwn(rest) || (alert !== value && isOwn(value))) return undefined;
  const isNamed = isObject(alert.labels) && ownValue(alert.labels, "alertname") !== undefined;
  return isNamed && /^(firing|resolved)$/i.test(textOf(alert.status) ?? "") ? alert : undefined;
}

/**
 * Reads the labelled alerts of a program that imitates Alertmanager without all of its members; an alert without a status has
 * the group's. Undefined for other payloads.
 * @throws Problem too_large: more than 10,000
 */
export function readLikeGroup(value: unknown): Reading | undefined {
  if (!isObject(value)) return undefined;
  const alone = singleAlertIn(value);
  if (alone) return readLikeGroup({ alerts: [alone] });
  if (isOwn(value) || !Array.isArray(value.alerts)) return undefined;
  const { alerts, status, receiver } = value;
  const isLabelled = (alert: unknown): alert is JsonObject => isObject(alert) && isObject(alert.labels);
  if (alerts.length === 0 || !alerts.every(isLabelled)) return undefined;
  if (alerts.length > MAX_ALERTS) {
    throw new Problem("too_large", `More than ${MAX_ALERTS} alerts in one request.`);
  }
  const warnings = new Set([LIKE_GROUP]);
  const reports = alerts.map((alert) => {
    const recovery = /^resolved$/i.test(textOf(alert.status ?? status) ?? "");
    const payload = typeof receiver === "string" ? { ...alert, receiver: shortened(receiver) } : alert;
    const warn = (text: string) => warnings.add(text);
    const read = readLabelled(alert, warn, { recovery, tool: "Prometheus", payload });
    return { ...read, readAs: "Alertmanager" };
  });
  return { shape: "generic", reports, warnings: [...warnings] };
}
