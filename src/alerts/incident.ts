/** An incident: what people work on when an alert needs them, and how its description is built from a report. */
import { USER_STATES } from "../accounts/user.ts";
import type { AuthoredFilter } from "../platform/authored-filter.ts";
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
  /** Whether the alerts of a storm share it (decision 0177). */
  storm: boolean,
  authorId: nullable(integer),
  authorUsername: nullable(text),
  authorName: nullable(text),
  authorState: nullable(oneOf(USER_STATES)),
  closedAt: nullable(instant),
  closedById: nullable(integer),
  closedByUsername: nullable(text),
  closedByName: nullable(text),
  closedByState: nullable(oneOf(USER_STATES)),
  noteCount: integer,
  createdAt: instant,
  updatedAt: instant,
});
export type Incident = RowOf<typeof IncidentRow>;

/** Which incidents of a project to list. */
export interface IncidentFilter extends AuthoredFilter {
  state?: Incident["state"] | undefined;
  search?: string | undefined;
  /** Where to search; absent or empty: in both. */
  searchIn?: readonly ("title" | "description")[] | undefined;
  /** Only those with these iids. */
  iids?: readonly number[] | undefined;
  notIids?: readonly number[] | undefined;
}

/** Whether anything but the state is filtered, so that the incidents themselves must be searched. */
export function isSought({ state: _, ...others }: IncidentFilter): boolean {
  return Object.values(others).some((asked) => asked !== undefined && asked !== "");
}

/** Returns the title of an alert's incident; one whose report has no title gets a title with its number. */
export function incidentTitle(report: Pick<AlertReport, "title">, untitled: boolean, iid: number): string {
  return untitled ? `New: Incident ${iid}` : report.title;
}

/** What an incident's description says of its alert. */
export type IncidentFacts = Pick<
  AlertReport,
  "startedAt" | "severity" | "service" | "monitoringTool" | "hosts" | "description"
> & { payload: unknown };

/** Returns the description of an alert's incident: its facts as a list that ends with the alert's URL (reference alerts A8). */
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
 * Returns what follows the facts, after a separator: the Markdown for incidents from an alerting rule's annotations, with
 * commands, mentions and disguised links disabled (reference alerts A8); empty if there is none.
 */
export function saidByRule(payload: unknown): string {
  const annotations = isObject(payload) ? objectIn(payload, "annotations") : {};
  const markdown = ownValue(annotations, "gitlab_incident_markdown");
  if (typeof markdown !== "string") return "";
  const said = cutText(markdown, MAX_MARKDOWN)
    .split(/\r\n|\r|\n/)
    .map((line) => withoutActions(line).replace(/^(\s*)(?=\/)/, "$1\u200b"))
    .join("\n")
    .trim();
  return said === "" ? "" : TEMPLATE_RULE + said;
}

/** Returns the expression of Prometheus' rule as inline code; null if the alert's link has none. */
function queryOf(payload: unknown): string | null {
  const link = isObject(payload) ? payload.generatorURL : undefined;
  // `URL.canParse` accepts some very long hosts that `new URL` rejects.
  const query = typeof link === "string" ? URL.parse(link)?.searchParams.get("g0.expr") : undefined;
  const line = query?.replaceAll("`", "'").replaceAll(/\s+/g, " ").trim();
  return line ? `\`${cutText(line, 1000)}\`` : null;
}

/** Makes text of a payload inert: one line (so no `/close`), no mention, and no link whose text differs from its target. */
function inert(text: string): string {
  // Line by line, since a pattern that also matches the spaces around line breaks would backtrack over each run of spaces.
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(withoutActions)
    .join(" ");
}

/** Disables the mentions of a line, and links whose text differs from their target. */
function withoutActions(line: string): string {
  return line.replace(/@(?=\w)/g, "@\u200b").replace(/\](?=\()/g, "]\u200b");
}
