/** Webhooks of Datadog: the template of docs/alerts.md, and the one that it comes with. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import type { ReadingRules } from "../reading-rules.ts";
import type { AlertReport, Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { readPayload } from "./generic.ts";
import {
  hostList,
  ownValue,
  severityWord,
  shortText,
  textOf,
  UNTITLED,
  type Warn,
  webAddress,
} from "./member.ts";
import { isSpecified } from "./specified.ts";

/** What stands before a title: a priority, and in which way on which group the monitor changed. */
const BEFORE_TITLE =
  /^(?:\[(?<priority>P\d)\]\s*)?\[(?<change>[A-Za-z -]+?)(?:\s+on\s+(?<group>[^\]]*))?\]\s*/;
/** Of a longer title no more is looked at for it, however many spaces it holds. */
const MAX_BEFORE_TITLE = 2000;
const TRANSITIONS = /^(?:re-)?(?:triggered|warn|no data|renotify|recovered)\b/i;

/** What a webhook says; undefined where the payload is none of Datadog's. */
export function readDatadog(value: unknown, rules: ReadingRules): Reading | undefined {
  if (!isObject(value)) return undefined;
  // Of the specification both have the title alone.
  if (isSpecified(value, ["title"])) return readOurWords(value, rules);
  const isTemplate = typeof value.alert_transition === "string";
  const isDefault = ["id", "title", "body", "event_type", "last_updated", "org"].every((name) =>
    Object.hasOwn(value, name),
  );
  if (!isTemplate && !isDefault) return undefined;
  const warnings: string[] = [];
  return { shape: "datadog", reports: [readOne(value, (text) => warnings.push(text))], warnings };
}

/**
 * A template of somebody's own, in our words, that names its alert by Datadog's key and leaves its end to Datadog's word (reference
 * alerts E9; decision 0219). All other payloads in our words are ended by `end_time` alone.
 */
function readOurWords(value: JsonObject, rules: ReadingRules): Reading | undefined {
  const isOver = /^recovered$/i.test(textOf(value.alert_transition)?.trim() ?? "");
  if (!isOver || !Object.hasOwn(value, "fingerprint")) return undefined;
  const warnings: string[] = [];
  const report = readPayload(value, rules, (text) => warnings.push(text));
  return { shape: "generic", reports: [{ ...report, action: "recovery" }], warnings };
}

function readOne(payload: JsonObject, warn: Warn): AlertReport {
  const own = filled(payload, warn);
  const whole = textOf(ownValue(own, "title"));
  const head = BEFORE_TITLE.exec(whole?.slice(0, MAX_BEFORE_TITLE) ?? "");
  const { priority, change: said, group } = head?.groups ?? {};
  const change = textOf(ownValue(own, "alert_transition")) ?? said ?? "";
  if (!TRANSITIONS.test(change)) warn("No alert_transition that is known; it counts as triggered.");
  const isOver = /recovered/i.test(change);
  // Of which group a monitor of many speaks, such as `host:web-1,env:prod`.
  const tags = new Map([...tagsOf(group?.replace(/[{}]/g, "")), ...tagsOf(own.tags)]);
  const title = ownValue(own, "alert_title") ?? whole?.slice(head?.[0].length ?? 0);
  const at = reportedTime(timeIn(ownValue(own, "date", "last_updated"))) ?? null;
  const otherwise = /no data/i.test(change) ? "unknown" : /warn/i.test(change) ? "low" : "critical";
  const severity = severityWord(
    ownValue(own, "alert_priority") ?? priority,
    otherwise,
    warn,
    "alert_priority",
  );
  const cycle = ownValue(own, "alert_cycle_key", "aggreg_key");
  const parts = [ownValue(own, "alert_id"), ownValue(own, "hostname"), title, group].filter(
    (part) => part !== undefined,
  );
  return {
    action: isOver ? "recovery" : "firing",
    title: shortText("title", title, 200, warn) ?? UNTITLED,
    description: shortText("body", ownValue(own, "body", "text_only_msg"), 1000, warn),
    severity,
    saidSeverity: TRANSITIONS.test(change) ? severity : undefined,
    service: shortText("service", tags.get("service"), 100, warn),
    monitoringTool: "Datadog",
    hosts: hostList(ownValue(own, "hostname") ?? tags.get("host"), warn),
    environmentName: tags.get("env") ?? null,
    runbookUrl: webAddress(ownValue(own, "runbook"), ownValue(own, "link")),
    startedAt: isOver ? null : at,
    endedAt: isOver ? at : null,
    fingerprint:
      givenFingerprint(cycle && ["datadog", cycle]) ??
      givenFingerprint(parts.length > 0 ? ["datadog", ...parts] : undefined) ??
      payloadFingerprint(payload),
    // A monitor that notifies again says nothing new until it recovers.
    counting: "once",
    customNames: [],
    payload,
  };
}

/** Variables that Datadog had no value for stay as they are written in the template. */
function filled(payload: JsonObject, warn: Warn): JsonObject {
  const members = Object.entries(payload);
  const empty = members.filter(([, value]) => typeof value === "string" && /^\$[A-Z_]+$/.test(value));
  if (empty.length > 0) warn(`Without a value: ${empty.map(([name]) => name).join(", ")}.`);
  const names = new Set(empty.map(([name]) => name));
  return Object.fromEntries(members.filter(([name]) => !names.has(name)));
}

/** `env:prod,service:mail` or a list of such. */
function tagsOf(tags: unknown): Map<string, string> {
  const list = Array.isArray(tags) ? tags.map((tag) => textOf(tag) ?? "") : (textOf(tags) ?? "").split(",");
  return new Map(
    list.flatMap((tag) => {
      const cut = tag.indexOf(":");
      return cut > 0 ? [[tag.slice(0, cut).trim(), tag.slice(cut + 1).trim()] as const] : [];
    }),
  );
}

/** Variables are text; a time is milliseconds. */
function timeIn(value: unknown): unknown {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
