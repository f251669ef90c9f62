/** Finds where in the payload each field of a reading came from. */
import { entryOf } from "../platform/entry-of.ts";
import { fieldOf, type Mapping, type ReadingRules, valueAt } from "./reading-rules.ts";
import type { AlertReport, Shape } from "./report.ts";
import { ENVIRONMENT_NAMES } from "./senders/specified.ts";

/** One field of a report as read; `from` is its path in the payload, undefined if the payload does not contain it. */
export interface Origin {
  field: string;
  /** As text; null when the field is empty. */
  value: string | null;
  from: string | undefined;
}

type Rules = Pick<ReadingRules, "mapping" | "groupBy">;

/** How many leaves are searched, which bounds the cost of huge payloads. */
const MAX_LEAVES = 5000;

/**
 * Returns the fields of one report with their paths. For our own members and mapped ones these are the paths by which they
 * were read; for payloads of other tools, the path of a leaf with the same value, if there is one.
 */
export function originsOf(report: AlertReport, shape: Shape, rules: Rules): Origin[] {
  const values: (readonly [string, string | null])[] = [
    ["title", report.title],
    ["description", report.description],
    ["severity", report.severity],
    ["service", report.service],
    ["monitoring_tool", report.monitoringTool],
    ["hosts", report.hosts.length > 0 ? report.hosts.slice(0, 20).join(", ") : null],
    ["platform_environment_name", report.environmentName],
    ["runbook", report.runbookUrl],
    ["start_time", report.startedAt?.toISOString() ?? null],
    ["end_time", report.endedAt?.toISOString() ?? null],
    ["fingerprint", report.fingerprint.shown],
  ];
  const isOurs = shape === "generic" && report.readAs === undefined;
  const leaves = isOurs ? [] : leavesOf(report.payload);
  return values.map(([field, value]) => ({
    field,
    value,
    from: isOurs
      ? (ownPlace(report.payload, rules.mapping, field) ?? grouped(field, report, rules))
      : placeOf(leaves, value),
  }));
}

/** Returns the paths of `group_by` for the fingerprint, if it was made of them. */
function grouped(field: string, { fingerprint }: AlertReport, { groupBy }: Rules): string | undefined {
  const isPicked = field === "fingerprint" && fingerprint.kind === "given" && (groupBy?.length ?? 0) > 0;
  return isPicked ? groupBy?.join(", ") : undefined;
}

/** Returns the path by which a field of a payload in our own format was read. */
function ownPlace(payload: object, mapping: Mapping | null | undefined, field: string): string | undefined {
  const isThere = (path: string) => {
    const value = valueAt(payload, path);
    return value !== undefined && value !== null && value !== "";
  };
  const mapped = (mapping && entryOf(mapping, field)) ?? [];
  const names = field === "platform_environment_name" ? ENVIRONMENT_NAMES : [field];
  const found = mapped.find(isThere);
  if (found !== undefined) return found;
  return names.find((name) => (fieldOf(payload, undefined, name) ?? "") !== "");
}

function placeOf(leaves: readonly (readonly [string, string])[], value: string | null): string | undefined {
  if (value === null) return undefined;
  const wanted = value.toLowerCase();
  const time = Date.parse(value);
  const isTime = /^\d{4}-\d\d-\d\dT/.test(value);
  return leaves.find(
    ([, text]) => text.toLowerCase() === wanted || (isTime && Date.parse(text) === time),
  )?.[0];
}

function leavesOf(payload: unknown): (readonly [string, string])[] {
  const leaves: (readonly [string, string])[] = [];
  const waiting: (readonly [string, unknown])[] = [["", payload]];
  // An index instead of `shift`, which would move all other items of a list of millions.
  for (let at = 0; at < waiting.length && leaves.length < MAX_LEAVES; at++) {
    const [path, value] = waiting[at] as readonly [string, unknown];
    if (typeof value !== "object" || value === null) leaves.push([path, String(value)]);
    else
      for (const [name, inner] of Object.entries(value))
        waiting.push([path === "" ? stepText(name) : `${path}.${stepText(name)}`, inner]);
  }
  return leaves;
}

function stepText(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}
