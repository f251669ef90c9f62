/** The query and the response headers of exports of alerts. */
import Type, { type Static } from "../platform/schema.ts";
import { EXPORT_FORMATS, type ExportFormat } from "./export.ts";
import { AlertsQuery } from "./wire.ts";

const {
  status,
  severity,
  environment,
  integration_id,
  search,
  silenced,
  include_test,
  iids,
  assignee_username,
} = AlertsQuery.properties;

export const ExportQuery = Type.Object({
  format: Type.Optional(
    Type.Enum([...EXPORT_FORMATS], { default: "json", description: "format of the file; default: json" }),
  ),
  status,
  severity,
  environment,
  integration_id,
  search,
  silenced,
  iids,
  assignee_username,
  include_test,
});
export type ExportQuery = Static<typeof ExportQuery>;

/** Returns the response headers with which browsers save an export as a file. */
export function exportHeaders(format: ExportFormat, projectPath: string): Record<string, string> {
  const name = projectPath.replaceAll("/", "-").replace(/[^\w.-]/g, "_");
  return {
    "content-type": format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/json",
    "content-disposition": `attachment; filename="alerts-of-${name}.${format}"`,
    "x-content-type-options": "nosniff",
    "cache-control": "private, no-store",
  };
}
