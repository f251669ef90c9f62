/** Webhooks of Datadog: the template of docs/alerts.md, and Datadog's default template. */
import { isObject, type JsonObject } from "../../platform/json-object.ts";
import { Problem } from "../../platform/problem.ts";
import { givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import type { ReadingRules } from "../reading-rules.ts";
import type { AlertReport, Reading } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { readPayload } from "./generic.ts";
import {
  hostList,
  LONGEST,
  ownValue,
  severityWord,
  shortText,
  textOf,
  UNTITLED,
  type Warn,
  webAddress,
} from "./member.ts";
import { isSpecified } from "./specified.ts";

/** The prefix of a title: a priority, and in brackets the monitor's change of state with its group. */
const BEFORE_TITLE = /^(?:\[(?<priority>P\d)\]\s*)?\[(?<state>[^\]]*)\]\s*/;
const TRANSITIONS = /^(?:re-)?(?:triggered|warn|no data|renotify|recovered)\b/i;

/** Reads a webhook of Datadog; undefined for other payloads. @throws Problem unprocessable: no title while `strict` */
export function readDatadog(value: unknown, rules: ReadingRules): Reading | undefined {
  if (!isObject(value)) return undefined;
  // `title` is the only member of the specification that Datadog's own templates have.
  if (isSpecified(value, ["title"])) return readOurWords(value, rules);
  const isTemplate = typeof value.alert_transition === "string";
  const isDefault = ["id", "title", "body", "event_type", "last_updated", "org"].every((name) =>
    Object.hasOwn(value, name),
  );
  if (!isTemplate && !isDefault) return undefined;
  const warnings: string[] = [];
  return { shape: "datadog", reports: [readOne(value, rules, (text) => warnings.push(text))], warnings };
}

/**
 * Reads a custom template with the specification's members, a `fingerprint` and Datadog's `alert_transition`, which says when the
 * alert recovers (reference alerts E9; decision 0219). All other payloads of that kind are resolved by `end_time` alone.
 */
function readOurWords(value: JsonObject, rules: ReadingRules): Reading | undefined {
  const isOver = /^recovered$/i.test(textOf(value.alert_transition)?.trim() ?? "");
  if (!isOver || !Object.hasOwn(value, "fingerprint")) return undefined;
  const warnings: string[] = [];
  const report = readPayload(value, rules, (text) => warnings.push(text));
  return { shape: "generic", reports: [{ ...report, action: "recovery" }], warnings };
}

function readOne(payload: JsonObject, { strict }: ReadingRules, warn: Warn): AlertReport {
  const own = filled(payload, warn);
  const whole = textOf(ownValue(own, "title"));
  if (strict && whole === null && ownValue(own, "alert_title") === undefined) {
    throw new Problem("unprocessable", "title is missing");
  }
  const { length, priority, said, group } = prefixOf(whole ?? "");
  const change = textOf(ownValue(own, "alert_transition")) ?? said ?? "";
  if (!TRANSITIONS.test(change)) warn("No alert_transition that is known; it counts as triggered.");
  const isOver = /recovered/i.test(change);
  // The group of a multi-alert monitor is a list of tags, such as `host:web-1,env:prod`.
  const tags = new Map([...tagsOf(group?.replace(/[{}]/g, "")), ...tagsOf(own.tags)]);
  const title = ownValue(own, "alert_title") ?? whole?.slice(length);
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
    title: shortText("title", title, LONGEST.title, warn) ?? UNTITLED,
    description: shortText("body", ownValue(own, "body", "text_only_msg"), LONGEST.description, warn),
    severity,
    saidSeverity: TRANSITIONS.test(change) ? severity : undefined,
    service: shortText("service", tags.get("service"), LONGEST.service, warn),
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
    // A repeated notification is no new occurrence until the monitor recovers.
    counting: "once",
    customNames: [],
    payload,
  };
}

/**
 * Parses the prefix of a title. The change of state and its group are split by hand: a pattern for both would be tried again at
 * each of thousands of ` on `.
 */
function prefixOf(title: string): { length: number; priority?: string; said?: string; group?: string } {
  const head = BEFORE_TITLE.exec(title);
  const { priority, state = "" } = head?.groups ?? {};
  const cut = /\son\s/.exec(state)?.index;
  const said = state.slice(0, cut).trimEnd();
  if (!head || !/^[A-Za-z -]+$/.test(said)) return { length: 0 };
  const group = cut === undefined ? undefined : state.slice(cut + 3).trimStart();
  return {
    length: head[0].length,
    ...(priority && { priority }),
    said,
    ...(group !== undefined && { group }),
  };
}

/** Drops variables without a value, which Datadog leaves as they are written in the template. */
function filled(payload: JsonObject, warn: Warn): JsonObject {
  const members = Object.entries(payload);
  const empty = members.filter(([, value]) => typeof value === "string" && /^\$[A-Z_]+$/.test(value));
  if (empty.length > 0) warn(`Without a value: ${empty.map(([name]) => name).join(", ")}.`);
  const names = new Set(empty.map(([name]) => name));
  return Object.fromEntries(members.filter(([name]) => !names.has(name)));
}

/** Parses `env:prod,service:mail`, or a list of such tags. */
function tagsOf(tags: unknown): Map<string, string> {
  const list = Array.isArray(tags) ? tags.map((tag) => textOf(tag) ?? "") : (textOf(tags) ?? "").split(",");
  return new Map(
    list.flatMap((tag) => {
      const cut = tag.indexOf(":");
      return cut > 0 ? [[tag.slice(0, cut).trim(), tag.slice(cut + 1).trim()] as const] : [];
    }),
  );
}

/** Converts a time in milliseconds from text, since all variables are text. */
function timeIn(value: unknown): unknown {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
