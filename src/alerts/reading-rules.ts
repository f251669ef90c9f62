/** The rules by which an integration reads payloads in other formats: where the members are, and what groups alerts. */
import { entryOf } from "../platform/entry-of.ts";
import type { JsonObject } from "../platform/json-object.ts";
import { isOneOf } from "../platform/one-of.ts";
import type { ValueTables } from "./value-tables.ts";

/** Fields that can be read from other paths of a payload. */
export const MAPPED_FIELDS = [
  "title",
  "description",
  "start_time",
  "end_time",
  "service",
  "monitoring_tool",
  "hosts",
  "severity",
  "fingerprint",
  "platform_environment_name",
  "runbook",
] as const;

/** For each field the paths at which it may be; the first one with a value is used. */
export type Mapping = Readonly<Record<string, readonly string[]>>;

/** The reading rules of an integration (decision 0039); absent ones have no effect. */
export interface ReadingRules {
  /** Refuses payloads without a title. */
  strict: boolean;
  mapping?: Mapping | null;
  /** Translations of the tool's own words, by field. */
  valueTables?: ValueTables | null;
  /** Paths whose values together identify an alert that has no fingerprint. */
  groupBy?: readonly string[];
  /** Paths that may differ between payloads of one alert. */
  ignore?: readonly string[];
}

const MAX_PATHS = 20;
const MAX_DEPTH = 20;

/** Splits a path: `labels.host`, `checks.0.name`, or a JSON Pointer (RFC 6901) if names contain dots. */
export function stepsOf(path: string): string[] {
  if (!path.startsWith("/")) return path.split(".");
  return path
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns what is wrong with a list of paths, or undefined. */
export function pathsFault(paths: readonly string[]): string | undefined {
  if (paths.length > MAX_PATHS) return `has too many paths (maximum is ${MAX_PATHS})`;
  const isWrong = (path: string) =>
    path.length > 255 || path.trim() === "" || stepsOf(path).length > MAX_DEPTH || stepsOf(path).includes("");
  return paths.some(isWrong)
    ? "contains something that is not a path such as labels.host or /labels/host"
    : undefined;
}

/** Returns what is wrong with a mapping, or undefined. */
export function mappingFault(mapping: Mapping): string | undefined {
  for (const [field, paths] of Object.entries(mapping)) {
    if (!isOneOf(MAPPED_FIELDS, field)) return `has an unknown field ${field}`;
    const fault = pathsFault(paths);
    if (fault) return fault;
  }
  return undefined;
}

/** Returns the value at a path, or undefined. Reads only own members of the payload, never a prototype's. */
export function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const step of stepsOf(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && step === "length") return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Returns the value of a field: at the first of its paths that has one, else under the field's own name. */
export function fieldOf(payload: object, mapping: Mapping | null | undefined, field: string): unknown {
  const paths = (mapping && entryOf(mapping, field)) ?? [];
  for (const path of paths) {
    const value = valueAt(payload, path);
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return entryOf(payload as Record<string, unknown>, field);
}

/** Returns the part of a payload that identifies its alert: all but ignored paths, and the mapped times and hosts. */
export function comparedPart(
  payload: JsonObject,
  rules: Pick<ReadingRules, "mapping" | "ignore">,
): JsonObject {
  const places = ["start_time", "end_time", "hosts"].flatMap((field) => rules.mapping?.[field] ?? []);
  let part: unknown = payload;
  for (const path of [...(rules.ignore ?? []), ...places]) part = without(part, stepsOf(path));
  return part as JsonObject;
}

/** Returns a copy without the value at a path; the value itself if it has no such path. */
function without(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || step === undefined || !Object.hasOwn(value, step))
    return value;
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_item, index) => String(index) !== step)
      : value.map((item, index) => (String(index) === step ? without(item, rest) : item));
  }
  const members = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(members.filter(([name]) => name !== step));
  return Object.fromEntries(
    members.map(([name, item]) => [name, name === step ? without(item, rest) : item]),
  );
}
