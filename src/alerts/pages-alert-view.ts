/** The parts of an alert's page. */
import { badge, severityBadge, statusBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, columns, figures, pageHead, properties, tabs } from "../ui/card.ts";
import { barChart } from "../ui/chart.ts";
import { face } from "../ui/face.ts";
import { csrfField, textArea } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { copyButton, jsonBlock, secretField } from "../ui/secret.ts";
import { pager, scrollTable } from "../ui/table.ts";
import { agoWords, clockWords, durationWords, timeAgo, timeExact, timeTag } from "../ui/time.ts";
import { type TimelineStep, timeline } from "../ui/timeline.ts";
import { type Alert, STATUS_WORDS } from "./alert.ts";
import { fingerprintText } from "./fingerprint.ts";
import { statusTone } from "./pages-alerts-list.ts";
import { queryText, withBold } from "./pages-frame.ts";
import type { Activity, Occurrence } from "./store-occurrences.ts";

export const OCCURRENCES_A_PAGE = 5;

export interface AlertView {
  home: string;
  alert: Alert;
  /** The alert as which this one recurred. */
  nextIid: number | null;
  spans: readonly { bucket: number; n: number; firstAt: Date; lastAt: Date }[];
  spanCount: number;
  occurrences: readonly Occurrence[];
  occurrencePage: number;
  occurrenceTotal: number;
  /** The payload of an occurrence that was asked for. */
  shown: { at: Date; payload: unknown } | undefined;
  activity: readonly Activity[];
  csrfToken: string;
  now: Date;
  comment: string | undefined;
  commentError: string | undefined;
  viewerId: number;
  /** Receipts are for Maintainers. */
  seesReceipts: boolean;
}

/** Everything between the bars of the page. */
export function alertView(view: AlertView): Html {
  const { alert, now, home } = view;
  const ended = alert.endedAt ?? now;
  const lasted = durationWords((ended.getTime() - alert.startedAt.getTime()) / 1000).split(/ (?=[a-z]+$)/);
  const seen = agoWords(alert.lastSeenAt, now);
  return html`${head(view)}${relatives(view)}${figures([
    { label: "Occurrences", value: alert.events },
    { label: alert.endedAt ? "Lasted" : "Open for", value: lasted[0] ?? "", unit: lasted[1] ?? "" },
    { label: "Last seen", value: seen },
    { label: "Hosts", value: alert.hosts.length },
  ])}
<div class="mt">${tabs("On this page", [
    { label: "Overview", href: "#overview", current: true },
    { label: "Occurrences", href: "#occurrences", count: alert.events },
    { label: "Activity", href: "#activity", count: view.activity.length },
    { label: "Payload", href: "#payload" },
  ])}</div>
${columns([overview(alert), occurrenceCard(view), activityCard(view)], [details(home, view), resolving(alert), payloadCard(view)])}`;
}

function head({ alert, home, csrfToken }: AlertView): Html {
  const isResolved = alert.status === "resolved";
  const act = (action: string, words: string, tone?: "primary") =>
    submitButton(words, { name: "action", value: action, ...(tone ? { tone } : {}) });
  const buttons = isResolved
    ? act("reopen", "Reopen")
    : html`${alert.status === "acknowledged" ? act("reopen", "Unacknowledge") : act("acknowledge", "Acknowledge")}${alert.status === "ignored" ? "" : act("ignore", "Ignore")}${act("resolve", "Resolve", "primary")}`;
  return pageHead({
    heading: alert.title,
    above: html`${severityBadge(alert.severity)}${statusBadge(STATUS_WORDS[alert.status], statusTone(alert.status))}${alert.test ? badge("Test", "brass") : ""}<span class="sub">#${alert.iid}, began ${timeExact(alert.startedAt)}</span>`,
    actions: [
      alert.silenceId === null &&
        !isResolved &&
        linkButton("Silence", `${home}/-/silences/new?alert=${alert.iid}`),
      alert.incidentIid !== null &&
        linkButton(`View incident #${alert.incidentIid}`, `${home}/-/incidents/${alert.incidentIid}`, {
          icon: "siren",
        }),
      html`<form method="post" action="${`${home}/-/alerts/${alert.iid}`}" class="btn-row">${csrfField(csrfToken)}${buttons}</form>`,
    ],
  });
}

function relatives({ alert, nextIid, home }: AlertView): Html {
  const link = (iid: number) => html`<a href="${`${home}/-/alerts/${iid}`}">#${iid}</a>`;
  const before =
    alert.recurrenceOfIid === null ? undefined : html`It came before as ${link(alert.recurrenceOfIid)}.`;
  const after = nextIid === null ? undefined : html`It was opened again as ${link(nextIid)}.`;
  const test = alert.test
    ? "A test alert: it opens no incident, stands in no count and goes after 24 hours."
    : undefined;
  const silenced =
    alert.silenceId === null
      ? undefined
      : html`<a href="${`${home}/-/silences/${alert.silenceId}`}">Silence ${alert.silenceId}</a> keeps it quiet: it opened no incident and notifies nobody.`;
  const notes = [test, silenced, before, after].filter((note) => note !== undefined);
  return html`${notes.map((text) => message({ kind: "note", text }))}`;
}

function overview(alert: Alert): Html {
  const runbook =
    alert.runbookUrl !== null &&
    html`<p>Runbook: ${/^https?:\/\//i.test(alert.runbookUrl) ? html`<a href="${alert.runbookUrl}" rel="noreferrer noopener">${alert.runbookUrl}</a>` : alert.runbookUrl}</p>`;
  const lines = (alert.description ?? "").split(/\n+/).filter((line) => line.trim() !== "");
  return card({
    id: "overview",
    heading: "Description",
    body: html`<div class="prose wrap-any">${lines.length > 0 ? lines.map((line) => html`<p>${line}</p>`) : html`<p class="text-2">The payload brought no description.</p>`}${runbook}</div>`,
  });
}

function occurrenceCard(view: AlertView): Html {
  const { alert, spans, home, occurrencePage: page, occurrenceTotal: total } = view;
  const base = `${home}/-/alerts/${alert.iid}`;
  const [first] = spans;
  const chart = first ? occurrenceChart(view, first) : html`<p class="text-2">No occurrence was kept.</p>`;
  const list = scrollTable({
    caption: "Occurrence table",
    columns: [
      {
        head: "Received",
        rowHeader: true,
        cell: (one: Occurrence) => timeTag(one.receivedAt, secondWords(one.receivedAt)),
      },
      { head: "What", cell: (one: Occurrence) => (one.kind === "firing" ? "Firing" : "Recovery") },
      {
        head: "Hosts",
        cell: (one: Occurrence) =>
          html`${one.hosts.slice(0, 8).map((host) => html`<code class="nowrap">${host}</code> `)}${one.hosts.length > 8 ? `and ${one.hosts.length - 8} more` : ""}`,
      },
      {
        head: "Payload",
        hiddenHead: true,
        kind: "act",
        cell: (one: Occurrence) =>
          html`<a href="${`${base}${queryText({ occurrences: page === 1 ? undefined : page, occurrence: one.id })}#payload`}">Payload<span class="sr"> received ${clockWords(one.receivedAt)}</span></a>${view.seesReceipts && html` <a href="${`${home}/-/settings/operations/receipts/${one.receiptId}`}">Receipt<span class="sr"> of ${clockWords(one.receivedAt)}</span></a>`}`,
      },
    ],
    rows: view.occurrences,
  });
  return card({
    id: "occurrences",
    heading: "Occurrences",
    lead: alert.grouped
      ? "Identical alerts join this one. Only times and hosts may differ."
      : "Grouping is off, so each occurrence is an alert of its own.",
    flush: html`<div class="body">${chart}</div>${list}`,
    footer: html`<span>${alert.deliveries} ${alert.deliveries === 1 ? "delivery" : "deliveries"}, ${alert.events} ${alert.events === 1 ? "occurrence" : "occurrences"}</span>${pager(
      {
        page,
        totalPages: Math.ceil(total / OCCURRENCES_A_PAGE),
        hrefFor: (number) => `${base}${queryText({ occurrences: number })}#occurrences`,
        label: "Occurrence pages",
      },
    )}`,
  });
}

/** `2026-11-18 09:30:12`. */
function secondWords(at: Date): string {
  return at.toISOString().slice(0, 19).replace("T", " ");
}

function occurrenceChart({ spans, spanCount, now }: AlertView, first: { firstAt: Date; lastAt: Date }): Html {
  const { firstAt, lastAt } = first;
  const width = Math.max(1000, lastAt.getTime() - firstAt.getTime()) / spanCount;
  const at = (index: number) => new Date(firstAt.getTime() + index * width);
  const isShort = now.getTime() - firstAt.getTime() < 20 * 3_600_000;
  const words = (when: Date) =>
    isShort ? clockWords(when) : `${when.toISOString().slice(5, 10)} ${clockWords(when)}`;
  const bars = Array.from({ length: spanCount }, (_, index) => ({
    label: `${secondWords(at(index))} UTC`,
    values: [spans.find((span) => span.bucket === index)?.n ?? 0],
  }));
  const total = spans.reduce((sum, span) => sum + span.n, 0);
  return barChart({
    label: `${total} ${total === 1 ? "occurrence" : "occurrences"} ${words(firstAt) === words(lastAt) ? `at ${words(firstAt)}` : `from ${words(firstAt)} to ${words(lastAt)}`}.`,
    per: "Time",
    series: [{ label: "Occurrences", tone: "acc" }],
    bars,
    axis: words(firstAt) === words(lastAt) ? [words(firstAt)] : [words(firstAt), words(lastAt)],
  });
}

function activityCard({ activity, alert, home, csrfToken, now, comment, commentError }: AlertView): Html {
  const form = html`<form class="form mt" method="post" action="${`${home}/-/alerts/${alert.iid}`}">${csrfField(csrfToken)}${textArea(
    {
      name: "comment",
      label: "Add a comment",
      rows: 3,
      placeholder: "What did you see, what did you try?",
      value: comment,
      error: commentError,
    },
  )}<div class="btn-row">${submitButton("Comment", { name: "action", value: "comment" })}${alert.status !== "resolved" && submitButton("Comment and resolve", { tone: "quiet", name: "action", value: "comment_resolve" })}</div></form>`;
  return card({
    id: "activity",
    heading: "Activity",
    body: html`${timeline(activity.map((line) => stepOf(line, home, now)))}${form}`,
  });
}

const MARKS: Readonly<Record<Activity["kind"], TimelineStep["mark"]>> = {
  fired: { icon: "bell", tone: "crit" },
  recovered: { icon: "check", tone: "ok" },
  incident: { icon: "siren" },
  status: { icon: "refresh" },
  assigned: { icon: "user" },
  comment: { icon: "comment" },
};

function stepOf(line: Activity, home: string, now: Date): TimelineStep {
  const when = timeAgo(line.createdAt, now);
  if (line.authorName === null || line.authorUsername === null) {
    const text = line.body.charAt(0).toUpperCase() + line.body.slice(1);
    return { mark: MARKS[line.kind] ?? { icon: "activity" }, what: withIncident(text, home), when };
  }
  const who = html`<a class="title" href="${`/${line.authorUsername}`}">${line.authorName}</a>`;
  if (line.kind === "comment")
    return { by: line.authorName, what: html`${who} commented`, when, quote: line.body };
  return { by: line.authorName, what: html`${who} ${withIncident(line.body, home)}`, when };
}

/** Links the incident that a line of the service names. */
function withIncident(text: string, home: string): Html {
  const found = /^((?:.* )?incident )#(\d+)(.*)$/i.exec(text);
  if (!found) return withBold(text);
  return html`${withBold(found[1] ?? "")}<a href="${`${home}/-/incidents/${found[2]}`}">#${found[2]}</a>${found[3]}`;
}

function details(home: string, { alert, csrfToken, viewerId }: AlertView): Html {
  const isMine = alert.assignees.some((one) => one.id === viewerId);
  const people = alert.assignees.map(
    (one) => html`<a class="who" href="${`/${one.username}`}">${face(one.name, 1)}${one.name}</a><br>`,
  );
  const take = html`<form method="post" action="${`${home}/-/alerts/${alert.iid}`}">${csrfField(csrfToken)}${submitButton(isMine ? "Give it back" : "Take this alert", { size: "sm", name: "action", value: isMine ? "leave" : "take" })}</form>`;
  return card({
    id: "details",
    heading: "Details",
    body: properties([
      ["Assignee", html`${people}${take}`],
      ["Service", alert.service ?? undefined],
      ["Environment", alert.environmentName ?? undefined],
      [
        "Hosts",
        alert.hosts.length > 0
          ? html`${alert.hosts.slice(0, 20).map((host) => html`<code class="wrap-any">${host}</code><br>`)}${alert.hosts.length > 20 ? `and ${alert.hosts.length - 20} more` : ""}`
          : undefined,
      ],
      ["Tool", alert.monitoringTool ?? undefined],
      ["Integration", alert.integrationName ?? "Removed since"],
      [
        "Incident",
        alert.incidentIid === null
          ? undefined
          : html`<a href="${`${home}/-/incidents/${alert.incidentIid}`}">#${alert.incidentIid}</a>`,
      ],
      ["Started", timeExact(alert.startedAt)],
      ["Ended", alert.endedAt ? timeExact(alert.endedAt) : undefined],
    ]),
  });
}

function resolving(alert: Alert): Html {
  const how = alert.fingerprintGiven
    ? html`Send this fingerprint again with <code>end_time</code> to resolve this alert and close its incident.`
    : html`Send the same payload again with <code>end_time</code> to resolve this alert and close its incident. Times and hosts may differ.`;
  const value = alert.fingerprintGiven ?? fingerprintText(alert.fingerprintVersion, alert.fingerprintHash);
  return card({
    id: "fingerprint",
    heading: "Fingerprint",
    body: html`${secretField({
      id: "fp",
      label: alert.fingerprintGiven ? "Given by the sender" : "Of the whole payload",
      value,
    })}<p class="hint mt-s">${how}</p>`,
  });
}

function payloadCard({ alert, shown }: AlertView): Html {
  return card({
    id: "payload",
    heading: shown ? "Payload of one occurrence" : "Last payload",
    lead: shown && html`Received ${timeTag(shown.at, `${secondWords(shown.at)} UTC`)}`,
    aside: copyButton("json", "payload"),
    body: jsonBlock("json", "Payload", shown?.payload ?? alert.payload),
  });
}
