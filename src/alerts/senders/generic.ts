/** The generic payload: one object a report, or a list of them (spec: Alert payload; decision 0031). */
import { cutText } from "../../platform/cut-text.ts";
import { entryOf } from "../../platform/entry-of.ts";
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import { type Fingerprint, givenFingerprint, payloadFingerprint, pickedFingerprint } from "../fingerprint.ts";
import { comparedPart, fieldOf, type ReadingRules, valueAt } from "../reading-rules.ts";
import type { AlertReport, Reading } from "../report.ts";
import { severityOf } from "../severity.ts";
import { translated } from "../value-tables.ts";
import { unwrapped } from "./envelopes.ts";
import { readTool, toolOf } from "./known-tool.ts";
import { hostList, LONGEST, shortText, textOf, UNTITLED, type Warn } from "./member.ts";
import { readMessage } from "./message.ts";
import { noAlertIn } from "./no-alert.ts";
import { ENVIRONMENT_NAMES, endTimeOf, isOwn, isTitled, SPECIFIED, startTimeOf } from "./specified.ts";

const MAX_BATCH = 1000;
/** As many as in a group: the items of a list may be groups. */
const MAX_ALERTS = 10_000;

/** Members that become columns of the record; all others are custom. */
const KNOWN = new Set([...SPECIFIED, "runbook"]);

/**
 * Reads a payload leniently: an invalid member is kept in the payload, replaced in the record and reported by a warning.
 * The payloads of a list are read independently of each other.
 * @throws Problem invalid: neither an object nor a list of objects, or too many; unprocessable: no title while `strict`
 */
export function readGeneric(value: unknown, rules: ReadingRules, { form = false } = {}): Reading {
  // A mapping describes the payload, so no known tool is looked for (decision 0089).
  const items = Array.isArray(value)
    ? value
    : isDescribed(rules)
      ? [value]
      : (namedIn(value) ?? unwrapped(value));
  return readEach(items, (item, warn) => {
    if (!isObject(item)) throw new Problem("invalid", "An alert payload is a JSON object.");
    if (isDescribed(rules)) return readPayload(item, rules, warn);
    const notice = noAlertIn(item);
    if (notice) return void warn(notice);
    const found = toolOf(item);
    const tool = found && !(rules.strict && found.kind) ? found : undefined;
    const message = tool && !tool.isMessage ? undefined : readMessage(item, rules, warn, { form });
    // With a title and further members it is a payload of the specification (decision 0309).
    const isTool = tool && !(tool.isMessage && isTitled(item) && !form);
    return message ?? (isTool ? readTool(tool, item, rules, warn) : readPayload(item, rules, warn));
  });
}

/** Returns the list of alerts in an object of no known tool, if each of them would be read as a known tool's by itself. */
function namedIn(value: unknown): JsonObject[] | undefined {
  if (!isObject(value) || isOwn(value)) return undefined;
  const list = ownList(value);
  return list?.every((one): one is JsonObject => isObject(one) && toolOf(one) !== undefined) && !toolOf(value)
    ? list
    : undefined;
}

function ownList(value: JsonObject): unknown[] | undefined {
  const list = ["alerts", "alarms", "incidents"].map((name) => entryOf(value, name)).find(Array.isArray);
  return list && list.length > 0 ? list : undefined;
}

/** Whether an integration's mapping or `groupBy` describes its payloads. */
export function isDescribed({ mapping, groupBy }: ReadingRules): boolean {
  return Boolean(mapping) || (groupBy?.length ?? 0) > 0;
}

/**
 * Reads each item; those that cannot be read are reported by their index and do not affect the others. Items that are not
 * alerts are skipped, and an item may be several.
 * @throws Problem invalid: too many; too_large: too many alerts in them; or the first failed item's problem, if none was read
 */
export function readEach(
  items: readonly unknown[],
  read: (item: unknown, warn: Warn) => AlertReport | readonly AlertReport[] | undefined,
): Reading {
  if (items.length > MAX_BATCH) {
    throw new Problem("invalid", `A list may hold at most ${MAX_BATCH} payloads.`);
  }
  const warnings: string[] = [];
  const reports: AlertReport[] = [];
  const refused: { index: number; problem: Problem }[] = [];
  items.forEach((item, index) => {
    const place = items.length > 1 ? `Payload ${index + 1}: ` : "";
    try {
      reports.push(...[read(item, (text) => warnings.push(place + text)) ?? []].flat());
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      refused.push({ index, problem });
      warnings.push(`${place}${problem.message}`);
    }
    if (reports.length > MAX_ALERTS) {
      throw new Problem("too_large", `More than ${MAX_ALERTS} alerts in one request.`);
    }
  });
  const [first] = refused;
  if (first && reports.length === 0) throw first.problem;
  if (!first) return { shape: "generic", reports, warnings };
  return {
    shape: "generic",
    reports,
    warnings,
    refused: refused.map(({ index, problem }) => ({ index, error: problem.message })),
  };
}

/** Reads one payload, whose members may be mapped. @throws Problem unprocessable: no title while `strict` */
export function readPayload(payload: JsonObject, rules: ReadingRules, warn: Warn): AlertReport {
  const own = (name: string): unknown =>
    translated(rules.valueTables, name, fieldOf(payload, rules.mapping, name));
  const title = titleOf(own("title"), rules.strict, warn);
  const endedAt = endTimeOf(own("end_time"), warn);
  const environments = ENVIRONMENT_NAMES.map(own).filter((name) => name !== undefined && name !== null);
  const environmentName = environments.find((name) => typeof name === "string" && name !== "");
  if (environments.some((name) => typeof name !== "string")) {
    warn("An environment is no string; it was left out.");
  }
  const runbook = own("runbook");
  return {
    action: endedAt ? "recovery" : "firing",
    title,
    description: shortText("description", own("description"), LONGEST.description, warn),
    severity: severityIn(own("severity"), warn),
    saidSeverity: severityOf(own("severity")),
    service: shortText("service", own("service"), LONGEST.service, warn),
    monitoringTool: shortText("monitoring_tool", own("monitoring_tool"), LONGEST.tool, warn),
    hosts: hostList(own("hosts"), warn),
    environmentName: (environmentName as string | undefined) ?? null,
    runbookUrl: typeof runbook === "string" && runbook !== "" ? cutText(runbook, LONGEST.link) : null,
    startedAt: startTimeOf(own("start_time"), warn),
    endedAt,
    fingerprint: givenFingerprint(own("fingerprint")) ?? ownFingerprint(payload, rules),
    counting: "each",
    customNames: Object.keys(payload).filter((name) => !KNOWN.has(name)),
    payload,
  };
}

/** Returns the fingerprint of a payload without one of its own: of the `groupBy` members, else of the compared part. */
function ownFingerprint(payload: Record<string, unknown>, rules: ReadingRules): Fingerprint {
  const picked = (rules.groupBy ?? []).map((path): [string, unknown] => [
    path,
    valueAt(payload, path) ?? null,
  ]);
  return pickedFingerprint(picked) ?? payloadFingerprint(comparedPart(payload, rules));
}

function titleOf(value: unknown, strict: boolean, warn: Warn): string {
  if (!isEmptyThing(value) && textOf(value)?.trim())
    return shortText("title", value, LONGEST.title, warn) ?? UNTITLED;
  if (strict) throw new Problem("unprocessable", "title is missing");
  warn(`title is missing; the alert is called ${UNTITLED}.`);
  return UNTITLED;
}

/** Whether a value is `[]` or `{}`, which templates write for a missing value. */
function isEmptyThing(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function severityIn(value: unknown, warn: Warn): AlertReport["severity"] {
  if (value === undefined || value === null) return "critical";
  const known = severityOf(value);
  if (!known) warn("severity is none of critical, high, medium, low, info, unknown; critical is used.");
  return known ?? "critical";
}
