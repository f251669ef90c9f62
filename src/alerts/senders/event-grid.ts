/** Events in Azure Event Grid's own schema, read like CloudEvents, and its subscription validation. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import type { ReadingRules } from "../reading-rules.ts";
import type { Reading } from "../report.ts";
import { readEvent } from "./cloudevents.ts";
import { readEach } from "./generic.ts";
import { objectIn, textOf } from "./member.ts";

const TOOL = "Azure Event Grid";
const VALIDATION = "Microsoft.EventGrid.SubscriptionValidationEvent";

/** Reads a list of events, also of one; undefined for other payloads. */
export function readEventGrid(value: unknown, rules: ReadingRules): Reading | undefined {
  if (!isGridList(value)) return undefined;
  const reading = readEach(value, (item, warn) => {
    const event = item as JsonObject;
    const read = readEvent(cloudEventOf(event), rules, warn);
    const name = value.length > 1 ? { messageId: JSON.stringify([[event.topic, event.id]]) } : {};
    return { ...read, ...name, readAs: TOOL, payload: event };
  });
  const names = value.map(({ topic, id }) => [topic, id]);
  return { ...reading, shape: "cloudevents", messageId: JSON.stringify(names) };
}

/**
 * Answers the validation event of a new subscription with its code, without which nothing is delivered; undefined for other
 * payloads. The caller has already authenticated by a key, so returning the code confirms that this endpoint is meant.
 */
export function eventGridQuestion(value: unknown): Reading | undefined {
  if (!isGridList(value) || value.length !== 1) return undefined;
  const [event] = value;
  const code = event?.eventType === VALIDATION ? objectIn(event, "data").validationCode : undefined;
  if (typeof code !== "string" || code === "" || code.length > 500) return undefined;
  const warnings = [`${TOOL} asked whether it may deliver here, and was told that it may.`];
  return { shape: "cloudevents", reports: [], warnings, reply: { validationResponse: code } };
}

function isGridList(value: unknown): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isGridEvent);
}

function isGridEvent(value: unknown): boolean {
  const isText = (name: string) =>
    isObject(value) && Object.hasOwn(value, name) && textOf(value[name]) !== null;
  return (
    isObject(value) &&
    ["id", "eventType", "eventTime", "dataVersion"].every(isText) &&
    ["subject", "data"].every((name) => Object.hasOwn(value, name))
  );
}

function cloudEventOf({ id, topic, subject, eventType, eventTime, data }: JsonObject): JsonObject {
  const source = textOf(topic)?.trim() || TOOL;
  return {
    ...{ specversion: "1.0", id: textOf(id) || "-", source, subject },
    ...{ type: textOf(eventType) || TOOL, time: eventTime, data },
  };
}
