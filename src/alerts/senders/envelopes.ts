/** Several alerts in one object that is no list: groups like Alertmanager's, events of Redfish, messages of PagerDuty, findings of Security Hub, buckets of OpenSearch and others. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import type { Reading } from "../report.ts";
import { briefly, readLabelled } from "./alertmanager.ts";
import { ownValue, textOf } from "./member.ts";
import { isOwn } from "./specified.ts";

const MAX_ALERTS = 10_000;
/** So much of a message is read. */
const MAX_TEXT = 20_000;

const LIKE_GROUP =
  "It is not what Alertmanager or Grafana send, but like it: each of its alerts was read by its labels.";

interface Listed {
  /** Under which name such an object has a list. */
  name: string;
  /** What each of its members has. */
  has: readonly string[];
  /** What is read of the object for each of them: no more than ten thousand of them can bear. */
  shares: readonly string[];
}

const LISTS: readonly Listed[] = [
  { name: "Events", has: ["MessageId"], shares: ["Context"] },
  { name: "records", has: ["severity", "source"], shares: [] },
  { name: "messages", has: ["event", "incident"], shares: [] },
  { name: "events", has: ["org_id", "type"], shares: ["topic"] },
  { name: "events", has: ["entity_name", "component", "event"], shares: [] },
];

/** The payloads of a list in such an object, each with what the object says of all in short; the object itself where it has none. */
export function unwrapped(value: unknown): unknown[] {
  if (!isObject(value) || isOwn(value)) return [value];
  const several = findingsIn(value) ?? bucketsIn(value) ?? linesIn(value);
  if (several) return several;
  const found = LISTS.find(({ name, has }) => {
    const list = Object.hasOwn(value, name) ? value[name] : undefined;
    return (
      Array.isArray(list) &&
      list.length > 0 &&
      list.every((item) => isObject(item) && has.every((one) => Object.hasOwn(item, one)))
    );
  });
  if (!found) return [value];
  const said = found.shares.filter((name) => Object.hasOwn(value, name));
  const shared = Object.fromEntries(said.map((name) => [name, briefly(value[name])]));
  return (value[found.name] as JsonObject[]).map((item) => ({ ...shared, ...item }));
}

/** An event of Amazon EventBridge for each of several findings that people of Security Hub chose to send together. */
function findingsIn(event: JsonObject): JsonObject[] | undefined {
  const { detail } = event;
  const findings = isObject(detail) ? detail.findings : undefined;
  if (!isObject(detail) || !Array.isArray(findings) || findings.length < 2) return undefined;
  if (!Object.hasOwn(event, "detail-type") || !findings.every(isObject)) return undefined;
  const around = inShort(event);
  const said = inShort(detail);
  return findings.map((finding) => ({ ...around, detail: { ...said, findings: [finding] } }));
}

/** In which lists a bucket-level monitor of OpenSearch tells the alerts of its buckets, and how one of each is called here. */
const BUCKET_LISTS = [
  ["newAlerts", "newAlert"],
  ["dedupedAlerts", "dedupedAlert"],
  ["completedAlerts", "completedAlert"],
] as const;

/** The alerts of the buckets of one run of OpenSearch, of which some begin, some go on and some are over. */
function bucketsIn(value: JsonObject): JsonObject[] | undefined {
  const context = isObject(value.ctx) ? value.ctx : value;
  const { monitor, trigger, periodStart, periodEnd } = context;
  if (!isObject(monitor) || !isObject(trigger)) return undefined;
  const around = { monitor: inShort(monitor), trigger: inShort(trigger) };
  const times = inShort({ periodStart, periodEnd });
  const found = BUCKET_LISTS.flatMap(([list, name]) => {
    const alerts = Object.hasOwn(context, list) ? context[list] : undefined;
    return Array.isArray(alerts)
      ? alerts.filter(isObject).map((alert) => ({ ...around, ...times, [name]: alert }))
      : [];
  });
  return found.length > 0 ? found : undefined;
}

const NAS = /^(?:True|Free)NAS(?: \w{1,20})? @ \S{1,253}(?=\s*\n)/;
/** Under which lines TrueNAS tells what is new and what is over; what goes on beside it is told again below. */
const NAS_NEW = /^new alerts?:$/i;
const NAS_OVER = /^(?:the following|these) alerts? (?:has|have) been cleared:$/i;

/** A message for each alert that one of TrueNAS to a chat tells to be new or over, whose lines may be broken. */
function linesIn(value: JsonObject): JsonObject[] | undefined {
  const { text } = value;
  const whose = typeof text === "string" ? NAS.exec(text)?.[0] : undefined;
  if (typeof text !== "string" || whose === undefined) return undefined;
  const told: string[] = [];
  let part = "";
  let isOpen = false;
  for (const line of text
    .slice(whose.length, MAX_TEXT)
    .split("\n")
    .map((one) => one.trim())) {
    const item = /^[*-] +(\S.*)$/.exec(line)?.[1];
    if (line.endsWith(":") && item === undefined) {
      part = NAS_NEW.test(line) ? "New alert" : NAS_OVER.test(line) ? "Cleared alert" : "";
    } else if (item !== undefined && part) told.push(`${whose}: ${part}: ${item}`);
    else if (line !== "" && isOpen && part) told.push(`${told.pop()} ${line}`);
    isOpen = item !== undefined || (isOpen && line !== "");
  }
  return told.length > 0 ? told.map((one) => ({ ...value, text: one })) : undefined;
}

/** What of an object ten thousand copies can bear. */
function inShort(members: JsonObject): JsonObject {
  const names = [
    ...["version", "id", "detail-type", "source", "account", "time", "region", "actionName"],
    ...["actionDescription", "_id", "name", "severity", "periodStart", "periodEnd"],
  ];
  const told = names.filter((name) => typeof members[name] === "string");
  return Object.fromEntries(told.map((name) => [name, briefly(members[name])]));
}

/** An alert as Alertmanager has them in its groups, by itself or in a member `alert`: its hash is no fingerprint of ours. */
function aloneIn(value: JsonObject): JsonObject | undefined {
  const alert = isObject(value.alert) ? value.alert : value;
  const { fingerprint: _hash, ...rest } = alert;
  if (isOwn(rest) || (alert !== value && isOwn(value))) return undefined;
  const isNamed = isObject(alert.labels) && ownValue(alert.labels, "alertname") !== undefined;
  return isNamed && /^(firing|resolved)$/i.test(textOf(alert.status) ?? "") ? alert : undefined;
}

/**
 * Labelled alerts in a group that lacks something of Alertmanager's own, as programs write that imitate it: each is an alert,
 * and one that does not say its state has the group's. Undefined for all else.
 * @throws Problem too_large: more than 10,000
 */
export function readLikeGroup(value: unknown): Reading | undefined {
  if (!isObject(value)) return undefined;
  const alone = aloneIn(value);
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
    const payload = typeof receiver === "string" ? { ...alert, receiver: briefly(receiver) } : alert;
    const warn = (text: string) => warnings.add(text);
    const read = readLabelled(alert, warn, { recovery, tool: "Prometheus", payload });
    return { ...read, readAs: "Alertmanager" };
  });
  return { shape: "generic", reports, warnings: [...warnings] };
}
