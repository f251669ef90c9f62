/** Writes a whole list of events as NDJSON, or as CSV for spreadsheets (decision 0107). */
import Type, { type Static } from "../platform/schema.ts";
import { actionName, type Event } from "./event.ts";
import type { FoundCommits } from "./find-commits.ts";
import { eventRecord, type Listing } from "./wire.ts";
import { EventsQuery, OwnEventsQuery } from "./wire-query.ts";

/** The media types of an export, by format. */
export const EXPORT_TYPES = {
  ndjson: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
} as const;
export type ExportFormat = keyof typeof EXPORT_TYPES;
export const EXPORT_FORMATS = ["ndjson", "csv"] as const satisfies readonly ExportFormat[];

const {
  page: _page,
  per_page: _perPage,
  pagination: _pagination,
  cursor: _cursor,
  since: _since,
  ...filters
} = EventsQuery.properties;

/** The filters of the lists; an export has no pages. */
export const ExportQuery = Type.Object({
  ...filters,
  format: Type.Optional(
    Type.Enum(EXPORT_FORMATS, { default: "ndjson", description: "format of the export; default: ndjson" }),
  ),
});
export type ExportQuery = Static<typeof ExportQuery>;
export const OwnExportQuery = Type.Object({
  ...ExportQuery.properties,
  scope: OwnEventsQuery.properties.scope,
});
export type OwnExportQuery = Static<typeof OwnExportQuery>;

/** Writers of the first line, of each event, and of the last line, which shows that the export is complete. */
export interface ExportLines {
  head: string;
  line(event: Event, commits: FoundCommits): string;
  end(events: number, nextSince: string): string;
}

export function exportLines(
  format: ExportFormat,
  listing: Listing,
  publicUrl: string,
  include: ExportQuery["include"],
): ExportLines {
  if (format === "csv") {
    return {
      head: csvLine(Object.keys(COLUMNS)),
      line: (event) => csvLine(Object.values(COLUMNS).map((column) => column(event))),
      end: (events, nextSince) => csvLine(["#end", String(events), nextSince]),
    };
  }
  return {
    head: "",
    line: (event, commits) => `${JSON.stringify(eventRecord(event, listing, publicUrl, include, commits))}\n`,
    end: (events, nextSince) => `${JSON.stringify({ end: true, events, next_since: nextSince })}\n`,
  };
}

type Cell = string | number | null | undefined;

const COLUMNS: Readonly<Record<string, (event: Event) => Cell>> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  project_id: ({ projectId }) => projectId,
  project: ({ projectFullPath }) => projectFullPath,
  author_id: ({ authorId }) => authorId,
  author_username: ({ authorUsername }) => authorUsername,
  action: ({ action }) => action,
  action_name: actionName,
  target_type: ({ targetType }) => targetType,
  target_id: ({ targetId }) => targetId,
  target_iid: ({ targetIid }) => targetIid,
  target_title: ({ targetTitle }) => targetTitle,
  ref_type: ({ pushData }) => pushData?.refType,
  ref: ({ pushData }) => pushData?.ref,
  commit_count: ({ pushData }) => pushData?.commitCount,
  commit_from: ({ pushData }) => pushData?.commitFrom,
  commit_to: ({ pushData }) => pushData?.commitTo,
  commit_title: ({ pushData }) => pushData?.commitTitle,
  note: ({ note }) => note?.body,
};

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/** Escapes a cell, so that spreadsheets do not interpret it as a formula (RFC 4180; OWASP CSV injection). */
function cellOf(value: Cell): string {
  if (typeof value === "number") return String(value);
  const text = value ?? "";
  const harmless = /^\s*[=+\-@\t\r|%]/.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
