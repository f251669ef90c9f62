/** CloudEvents 1.0 with an alert as their data: structured, binary or batched. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import { givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import { cleaned, jsonWithin } from "../payload.ts";
import type { ReadingRules } from "../reading-rules.ts";
import type { AlertReport, Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { readEach, readGeneric, readPayload } from "./generic.ts";
import { eventToolOf, readTool } from "./known-tool.ts";
import { ownValue, textOf, type Warn } from "./member.ts";
import { noAlertInEvent } from "./no-alert.ts";

type Headers = Readonly<Record<string, string>>;

/** Matches event types whose last word means that the alert is resolved. */
const ENDS = /(?:^|[./:_-])(?:resolved?|recovered|cleared|closed|ok)(?:[./:_-]?v\d+)?$/i;

/** Reads CloudEvents; undefined for other payloads. @throws Problem invalid: a list without a single event */
export function readCloudEvents(value: unknown, headers: Headers, rules: ReadingRules): Reading | undefined {
  const warnings: string[] = [];
  const envelopes = envelopesOf(value, headers, (text) => warnings.push(text));
  if (!envelopes) return undefined;
  if (envelopes.length === 1 && !isEvent(envelopes[0]) && isObject(value)) {
    const reading = readGeneric(value, rules);
    const warning = "Sent as a CloudEvent, but without its specversion, id, source or type; read as it is.";
    return { ...reading, warnings: [warning, ...warnings, ...reading.warnings] };
  }
  const names = envelopes.filter(isObject).map(({ source, id }) => [source, id]);
  const reading = readEach(envelopes, (envelope, warn) => {
    const notice = isObject(envelope) && noAlertInEvent(envelope);
    if (notice) return void warn(notice);
    const read = readEvent(envelope, rules, warn);
    const { source, id } = envelope as JsonObject;
    return names.length > 1 ? { ...read, messageId: JSON.stringify([[source, id]]) } : read;
  });
  return {
    ...reading,
    shape: "cloudevents",
    warnings: [...warnings, ...reading.warnings],
    messageId: JSON.stringify(names),
  };
}

/** Whether a request's headers mark it as a CloudEvent, by `ce-specversion` or by the media type. */
export function isCloudEvent(headers: Headers): boolean {
  return headers["ce-specversion"] !== undefined || mediaType(headers).startsWith("application/cloudevents");
}

function mediaType(headers: Headers): string {
  return headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Returns the events, also a single one, as a list of objects in structured form; undefined if there are none. */
function envelopesOf(value: unknown, headers: Headers, warn: Warn): unknown[] | undefined {
  const type = mediaType(headers);
  if (headers["ce-specversion"] !== undefined) return [fromHeaders(value, headers, warn)];
  if (type === "application/cloudevents+json") return [value];
  if (type === "application/cloudevents-batch+json") return Array.isArray(value) ? value : [value];
  if (isEvent(value)) return [value];
  return Array.isArray(value) && value.length > 0 && value.every(isEvent) ? value : undefined;
}

function isEvent(value: unknown): value is JsonObject {
  return isObject(value) && ["specversion", "id", "source", "type"].every((name) => isText(value, name));
}

function isText(from: JsonObject, name: string): boolean {
  return Object.hasOwn(from, name) && typeof from[name] === "string" && from[name] !== "";
}

/** Reads the binary content mode: attributes are percent-encoded headers, and the body is the data. */
function fromHeaders(data: unknown, headers: Headers, warn: Warn): JsonObject {
  const attributes = Object.entries(headers)
    .filter(([name]) => name.startsWith("ce-"))
    .map(([name, text]) => [name.slice(3), decoded(text)] as const);
  const read = cleaned(Object.fromEntries(attributes));
  read.warnings.forEach(warn);
  return { ...(read.value as JsonObject), data };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads one event. @throws Problem invalid: not a CloudEvent */
export function readEvent(envelope: unknown, rules: ReadingRules, warn: Warn): AlertReport {
  if (!isEvent(envelope)) {
    throw new Problem("invalid", "A CloudEvent has specversion, id, source and type.");
  }
  const tool = eventToolOf(envelope);
  if (tool) return readTool(tool, envelope, rules, warn);
  const given = dataOf(envelope, warn);
  const data: JsonObject = isObject(given) ? given : {};
  if (given !== undefined && !isObject(given)) warn("data is no JSON object; it is shown as text.");
  const subject = textOf(ownValue(envelope, "subject"));
  const time = reportedTime(envelope.time);
  const isOver = ENDS.test(String(envelope.type));
  const read = readPayload(
    {
      description: isObject(given) ? undefined : textOf(given),
      service: envelope.source,
      start_time: isOver ? undefined : envelope.time,
      ...data,
      title: ownValue(data, "title", "message", "summary") ?? subject ?? envelope.type,
    },
    rules,
    warn,
  );
  const named = givenFingerprint(data.fingerprint) ?? givenFingerprint(subject && [envelope.source, subject]);
  const isRecovery = isOver || read.endedAt !== null;
  return {
    ...read,
    action: isRecovery ? "recovery" : "firing",
    endedAt: isRecovery ? (read.endedAt ?? time ?? null) : null,
    // Without a subject, events of one source with the same data belong to one alert, whatever their id, type and time.
    fingerprint: named ?? payloadFingerprint({ source: envelope.source, ...data, ...textData(given) }),
    payload: envelope,
  };
}

function textData(given: unknown): JsonObject {
  return isObject(given) || given === undefined ? {} : { data: given };
}

function dataOf(envelope: JsonObject, warn: Warn): unknown {
  const coded = envelope.data_base64;
  if (typeof coded !== "string") return envelope.data ?? undefined;
  const text = Buffer.from(coded, "base64").toString("utf8").replaceAll("\0", "\ufffd");
  const read = jsonWithin(text);
  if (!isObject(read?.value)) return text;
  read.warnings.forEach(warn);
  return read.value;
}
