/** Reads the body of a request: by its route if that belongs to another service's API, else by the payload's shape. */
import { isObject, type JsonObject } from "../platform/json-object.ts";
import { Problem } from "../platform/problem.ts";
import { ALIAS_HEADER, type Arrival, HASH_HEADER, ROUTE_HEADER } from "./arrival.ts";
import { GENERIC_LIMIT_BYTES, tooLarge } from "./body-limits.ts";
import { byLines, isJsonLines, readJsonLines } from "./json-lines.ts";
import { type CleanPayload, readJson, readJsonText } from "./payload.ts";
import type { ReadingRules } from "./reading-rules.ts";
import type { AlertReport, Reading } from "./report.ts";
import { groupShape, readGroup } from "./senders/alertmanager.ts";
import { isCloudEvent, readCloudEvents } from "./senders/cloudevents.ts";
import { readDatadog } from "./senders/datadog.ts";
import { readLikeGroup } from "./senders/envelopes.ts";
import { eventGridQuestion, readEventGrid } from "./senders/event-grid.ts";
import { formOf, isForm, ONLY_JSON } from "./senders/form.ts";
import { isDescribed, readEach, readGeneric } from "./senders/generic.ts";
import type { Warn } from "./senders/member.ts";
import { readOpsgenieAction, readOpsgenieAlert } from "./senders/opsgenie.ts";
import { readPagerDuty, readPagerDutyChange, readPagerDutyGeneric } from "./senders/pagerduty.ts";
import { readPrometheus } from "./senders/prometheus.ts";
import { pushedMessage } from "./senders/pubsub.ts";
import { readSentry } from "./senders/sentry.ts";
import { readSns } from "./senders/sns.ts";
import { isSpecified } from "./senders/specified.ts";

/**
 * Reads the inflated body of a request, or the text of a test alert, which has no arrival.
 * @throws Problem invalid (with line and column for bad JSON), too_large, unprocessable
 */
export function readDelivery(body: Uint8Array | string, rules: ReadingRules, arrival?: Arrival): Reading {
  if (typeof body === "string") return readText(body, rules, arrival);
  // A CloudEvent may consist of headers alone.
  const isEmptyEvent = body.length === 0 && arrival?.headers["ce-specversion"] !== undefined;
  return isEmptyEvent ? readText("{}", rules, arrival) : readBytes(body, rules, arrival);
}

function readText(text: string, rules: ReadingRules, arrival?: Arrival): Reading {
  return readValue(readJsonText(text), Buffer.byteLength(text), rules, arrival);
}

function readBytes(body: Uint8Array, rules: ReadingRules, arrival?: Arrival): Reading {
  const mediaType = arrival?.headers["content-type"] ?? "";
  if (isForm(mediaType)) {
    if (body.length > GENERIC_LIMIT_BYTES) throw tooLarge();
    return readGeneric(formOf(body, mediaType, arrival?.headers[ROUTE_HEADER]), rules, { form: true });
  }
  if (isJsonLines(mediaType)) return readLines(body, rules, arrival);
  const bare = withoutField(body);
  const { value, warnings } = readJson(bare);
  const told = bare === body ? warnings : [FIELD_NAMED, ...warnings];
  return readValue({ value, warnings: told }, body.length, rules, arrival);
}

const FIELD = Buffer.from("payload={");
const FIELD_NAMED = "The body is a form field with the content type of JSON; the value of payload= was read.";

/** Removes the field name before the JSON: Zabbix' media type for SIGNL4 sends it, though not as a form. */
function withoutField(body: Uint8Array): Uint8Array {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, FIELD.length));
  return start.equals(FIELD) ? body.subarray(FIELD.length - 1) : body;
}

/** Reads JSON lines as a list of payloads, and a single line as a payload by itself (decision 0187). */
function readLines(body: Uint8Array, rules: ReadingRules, arrival?: Arrival): Reading {
  // Routes of other services' APIs take only what their clients send.
  if (arrival?.headers[ROUTE_HEADER] !== undefined) throw new Problem("unsupported", ONLY_JSON);
  const lines = readJsonLines(body);
  const [only, ...others] = lines.values;
  const value = others.length > 0 || lines.broken.length > 0 ? lines.values : only;
  return byLines(readValue({ value, warnings: [] }, body.length, rules, arrival), lines);
}

function readValue(
  { value, warnings }: CleanPayload,
  bodyBytes: number,
  rules: ReadingRules,
  arrival?: Arrival,
): Reading {
  const route = arrival?.headers[ROUTE_HEADER];
  const shape = groupShape(value);
  if (bodyBytes > GENERIC_LIMIT_BYTES && !shape && route !== "prometheus") {
    const isList = arrival && route === undefined && !isDescribed(rules) && isLabelledList(value);
    if (!isList) throw tooLarge();
  }
  const read = (): Reading => {
    // A group is one at any of the addresses that alerts are posted to, also at that of an Alertmanager.
    const isGroup = shape !== undefined && (route === undefined || route === "prometheus");
    if (arrival && route !== undefined && !isGroup) return readByRoute(route, value, arrival);
    return shape ? readGroup(value as JsonObject, shape) : readByShape(value, rules, arrival);
  };
  const reading = read();
  return { ...reading, warnings: [...warnings, ...reading.warnings] };
}

/** The integration's rules take precedence over the shape of a payload: its owner has said what it is (decision 0089). */
function readByShape(value: unknown, rules: ReadingRules, arrival?: Arrival): Reading {
  // A request that only asks whether it may deliver has no payload to which rules could apply.
  const question = arrival && eventGridQuestion(value);
  if (question) return question;
  if (isDescribed(rules)) return readGeneric(value, rules);
  if (arrival && isLabelledList(value)) return readPrometheus(value, arrival.receivedAt);
  const pushed = pushedMessage(value);
  if (pushed) {
    const reading = readByShape(pushed.value, rules, arrival);
    return { ...reading, messageId: pushed.messageId, warnings: [...pushed.warnings, ...reading.warnings] };
  }
  const headers = arrival?.headers ?? {};
  // Headers that name a format are trusted; a shape alone counts only without a title (decision 0219).
  const untitled = isNamed(headers) || !isSpecified(value) ? readUntitled(value, headers, rules) : undefined;
  if (untitled) return untitled;
  return Array.isArray(value)
    ? readEach(value, (item, warn) => readMember(item, rules, warn))
    : readAlone(value, rules);
}

function readAlone(value: unknown, rules: ReadingRules): Reading {
  return readDatadog(value, rules) ?? readLikeGroup(value) ?? readGeneric(value, rules);
}

const SENDERS: Readonly<Record<string, string>> = {
  alertmanager: "Alertmanager",
  grafana: "Grafana",
  datadog: "Datadog",
  sns: "Amazon SNS",
};

/**
 * Reads an item of a list as if it had been sent alone, also a group, a webhook of Datadog or a message of Amazon SNS: relays
 * collect requests into lists.
 */
function readMember(item: unknown, rules: ReadingRules, warn: Warn): AlertReport[] {
  const group = groupShape(item);
  const notification = isSpecified(item) ? undefined : readSns(item, rules);
  // A list within a list is refused like any other value that is not an object.
  const { shape, reports, warnings, messageId } = group
    ? readGroup(item as JsonObject, group)
    : (notification ?? readAlone(isObject(item) ? item : [item], rules));
  for (const warning of warnings) warn(warning);
  const sender = SENDERS[shape];
  return reports.map((report) => ({
    ...report,
    ...(sender === undefined ? {} : { readAs: report.readAs ?? sender }),
    ...(messageId === undefined ? {} : { messageId }),
  }));
}

/** Whether the headers name the format. */
function isNamed(headers: Arrival["headers"]): boolean {
  return isCloudEvent(headers) || headers["sentry-hook-resource"] !== undefined;
}

/** Reads formats that are recognised by their headers, or by a shape that has no title. */
function readUntitled(value: unknown, headers: Arrival["headers"], rules: ReadingRules): Reading | undefined {
  return (
    readCloudEvents(value, headers, rules) ??
    readEventGrid(value, rules) ??
    readSns(value, rules) ??
    readSentry(value, headers)
  );
}

/** Whether it is a list of alerts as rulers and collectd post them to an Alertmanager, sent to another address. */
function isLabelledList(value: unknown): boolean {
  const isLabelled = (item: unknown) =>
    isObject(item) && isObject(item.labels) && isObject(item.annotations) && !Object.hasOwn(item, "title");
  return Array.isArray(value) && value.length > 0 && value.every(isLabelled);
}

function readByRoute(route: string, value: unknown, { headers, receivedAt }: Arrival): Reading {
  const [service, action = ""] = route.split("/");
  const agent = headers["user-agent"];
  if (service === "prometheus") return readPrometheus(value, receivedAt);
  if (service === "opsgenie") {
    if (action === "create") return readOpsgenieAlert(value, agent);
    return readOpsgenieAction(action, { alias: headers[ALIAS_HEADER], hash: headers[HASH_HEADER] }, value);
  }
  if (action === "change") return readPagerDutyChange(value);
  return action === "generic" ? readPagerDutyGeneric(value, agent) : readPagerDuty(value, agent);
}
