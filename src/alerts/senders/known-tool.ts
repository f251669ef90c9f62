/** Reads the webhooks of known tools, each by its entry in a table (decision 0124). */
import { entryOf } from "../../platform/entry-of.ts";
import type { JsonObject } from "../../platform/json-object.ts";
import { type Fingerprint, givenFingerprint, payloadFingerprint } from "../fingerprint.ts";
import { comparedPart, type ReadingRules } from "../reading-rules.ts";
import type { AlertReport } from "../report.ts";
import { reportedTime } from "../reported-time.ts";
import { type Severity, severityOfLabel } from "../severity.ts";
import { translated } from "../value-tables.ts";
import { foldedMembers, standsIn, valueIn } from "./folded.ts";
import { hostList, severityWord, shortText, textOf, UNTITLED, type Warn, webAddress } from "./member.ts";
import { specifiedIn } from "./specified.ts";
import { type Tool, WATCHERS } from "./tools.ts";
import { AZURE } from "./tools-of-azure.ts";
import { BUILDERS } from "./tools-of-builds.ts";
import { CLOUDS, RELAYS } from "./tools-of-clouds.ts";
import { CODE_TOOLS } from "./tools-of-code.ts";
import { DEVICES } from "./tools-of-devices.ts";
import { EVENT_TOOLS } from "./tools-of-events.ts";
import { FORGES } from "./tools-of-forges.ts";
import { NETWORKS } from "./tools-of-networks.ts";
import { PIPELINES } from "./tools-of-pipelines.ts";
import { PLATFORMS } from "./tools-of-platforms.ts";
import { RESPONDERS } from "./tools-of-responders.ts";
import { SEARCHES } from "./tools-of-searches.ts";
import { SECURITY_TOOLS } from "./tools-of-security.ts";
import { SERVICES } from "./tools-of-services.ts";
import { STORES } from "./tools-of-stores.ts";
import { ZABBIX } from "./tools-of-zabbix.ts";
import { UNKNOWN_TOOLS } from "./unknown-tools.ts";

type Folded = ReadonlyMap<string, unknown>;

// The first entry that fits wins, so tools that are added later stand behind: they take no payload from those before them.
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
  ...SECURITY_TOOLS,
  ...SEARCHES,
  ...PIPELINES,
  ...RESPONDERS,
  ...STORES,
  ...NETWORKS,
  // Last, since least tells them from anything else.
  ...UNKNOWN_TOOLS,
];

/** Those whose own payloads may have words of the specification: no others are asked about one that has some. */
const SHARING: readonly Tool[] = TOOLS.filter(({ shared }) => shared !== undefined);

/** Longer than any word for a state: of a longer text no more is looked at, for some patterns try again at each word. */
const MAX_STATE = 200;

/**
 * The tool whose payload this is, if it is one's and has no words of the specification that are not that tool's as well
 * (decision 0219); with `form`, only of tools that send forms.
 */
export function toolOf(payload: JsonObject, { form = false } = {}): Tool | undefined {
  const said = specifiedIn(payload);
  // A form that is nobody's is refused; one of a tool that has further words of ours is read by them, once it is taken.
  const counted = form ? said.filter((name) => name === "title") : said;
  const asked = counted.length === 0 ? TOOLS : SHARING;
  const left = asked.filter(
    (tool) => counted.every((name) => tool.shared?.includes(name)) && (tool.form || !form),
  );
  if (left.length === 0) return undefined;
  const members = foldedMembers(payload);
  return left.find((tool) => isMarked(tool, members));
}

/** The tool whose CloudEvent this is, if its type is one of those that are known. */
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

/** What a payload of this tool says of its one alert. */
export function readTool(tool: Tool, payload: JsonObject, rules: ReadingRules, warn: Warn): AlertReport {
  const members = foldedMembers(payload);
  const own = (places: string | undefined): unknown => (places ? valueIn(members, places) : undefined);
  const state = (textOf(own(tool.state))?.trim() ?? "").slice(0, MAX_STATE);
  const isOver = tool.over?.test(state) ?? false;
  const isSeen = !isOver && (tool.acknowledged?.test(state) ?? false);
  const title = titleIn(members, tool);
  if (title === undefined) warn(`It says nothing that could be a title; the alert is called ${UNTITLED}.`);
  const told = translated(rules.valueTables, "severity", own(tool.severity));
  const saidSeverity = saidIn(told, tool);
  const environment =
    own("platformenvironmentname|gitlabenvironmentname|environment") ?? own(tool.environment);
  return {
    readAs: tool.name ?? tool.kind ?? "Nagios and its like",
    action: isOver ? "recovery" : isSeen ? "acknowledgement" : "firing",
    title: shortText("title", title, 200, warn) ?? UNTITLED,
    description: shortText("description", textOf(own(tool.description)), 1000, warn),
    severity: isOver ? "unknown" : (saidSeverity ?? severityWord(told, tool.otherwise ?? "critical", warn)),
    saidSeverity,
    service: shortText("service", textOf(own(tool.service)), 100, warn),
    monitoringTool: tool.name ?? shortText("monitoring_tool", own("monitoringtool"), 100, warn),
    hosts: hostList(own(tool.hosts), warn),
    environmentName: typeof environment === "string" ? environment : null,
    runbookUrl: webAddress(own("runbook|runbookurl"), own(tool.link)),
    startedAt: isOver ? null : timeIn(own(tool.start) ?? own(tool.time), warn),
    endedAt: isOver ? timeIn(own(tool.end) ?? own(tool.time), warn) : null,
    fingerprint: identityOf(members, payload, tool, rules),
    counting: "each",
    customNames: [],
    payload,
  };
}

function textIn(members: Folded, places: string): string | undefined {
  return textOf(valueIn(members, places))?.trim() || undefined;
}

/** The first template whose places all hold something. */
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

/** How bad it says that it is, in any words that are known. */
function saidIn(told: unknown, tool: Tool): Severity | undefined {
  const word = textOf(told)?.trim().toLowerCase() ?? "";
  const own = tool.severities && entryOf(tool.severities, word);
  return own ?? severityOfLabel(told);
}

function timeIn(value: unknown, warn: Warn): Date | null {
  // As in our own payloads, a bare 0 is no time (decision 0128).
  if (value === undefined || value === 0) return null;
  const at = reportedTime(value);
  if (!at) warn("Its time cannot be read; the time of receipt is used.");
  return at ?? null;
}

/** A fingerprint that the payload names, else the tool's own name of the trouble after the tool's, else the whole payload. */
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
  // A part that is missing keeps its place, so that no two names run together.
  const named =
    isNamed &&
    givenFingerprint([tool.name ?? "check", ...parts.map((part) => part ?? "-"), tool.facet ?? null]);
  return named || payloadFingerprint(comparedPart(payload, rules));
}

/** The members of a list that name something, in an order of their own; none for a tool that has no such list. */
function listedIn(members: Folded, { listed }: Tool): string[] {
  if (!listed) return [];
  const list = valueIn(members, listed.place);
  const named = (Array.isArray(list) ? list : []).filter((one) => typeof one === "string");
  return [
    named
      .filter((one) => listed.members.test(one))
      .toSorted()
      .join(" "),
  ];
}
