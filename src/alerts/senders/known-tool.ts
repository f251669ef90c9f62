/** Reads the webhooks of known tools by their entries in tables (decision 0124). */
import { entryOf } from "../../platform/entry-of.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import { type Fingerprint, givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import { comparedPart, type ReadingRules } from "../reading-rules.ts";
import type { AlertReport } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { type Severity, severityOfLabel } from "../severity.ts";
import { translated } from "../value-tables.ts";
import { foldedMembers, standsIn, valueIn } from "./folded.ts";
import {
  hostList,
  LONGEST,
  severityWord,
  shortText,
  textOf,
  UNTITLED,
  type Warn,
  webAddress,
} from "./member.ts";
import { endTimeOf, specifiedIn, startTimeOf } from "./specified.ts";
import { type Tool, WATCHERS } from "./tools.ts";
import { AZURE } from "./tools-of-azure.ts";
import { BUILDERS } from "./tools-of-builds.ts";
import { CLOUDS, RELAYS } from "./tools-of-clouds.ts";
import { CODE_TOOLS } from "./tools-of-code.ts";
import { DEVICES } from "./tools-of-devices.ts";
import { EVENT_TOOLS } from "./tools-of-events.ts";
import { FORGES } from "./tools-of-forges.ts";
import { GOOGLE } from "./tools-of-google.ts";
import { NETWORKS } from "./tools-of-networks.ts";
import { PIPELINES } from "./tools-of-pipelines.ts";
import { PLATFORMS } from "./tools-of-platforms.ts";
import { RENDER_TOOLS } from "./tools-of-render.ts";
import { RESPONDERS } from "./tools-of-responders.ts";
import { RUNS } from "./tools-of-runs.ts";
import { SCANNERS } from "./tools-of-scanners.ts";
import { SEARCHES } from "./tools-of-searches.ts";
import { SECURITY_TOOLS } from "./tools-of-security.ts";
import { SERVICES } from "./tools-of-services.ts";
import { SITES } from "./tools-of-sites.ts";
import { STORES } from "./tools-of-stores.ts";
import { ZABBIX } from "./tools-of-zabbix.ts";
import { UNKNOWN_TOOLS } from "./unknown-tools.ts";

type Folded = ReadonlyMap<string, unknown>;

// The first match wins, so tools are appended: a new entry takes no payload from an earlier one.
const TOOLS: readonly Tool[] = [
  ...AZURE,
  ...CLOUDS,
  ...RELAYS,
  ...PLATFORMS,
  ...ZABBIX,
  ...WATCHERS,
  ...FORGES,
  ...CODE_TOOLS,
  ...SERVICES,
  ...DEVICES,
  ...BUILDERS,
  ...RENDER_TOOLS,
  ...SECURITY_TOOLS,
  ...SEARCHES,
  ...PIPELINES,
  ...RESPONDERS,
  ...STORES,
  ...NETWORKS,
  ...GOOGLE,
  ...SCANNERS,
  ...RUNS,
  ...SITES,
  // Last, since their marks are the least specific.
  ...UNKNOWN_TOOLS,
];

/** Tools whose payloads may have members of the specification; only these are matched with a payload that has some. */
const SHARING: readonly Tool[] = TOOLS.filter(({ shared }) => shared !== undefined);

/** The most characters of a state that are matched, which bounds the backtracking of some patterns; longer than any state. */
const MAX_STATE = 200;

/**
 * Returns the tool that a payload belongs to, if every member of the specification in it is also that tool's (decision 0219);
 * with `form`, only tools that send forms.
 */
export function toolOf(payload: JsonObject, { form = false } = {}): Tool | undefined {
  const specified = specifiedIn(payload);
  // A form of no known tool is refused, so further members of the specification do not count here; they do when it is read.
  const counted = form ? specified.filter((name) => name === "title") : specified;
  const candidates = counted.length === 0 ? TOOLS : SHARING;
  const possible = candidates.filter(
    (tool) => counted.every((name) => tool.shared?.includes(name)) && (tool.form || !form),
  );
  if (possible.length === 0) return undefined;
  const members = foldedMembers(payload);
  return possible.find((tool) => isMarked(tool, members));
}

/** Returns the tool that a CloudEvent belongs to, if its type is known. */
export function eventToolOf(envelope: JsonObject): Tool | undefined {
  const members = foldedMembers(envelope);
  return EVENT_TOOLS.find((tool) => isMarked(tool, members));
}

function isMarked({ marks, where = {} }: Tool, members: Folded): boolean {
  return (
    marks.every((places) => standsIn(members, places)) &&
    Object.entries(where).every(([place, words]) => words.test(textIn(members, place) ?? ""))
  );
}

/** Reads the alert in a payload of this tool. */
export function readTool(tool: Tool, payload: JsonObject, rules: ReadingRules, warn: Warn): AlertReport {
  const members = foldedMembers(payload);
  const own = (places: string | undefined): unknown => (places ? valueIn(members, places) : undefined);
  const state = (textOf(own(tool.state))?.trim() ?? "").slice(0, MAX_STATE);
  // A tool that is only guessed may be one of our own senders, whose words keep their meaning (spec: Alert payload end_time).
  const specified = tool.kind ? payload : {};
  const givenEnd = endTimeOf(entryOf(specified, "end_time"), warn);
  const isOver = givenEnd !== null || (tool.over?.test(state) ?? false);
  const isSeen = !isOver && (tool.acknowledged?.test(state) ?? false);
  const givenStart = isOver ? null : startTimeOf(entryOf(specified, "start_time"), warn);
  const title = titleIn(members, tool);
  if (title === undefined) warn(`It says nothing that could be a title; the alert is called ${UNTITLED}.`);
  const givenSeverity = translated(rules.valueTables, "severity", own(tool.severity));
  const saidSeverity = severityIn(givenSeverity, tool);
  const environment =
    own("platformenvironmentname|gitlabenvironmentname|environment") ?? own(tool.environment);
  return {
    readAs: tool.name ?? tool.kind ?? tool.format ?? "Nagios and its like",
    action: isOver ? "recovery" : isSeen ? "acknowledgement" : "firing",
    title: shortText("title", title, LONGEST.title, warn) ?? UNTITLED,
    description: shortText("description", textOf(own(tool.description)), LONGEST.description, warn),
    severity: isOver
      ? "unknown"
      : (saidSeverity ?? severityWord(givenSeverity, tool.otherwise ?? "critical", warn)),
    saidSeverity,
    service: shortText("service", textOf(own(tool.service)), LONGEST.service, warn),
    monitoringTool: tool.name ?? shortText("monitoring_tool", own("monitoringtool"), LONGEST.tool, warn),
    hosts: hostList(entryOf(specified, "hosts") ?? own(tool.hosts), warn),
    environmentName: typeof environment === "string" ? environment : null,
    runbookUrl: webAddress(own("runbook|runbookurl"), own(tool.link)),
    startedAt: isOver ? null : (givenStart ?? timeIn(own(tool.start) ?? own(tool.time), warn)),
    endedAt: isOver ? (givenEnd ?? timeIn(own(tool.end) ?? own(tool.time), warn)) : null,
    fingerprint: identityOf(members, payload, tool, rules),
    counting: "each",
    customNames: [],
    payload,
  };
}

function textIn(members: Folded, places: string): string | undefined {
  return textOf(valueIn(members, places))?.trim() || undefined;
}

/** Fills in the first template whose places are all non-empty. */
function titleIn(members: Folded, { titles }: Tool): string | undefined {
  for (const template of titles) {
    let isWhole = true;
    const title = template.replaceAll(/\{([^}]+)\}/g, (_all, places: string) => {
      const text = textIn(members, places);
      if (text === undefined) isWhole = false;
      return text ?? "";
    });
    if (isWhole) return title;
  }
  return undefined;
}

/** Returns the severity for the payload's word, by the tool's own table or the common one. */
function severityIn(given: unknown, tool: Tool): Severity | undefined {
  const word = textOf(given)?.trim().toLowerCase() ?? "";
  const own = tool.severities && entryOf(tool.severities, word);
  return own ?? severityOfLabel(given);
}

function timeIn(value: unknown, warn: Warn): Date | null {
  // As in generic payloads, a bare 0 is no time (decision 0128).
  if (value === undefined || value === 0) return null;
  const at = reportedTime(value);
  if (!at) warn("Its time cannot be read; the time of receipt is used.");
  return at ?? null;
}

/** Returns the payload's own fingerprint, else one of the tool's name and identity, else one of the compared part. */
function identityOf(members: Folded, payload: JsonObject, tool: Tool, rules: ReadingRules): Fingerprint {
  const given = givenFingerprint(Object.hasOwn(payload, "fingerprint") ? payload.fingerprint : undefined);
  if (given) return given;
  const tags = (tool.tags ?? []).map((places) => {
    const tag = valueIn(members, places);
    return typeof tag === "string" ? tag : undefined;
  });
  const parts = [
    ...tool.identity.map((places) => valueIn(members, places)),
    ...tags,
    ...listedIn(members, tool),
  ];
  const isNamed = parts.some((part) => part !== undefined);
  // A missing part keeps its place, so that different identities stay different.
  const named =
    isNamed &&
    givenFingerprint([tool.name ?? "check", ...parts.map((part) => part ?? "-"), tool.facet ?? null]);
  return named || payloadFingerprint(comparedPart(payload, rules));
}

/** Returns the sorted items of the tool's list that are part of the identity, joined into one text; [] without such a list. */
function listedIn(members: Folded, { listed }: Tool): string[] {
  if (!listed) return [];
  const list = valueIn(members, listed.place);
  const texts = (Array.isArray(list) ? list : []).filter((one) => typeof one === "string");
  return [
    texts
      .filter((one) => listed.members.test(one))
      .toSorted()
      .join(" "),
  ];
}
