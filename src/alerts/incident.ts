/** An incident: what people work on when an alert wants them, and how it is described from a report. */
import { cutText } from "../platform/cut-text.ts";
import { isObject } from "../platform/json-object.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { TEMPLATE_RULE } from "./incident-template.ts";
import type { AlertReport } from "./report.ts";
import { objectIn, ownValue } from "./senders/member.ts";
import { SEVERITIES } from "./severity.ts";

export const INCIDENT_STATES = ["opened", "closed"] as const;

export const IncidentRow = row({
  id: integer,
  projectId: integer,
  iid: integer,
  title: text,
  description: text,
  severity: oneOf(SEVERITIES),
  state: oneOf(INCIDENT_STATES),
  /** Opened for a storm of alerts, which share it, and not for one (decision 0177). */
  storm: boolean,
  authorId: nullable(integer),
  authorUsername: nullable(text),
  authorName: nullable(text),
  authorState: nullable(oneOf(["active", "blocked"])),
  closedAt: nullable(instant),
  closedById: nullable(integer),
  closedByUsername: nullable(text),
  closedByName: nullable(text),
  noteCount: integer,
  createdAt: instant,
  updatedAt: instant,
});
export type Incident = RowOf<typeof IncidentRow>;

/** In characters. */
export const MAX_DESCRIPTION = 1_000_000;

/** What is asked of the incidents of a project. */
export interface IncidentFilter {
  state?: Incident["state"] | undefined;
  search?: string | undefined;
  /** Only those with these numbers. */
  iids?: readonly number[] | undefined;
  authorId?: number | undefined;
  /** A username, in any case. */
  author?: string | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  updatedAfter?: Date | undefined;
  updatedBefore?: Date | undefined;
}

/** Whether more is asked for than a state: all that is said of an incident may have to be looked at. */
export function isSought({ state: _, ...others }: IncidentFilter): boolean {
  return Object.values(others).some((asked) => asked !== undefined && asked !== "");
}

/** What a report without a title is called as an incident. */
export function incidentTitle(report: Pick<AlertReport, "title">, untitled: boolean, iid: number): string {
  return untitled ? `New: Incident ${iid}` : report.title;
}

/** What an incident says of its alert. */
export type IncidentFacts = Pick<
  AlertReport,
  "startedAt" | "severity" | "service" | "monitoringTool" | "hosts" | "description"
> & { payload: unknown };

/** The body of an incident that an alert opens: its facts as a list, which the address of the alert ends (reference alerts A8). */
export function incidentBody(report: IncidentFacts, alertUrl: string): string {
  const said = (text: string | null) => (text === null ? null : inert(text));
  const facts: (readonly [string, string | null])[] = [
    ["Start time", report.startedAt?.toISOString() ?? null],
    ["Severity", report.severity],
    ["full_query", queryOf(report.payload)],
    ["Service", said(report.service)],
    ["Monitoring tool", said(report.monitoringTool)],
    ["Hosts", said(report.hosts.slice(0, 50).join(" ") || null)],
    ["Description", said(report.description)],
    ["Alert", alertUrl],
  ];
  return facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `**${name}:** ${value}`)
    .join("  \n");
}

const MAX_MARKDOWN = 10_000;

/**
 * What follows the facts, below a line: what the author of a rule wrote for its incidents, as Markdown in which nothing acts
 * (reference alerts A8); empty where there is none.
 */
export function saidByRule(payload: unknown): string {
  const annotations = isObject(payload) ? objectIn(payload, "annotations") : {};
  const markdown = ownValue(annotations, "gitlab_incident_markdown");
  if (typeof markdown !== "string") return "";
  const said = cutText(markdown, MAX_MARKDOWN)
    .split(/\r\n|\r|\n/)
    .map((line) => silent(line).replace(/^(\s*)(?=\/)/, "$1\u200b"))
    .join("\n")
    .trim();
  return said === "" ? "" : TEMPLATE_RULE + said;
}

/** The expression of Prometheus' rule, as code, in which nothing acts; null where the alert has no link with one. */
function queryOf(payload: unknown): string | null {
  const link = isObject(payload) ? payload.generatorURL : undefined;
  // `URL.canParse` takes some of very long hosts that `new URL` does not.
  const query = typeof link === "string" ? URL.parse(link)?.searchParams.get("g0.expr") : undefined;
  const line = query?.replaceAll("`", "'").replaceAll(/\s+/g, " ").trim();
  return line ? `\`${cutText(line, 1000)}\`` : null;
}

/** Text of a payload must not act: no line of its own (`/close`), no mention, and no link that calls itself other. */
function inert(text: string): string {
  // Line by line: a pattern that also takes the spaces around an end of line tries each run of spaces from each of them.
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(silent)
    .join(" ");
}

/** A line that mentions nobody and bears no link that calls itself other than it is. */
function silent(line: string): string {
  return line.replace(/@(?=\w)/g, "@\u200b").replace(/\](?=\()/g, "]\u200b");
}
