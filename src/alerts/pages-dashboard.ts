/** The open alerts of the viewer's projects on the start page. */
import type { Platform } from "../platform/platform.ts";
import { badge, severityBadge } from "../ui/badge.ts";
import { card, type DashboardCard } from "../ui/card.ts";
import { wholeNumber } from "../ui/count.ts";
import { type Html, html } from "../ui/html.ts";
import { type Column, table } from "../ui/table.ts";
import { timeAgo } from "../ui/time.ts";
import { listUrgentAlerts, type ShownAlert } from "./store-dashboard.ts";

const MAX_SHOWN = 6;

/** The page that lists all open alerts. */
export const OPEN_ALERTS = "/-/alerts";

/**
 * Returns the most critical open alerts of all the viewer's projects; no card if there are none (passed in by
 * `page-doors.ts`).
 */
export function openAlertsCard({ db }: Platform): DashboardCard {
  return async (viewer, now) => {
    const alerts = await listUrgentAlerts(
      db,
      viewer.id,
      { assigned: false },
      { limit: MAX_SHOWN, offset: 0 },
    );
    const [first] = alerts;
    if (!first) return undefined;
    const all = first.total === 1 ? "One alert" : `${wholeNumber(first.total)} alerts`;
    return card({
      id: "open-alerts",
      heading: "Open alerts",
      lead: html`<a href="${OPEN_ALERTS}">${all}</a>${first.total > 1 && ", most critical first"}.`,
      flush: alertTable("Open alerts", alerts, now),
      footer:
        first.total > alerts.length
          ? html`<a href="${OPEN_ALERTS}">Show all ${wholeNumber(first.total)} open alerts</a>`
          : undefined,
    });
  };
}

/**
 * Returns a table of alerts of several projects; with `words`, a project's name links to its alerts that match them. `more` are
 * columns before the last one.
 */
export function alertTable<A extends ShownAlert>(
  caption: string,
  alerts: readonly A[],
  now: Date,
  { words, more = [] }: { words?: string | undefined; more?: readonly Column<A>[] } = {},
): Html {
  return table<A>({
    caption,
    look: "cards alerts",
    rows: alerts,
    columns: [
      { head: "Severity", kind: "sev", cell: ({ severity }) => severityBadge(severity) },
      { head: "Alert", kind: "main", rowHeader: true, cell: (alert) => titleCell(alert, words) },
      { head: "Occurrences", kind: "occ-cell", cell: ({ events }) => occurrences(events) },
      ...more,
      { head: "Last seen", kind: "nowrap seen sub", cell: ({ lastSeenAt }) => timeAgo(lastSeenAt, now) },
    ],
  });
}

function occurrences(events: number): Html {
  return html`<span class="occ"><span class="count${events === 1 ? " one" : ""}">${wholeNumber(events)}</span></span>`;
}

const STATUS_WORDS = {
  triggered: undefined,
  acknowledged: "Acknowledged",
  resolved: "Resolved",
  ignored: "Ignored",
} as const;

function titleCell(alert: ShownAlert, words: string | undefined): Html {
  const home = `/${alert.projectFullPath}`;
  const query = words === undefined ? "" : `?${new URLSearchParams({ tab: "all", search: words })}`;
  const status = STATUS_WORDS[alert.status];
  const marks = [
    html`<a href="${`${home}/-/alerts${query}`}">${alert.projectName}</a>`,
    alert.service,
    status && badge(status),
    alert.silenced ? badge("Silenced", "line") : undefined,
    alert.assignedToViewer > 0 ? badge("Yours", "accent") : undefined,
  ].filter((mark) => mark !== undefined && mark !== null);
  return html`<a class="title wrap-any" href="${`${home}/-/alerts/${alert.iid}`}">${alert.title}</a><span class="meta">${marks.map((mark) => html`<span>${mark}</span>`)}</span>`;
}
