/** Alerts as a file: CSV for spreadsheets, JSON for programs. */
import type { Alert } from "./alert.ts";

export const EXPORT_FORMATS = ["csv", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Columns of the CSV, in the names of the API. */
const COLUMNS: readonly (readonly [name: string, cellOf: (alert: Alert) => string | number | null])[] = [
  ["iid", (alert) => alert.iid],
  ["title", (alert) => alert.title],
  ["severity", (alert) => alert.severity],
  ["status", (alert) => alert.status],
  ["service", (alert) => alert.service],
  ["monitoring_tool", (alert) => alert.monitoringTool],
  ["hosts", (alert) => alert.hosts.join(" ")],
  ["environment", (alert) => alert.environmentName],
  ["integration", (alert) => alert.integrationName],
  ["events", (alert) => alert.events],
  ["deliveries", (alert) => alert.deliveries],
  ["started_at", (alert) => alert.startedAt.toISOString()],
  ["ended_at", (alert) => alert.endedAt?.toISOString() ?? null],
  ["last_seen_at", (alert) => alert.lastSeenAt.toISOString()],
  ["issue_iid", (alert) => alert.incidentIid],
  ["assignees", (alert) => alert.assignees.map((one) => one.username).join(" ")],
  ["description", (alert) => alert.description],
];

/** The header line of the CSV. */
export const CSV_HEAD = csvLine(COLUMNS.map(([name]) => name));

/** Returns the CSV line of one alert. */
export function alertLine(alert: Alert): string {
  return csvLine(COLUMNS.map(([, cellOf]) => cellOf(alert)));
}

/** Returns a line of RFC 4180, ended by CRLF. */
function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/**
 * Returns a cell that no spreadsheet evaluates as a formula: text that begins with = + - @, a tab or a line break gets an
 * apostrophe before it.
 */
export function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const inert = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return /[",\r\n;]/.test(inert) || inert !== inert.trim() ? `"${inert.replaceAll('"', '""')}"` : inert;
}
