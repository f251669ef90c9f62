/** Recognises payloads with members of the specification, whatever other members they have (decision 0219). */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { reportedTime } from "../reported-time.ts";
import { severityOf } from "../severity.ts";
import { textOf, type Warn } from "./member.ts";

/** The members that may hold the environment, in order of precedence (contract-alerts, record). */
export const ENVIRONMENT_NAMES = ["platform_environment_name", "gitlab_environment_name", "environment"];

/** The members of the specification (spec: Alert payload). */
export const SPECIFIED: readonly string[] = [
  "title",
  "description",
  "start_time",
  "end_time",
  "service",
  "monitoring_tool",
  "hosts",
  "severity",
  "fingerprint",
  ...ENVIRONMENT_NAMES,
];

/** Members that only payloads written for this service have, even without a title. */
const OURS = ["end_time", "fingerprint", "monitoring_tool", "platform_environment_name"];

/**
 * Returns the specification's members in a payload with a title, including the title; [] for one without. A severity counts
 * only if it is one of the specification's six words, since tools use other words.
 */
export function specifiedIn(payload: JsonObject): string[] {
  if (!isTitled(payload)) return [];
  return SPECIFIED.filter(
    (name) =>
      Object.hasOwn(payload, name) && (name !== "severity" || severityOf(payload.severity) !== undefined),
  );
}

/** Whether a payload has a title that is not blank. */
export function isTitled(payload: JsonObject): boolean {
  return Object.hasOwn(payload, "title") && Boolean(textOf(payload.title)?.trim());
}

/**
 * Whether a payload, or one of a list, has a title and a member of the specification that is not in `shared`: the members
 * that the payloads of the tool in question have as well.
 */
export function isSpecified(value: unknown, shared: readonly string[] = []): boolean {
  if (Array.isArray(value)) return value.some((item) => isSpecified(item, shared));
  return isObject(value) && specifiedIn(value).some((name) => !shared.includes(name));
}

/** Returns the members by which a payload seems written for this service: the title, even an empty one, and ours. */
export function ownIn(payload: JsonObject): string[] {
  return ["title", ...OURS].filter((name) => Object.hasOwn(payload, name));
}

/** Returns the specification's `end_time`; null, with a warning unless it is empty, if it is no time. */
export function endTimeOf(value: unknown, warn: Warn): Date | null {
  return timeOf("end_time", value, "It does not end the alert.", warn);
}

/** Returns the specification's `start_time`; null, with a warning unless it is empty, if it is no time. */
export function startTimeOf(value: unknown, warn: Warn): Date | null {
  return timeOf("start_time", value, "The time of receipt is used.", warn);
}

function timeOf(name: string, value: unknown, otherwise: string, warn: Warn): Date | null {
  if (value === undefined || value === null || value === "") return null;
  // A bare 0 means that there is no time yet, never 1970 (decision 0128).
  const at = value === 0 ? undefined : reportedTime(value);
  if (!at) warn(`${name} cannot be read as a time. ${otherwise}`);
  return at ?? null;
}

/** Whether a payload was written for this service, so that a list in it does not wrap several alerts. */
export function isOwn(payload: JsonObject): boolean {
  return ownIn(payload).length > 0;
}
