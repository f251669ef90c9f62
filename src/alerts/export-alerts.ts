/** Reads all alerts that match a filter as the chunks of a file, in pages, so that any number can be exported. */
import type { Platform } from "../platform/platform.ts";
import type { Alert } from "./alert.ts";
import { alertLine, CSV_HEAD, type ExportFormat } from "./export.ts";
import { readPayloads } from "./read-payloads.ts";
import { listAlertsBelow } from "./store-export.ts";
import type { AlertFilter } from "./store-lists.ts";

const A_READ = 100;

/**
 * Yields the chunks of the file. Calls `mayGoOn` before each page, which throws if the caller may no longer see the project;
 * the file is then truncated and not closed.
 */
export async function* exportAlerts(
  { db }: Pick<Platform, "db">,
  projectId: number,
  filter: AlertFilter,
  format: ExportFormat,
  { recordOf, mayGoOn }: { recordOf: (alert: Alert) => unknown; mayGoOn: () => Promise<unknown> },
): AsyncGenerator<string> {
  yield format === "csv" ? CSV_HEAD : "[";
  let below = Number.MAX_SAFE_INTEGER;
  let isFirst = true;
  for (let isMore = true; isMore; ) {
    await mayGoOn();
    // The matching alerts may be far apart; finding them must not delay other statements, hence `pooled`.
    const isBare = format === "csv";
    const alerts = await listAlertsBelow(db.pooled, projectId, filter, below, { limit: A_READ, isBare });
    for await (const alert of isBare ? alerts : readPayloads(db.pooled, alerts, { withFirst: true })) {
      yield isBare ? alertLine(alert) : `${isFirst ? "\n" : ",\n"}${JSON.stringify(recordOf(alert))}`;
      isFirst = false;
    }
    below = alerts.at(-1)?.iid ?? 0;
    isMore = alerts.length === A_READ;
  }
  if (format === "json") yield "\n]\n";
}
