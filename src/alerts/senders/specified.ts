/** Which payloads are written in the specification's words, whatever else stands in them (decision 0219). */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { severityOf } from "../severity.ts";
import { textOf } from "./member.ts";

/** Under which names an environment may stand, the first that holds something (contract-alerts, record). */
export const ENVIRONMENT_NAMES = ["platform_environment_name", "gitlab_environment_name", "environment"];

/** The members of the specification (spec: Alert payload). */
export const SPECIFIED: readonly string[] = [
  ...["title", "description", "start_time", "end_time", "service", "monitoring_tool", "hosts", "severity"],
  ...["fingerprint", ...ENVIRONMENT_NAMES],
];

/** Those that only somebody who writes for this service sends, so that no title is needed beside them. */
const OURS = ["end_time", "fingerprint", "monitoring_tool", "platform_environment_name"];

/**
 * Which members of the specification a payload with a title has, the title among them; none where it has no title. A
 * severity counts where it is one of the six words, for tools have others.
 */
export function specifiedIn(payload: JsonObject): string[] {
  if (!Object.hasOwn(payload, "title") || !textOf(payload.title)?.trim()) return [];
  return SPECIFIED.filter(
    (name) =>
      Object.hasOwn(payload, name) && (name !== "severity" || severityOf(payload.severity) !== undefined),
  );
}

/**
 * Whether a payload, or one of a list, is written in the specification's words: it has a title, and a member of the
 * specification that is none of `shared`, the members that the tool has as well whose body it might be.
 */
export function isSpecified(value: unknown, shared: readonly string[] = []): boolean {
  if (Array.isArray(value)) return value.some((item) => isSpecified(item, shared));
  return isObject(value) && specifiedIn(value).some((name) => !shared.includes(name));
}

/** Whether somebody wrote it for this service, with a title or without, so that a list in it is a list in a payload. */
export function isOwn(payload: JsonObject): boolean {
  return ["title", ...OURS].some((name) => Object.hasOwn(payload, name));
}
