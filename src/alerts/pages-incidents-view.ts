/** The parts of the incident pages. */
import { cutText } from "../platform/cut-text.ts";
import { badge, severityBadge, statusBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { bareCard, card, columns, emptyState, pageHead, properties, tabs } from "../ui/card.ts";
import { wholeNumber } from "../ui/count.ts";
import { confirmDialog, postButton } from "../ui/dialog.ts";
import { errorSummary, type FormToken, hiddenField, postForm, textArea } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeAgo, timeExact } from "../ui/time.ts";
import { timeline } from "../ui/timeline.ts";
import { filterBar } from "../ui/toolbar.ts";
import { STATUS_WORDS } from "./alert.ts";
import type { Incident } from "./incident.ts";
import type { MetricImage } from "./metric-image.ts";
import { statusTone } from "./pages-alerts-list.ts";
import { queryString, withBold } from "./pages-frame.ts";
import { editForm, type RefusedEdit } from "./pages-incident-edit.ts";
import { imagesCard, type RefusedImage } from "./pages-metric-images-view.ts";
import { prose } from "./pages-prose.ts";
import type { listAlertsOfIncident, Note } from "./store-incidents.ts";

export const INCIDENTS_A_PAGE = 20;
/** How many notes, the newest ones, the page of an incident shows. */
export const MAX_NOTES = 500;
/** How many characters of a note are shown; it may have a million. */
export const MAX_LETTERS = 20_000;

export interface IncidentList {
  home: string;
  tab: "open" | "closed" | "all";
  search: string | undefined;
  page: number;
  counts: { opened: number; closed: number; all: number };
  incidents: readonly Incident[];
  now: Date;
  mayOpen: boolean;
}

/** Returns the list of incidents. */
export function incidentList(made: IncidentList): Html {
  const { home, tab, search, page, counts, incidents, now, mayOpen } = made;
  const href = (change: { tab?: string; page?: number }) =>
    `${home}/-/incidents${queryString({ tab: tab === "open" ? undefined : tab, search, ...change })}`;
  const top = html`${tabs(
    "Incident state",
    [
      { label: "Open", href: href({ tab: "" }), count: counts.opened, current: tab === "open" },
      { label: "Closed", href: href({ tab: "closed" }), count: counts.closed, current: tab === "closed" },
      { label: "All", href: href({ tab: "all" }), count: counts.all, current: tab === "all" },
    ],
    true,
  )}${filterBar({
    label: "Filter incidents",
    action: `${home}/-/incidents`,
    keep: { tab: tab === "open" ? undefined : tab },
    search: { name: "search", value: search, placeholder: "Title or description", label: "Filter by text" },
    filters: [],
  })}`;
  const total = tab === "open" ? counts.opened : tab === "closed" ? counts.closed : counts.all;
  const none =
    page > 1
      ? pastTheEnd("incidents", href({}), 2)
      : emptyState({
          heading: search ? "No incident matches" : "No incident here",
          level: 2,
          text: "Alerts open incidents automatically and close them when they are resolved.",
          action: search ? linkButton("Show all", `${home}/-/incidents`) : undefined,
        });
  const list =
    incidents.length === 0
      ? none
      : table({
          caption: "Incidents",
          look: "cards alerts",
          columns: [
            { head: "Severity", kind: "sev", cell: (one: Incident) => severityBadge(one.severity) },
            {
              head: "Incident",
              kind: "main",
              rowHeader: true,
              cell: (one) => titleCell(home, one),
            },
            { head: "Opened", kind: "nowrap seen sub", cell: (one) => timeAgo(one.createdAt, now) },
          ],
          rows: incidents,
        });
  const first = (page - 1) * INCIDENTS_A_PAGE;
  const footer =
    incidents.length > 0
      ? html`<span>${wholeNumber(first + 1)}–${wholeNumber(first + incidents.length)} of ${wholeNumber(total)}</span>${pager({ page, totalPages: Math.ceil(total / INCIDENTS_A_PAGE), hrefFor: (number) => href({ page: number }) })}`
      : undefined;
  return html`${pageHead({ heading: "Incidents", lead: "What people are working on. Alerts open them, or you do.", actions: [mayOpen && linkButton("New incident", `${home}/-/incidents/new`, { tone: "primary", icon: "plus", key: "n" })] })}${bareCard("Incident list", html`${top}${list}`, footer)}`;
}

/** As in the list of alerts, only closed ones get a badge. */
function titleCell(home: string, { iid, title, noteCount, state }: Incident): Html {
  const notes = noteCount > 0 && html`<span>${noteCount} ${noteCount === 1 ? "note" : "notes"}</span>`;
  const closed = state === "closed" && html`<span>${badge("Closed", "ok")}</span>`;
  return html`<a class="title wrap-any" href="${`${home}/-/incidents/${iid}`}">${title}</a><span class="meta"><span>#${iid}</span>${notes}${closed}</span>`;
}

function stateBadge(incident: Pick<Incident, "state">): Html {
  return incident.state === "closed" ? statusBadge("Closed", "ok") : statusBadge("Open", "plain");
}

export interface IncidentView {
  home: string;
  incident: Incident;
  alerts: Awaited<ReturnType<typeof listAlertsOfIncident>>;
  /** Counts of all its alerts, including those that are not listed. */
  counts: { open: number; all: number };
  images: readonly MetricImage[];
  refusedImage: RefusedImage | undefined;
  notes: readonly Note[];
  /** Whether older ones are left out. */
  areNotesCut: boolean;
  now: Date;
  csrfToken: FormToken;
  mayChange: boolean;
  /** Whether the viewer may open the pages of its alerts (decision 0102). */
  seesAlerts: boolean;
  note: string | undefined;
  noteError: string | undefined;
  refusedEdit: RefusedEdit | undefined;
}

/** Returns the page of one incident. */
export function incidentView(view: IncidentView): Html {
  const { incident, home, csrfToken, mayChange } = view;
  const action = incident.state === "closed" ? "reopen" : "close";
  const button = submitButton(action === "close" ? "Close incident" : "Reopen incident", {
    tone: action === "close" ? "primary" : undefined,
  });
  const path = `${home}/-/incidents/${incident.iid}`;
  const openAlerts = action === "reopen" ? 0 : view.counts.open;
  const its =
    openAlerts === 1
      ? "Its alert is still open. It is"
      : `${openAlerts} of its alerts are still open. They are`;
  const asking = confirmDialog(
    { words: "Close incident", tone: "primary" },
    {
      id: "close",
      heading: `Close incident #${incident.iid}?`,
      text: `${its} resolved with it, and opened again if the incident is reopened.`,
      action: path,
      csrfToken,
      fields: { action: "close" },
      confirm: "Close and resolve",
      keep: "Leave it open",
      harmless: true,
    },
  );
  const head = pageHead({
    heading: incident.title,
    above: html`${severityBadge(incident.severity)}${stateBadge(incident)}<span class="sub" data-link="${path}">Incident #${incident.iid}, opened ${timeExact(incident.createdAt)}</span>`,
    actions: [mayChange && (openAlerts > 0 ? asking : postButton(path, csrfToken, button, { action }))],
  });
  const pictured = { ...view, kind: "incident" as const, iid: incident.iid };
  const images = imagesCard({ ...pictured, csrfToken: mayChange ? csrfToken : undefined });
  return html`${head}${columns([description(view, path), alertsCard(view), images, timelineCard(view)], [details(view)])}`;
}

function description({ incident, csrfToken, mayChange, refusedEdit }: IncidentView, path: string): Html {
  const text = incident.description;
  const body = text.trim() === "" ? html`<p class="text-2">No description yet.</p>` : prose(text);
  const form = mayChange && csrfToken !== undefined && editForm(path, incident, csrfToken, refusedEdit);
  return card({ id: "about", heading: "Description", body: html`${body}${form}` });
}

function alertsCard(view: IncidentView): Html | false {
  const { incident, alerts, counts, home, now, csrfToken, mayChange, seesAlerts } = view;
  if (alerts.length === 0) return false;
  const areAll = alerts.length >= counts.all;
  const listed = areAll ? "" : `${alerts.length} of ${counts.all} are listed.`;
  const resolving =
    mayChange && csrfToken !== undefined && incident.state !== "closed"
      ? `Closing this incident resolves ${areAll ? "them" : "all of them"}.`
      : "";
  return card({
    id: "alerts",
    heading: "Alerts",
    lead: [listed, resolving].filter(Boolean).join(" ") || undefined,
    flush: table({
      caption: "Alerts of this incident",
      columns: [
        {
          head: "Alert",
          rowHeader: true,
          cell: (one: (typeof alerts)[number]) =>
            html`${seesAlerts ? html`<a class="title wrap-any" href="${`${home}/-/alerts/${one.iid}`}">${one.title}</a>` : html`<span class="title wrap-any">${one.title}</span>`}<br><span class="sub">#${one.iid}</span>`,
        },
        { head: "Severity", cell: (one) => severityBadge(one.severity) },
        { head: "Status", cell: (one) => statusBadge(STATUS_WORDS[one.status], statusTone(one.status)) },
        { head: "Occurrences", kind: "num", cell: (one) => one.events },
        { head: "Started", kind: "nowrap", cell: (one) => timeAgo(one.startedAt, now) },
      ],
      rows: alerts,
    }),
  });
}

function timelineCard(view: IncidentView): Html {
  const { incident, notes, areNotesCut, home, csrfToken, now, note, noteError } = view;
  const opened = {
    mark: { icon: "siren" as const, tone: "crit" as const },
    what: html`Opened by <strong>${incident.authorName ?? "the service"}</strong>`,
    when: timeAgo(incident.createdAt, now),
  };
  const steps = notes.map((one) => {
    const when = timeAgo(one.createdAt, now);
    const name = one.authorName ?? "Somebody";
    const who = one.authorUsername
      ? html`<a class="title" href="${`/${one.authorUsername}`}">${name}</a>`
      : html`<strong>${name}</strong>`;
    if (one.system)
      return { mark: { icon: "refresh" as const }, what: html`${who} ${withBold(one.body)}`, when };
    return {
      by: name,
      what: html`${who} wrote`,
      when,
      quote: prose(cutText(one.body, MAX_LETTERS) + (one.body.length > MAX_LETTERS ? " …" : "")),
    };
  });
  const action = `${home}/-/incidents/${incident.iid}`;
  const text = textArea({
    name: "note",
    label: "Add a note",
    rows: 3,
    value: note,
    error: noteError,
    key: "c",
  });
  const summary = errorSummary([{ id: "note", label: "Note", error: noteError }]);
  const fields = html`${hiddenField("action", "note")}${summary}${text}`;
  const form =
    csrfToken !== undefined &&
    html`<div class="mt">${postForm({ action, csrfToken }, fields, submitButton("Add note"))}</div>`;
  return card({
    id: "timeline",
    heading: "Timeline",
    body: html`${areNotesCut && html`<p class="sub">Older notes are left out.</p>`}${timeline([opened, ...steps])}${form}`,
  });
}

function details({ incident, counts }: IncidentView): Html {
  const { closedByName, closedByUsername } = incident;
  const closer =
    closedByName === null || closedByUsername === null
      ? undefined
      : html`<a href="${`/${closedByUsername}`}">${closedByName}</a>`;
  return card({
    id: "details",
    heading: "Details",
    body: properties([
      ["Severity", severityBadge(incident.severity)],
      ["Alerts", counts.all],
      ["Opened", timeExact(incident.createdAt)],
      ["Closed", incident.closedAt ? timeExact(incident.closedAt) : undefined],
      ["Closed by", closer],
    ]),
  });
}
