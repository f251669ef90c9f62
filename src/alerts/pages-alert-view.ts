/** The main parts of an alert's page. */
import { badge, severityBadge, statusBadge } from "../ui/badge.ts";
import { type ButtonLook, linkButton, submitButton } from "../ui/button.ts";
import { card, columns, figures, pageHead, tabs } from "../ui/card.ts";
import { csrfField, errorSummary, postForm, textArea } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { agoWords, durationWords, timeAgo, timeExact, timeTag } from "../ui/time.ts";
import { type TimelineStep, timeline } from "../ui/timeline.ts";
import { type Alert, STATUS_WORDS } from "./alert.ts";
import { details, resolving } from "./pages-alert-details.ts";
import { occurrenceCard, payloadCard } from "./pages-alert-occurrences.ts";
import type { AlertView } from "./pages-alert-parts.ts";
import { statusTone } from "./pages-alerts-list.ts";
import { withBold } from "./pages-frame.ts";
import { imagesCard } from "./pages-metric-images-view.ts";
import { foreignProse, prose } from "./pages-prose.ts";
import { UNTITLED } from "./senders/member.ts";
import type { Activity } from "./store-occurrences.ts";

/** Returns the content of the page. */
export function alertView(view: AlertView): Html {
  const { alert, now } = view;
  const ended = alert.endedAt ?? now;
  const lasted = durationWords((ended.getTime() - alert.startedAt.getTime()) / 1000).split(/ (?=[a-z]+$)/);
  const seen = agoWords(alert.lastSeenAt, now);
  const [, ago = seen, unit = ""] = /^(\d+) (.+ ago)$/.exec(seen) ?? [];
  return html`${head(view)}${relatives(view)}${figures([
    { label: "Occurrences", value: alert.events },
    { label: alert.endedAt ? "Lasted" : "Open for", value: lasted[0] ?? "", unit: lasted[1] ?? "" },
    {
      label: "Last seen",
      value: timeTag(alert.lastSeenAt, unit ? html`${ago} <small>${unit}</small>` : ago),
    },
    { label: "Hosts", value: alert.hosts.length },
  ])}
<div class="mt">${tabs("On this page", [
    { label: "Overview", href: "#overview" },
    { label: "Occurrences", href: "#occurrences", count: alert.events },
    ...(view.images.length > 0 ? [{ label: "Metrics", href: "#metrics", count: view.images.length }] : []),
    { label: "Activity", href: "#activity", count: view.activity.length },
    { label: "Payload", href: "#payload" },
  ])}</div>
${columns([overview(alert), occurrenceCard(view), imagesCard({ ...view, kind: "alert", iid: alert.iid }), activityCard(view)], [details(view), view.csrfToken !== undefined && resolving(view), payloadCard(view)])}`;
}

function head({ alert, home, csrfToken }: AlertView): Html {
  const isResolved = alert.status === "resolved";
  const act = (action: string, words: string, look: ButtonLook = {}) =>
    submitButton(words, { name: "action", value: action, ...look });
  const buttons = isResolved
    ? act("reopen", "Reopen")
    : html`${alert.status === "acknowledged" ? act("unacknowledge", "Unacknowledge") : act("acknowledge", "Acknowledge")}${alert.status === "ignored" ? "" : act("ignore", "Ignore")}${act("resolve", "Resolve", { tone: "primary", key: "e" })}`;
  return pageHead({
    heading: alert.title,
    above: html`${severityBadge(alert.severity)}${statusBadge(STATUS_WORDS[alert.status], statusTone(alert.status))}${alert.test ? badge("Test", "brass") : ""}<span class="sub" data-link="${`${home}/-/alerts/${alert.iid}`}">#${alert.iid}, began ${timeExact(alert.startedAt)}</span>`,
    actions: [
      csrfToken !== undefined &&
        alert.silenceId === null &&
        !isResolved &&
        linkButton("Silence", `${home}/-/silences/new?alert=${alert.iid}`),
      alert.incidentIid !== null &&
        linkButton(`View incident #${alert.incidentIid}`, `${home}/-/incidents/${alert.incidentIid}`, {
          icon: "siren",
          key: "i",
        }),
      csrfToken !== undefined &&
        html`<form method="post" action="${`${home}/-/alerts/${alert.iid}`}" class="btn-row">${csrfField(csrfToken)}${alert.incidentIid === null && !alert.test && act("incident", "Open an incident", { key: "i" })}${buttons}</form>`,
    ],
  });
}

function relatives(view: AlertView): Html {
  const { alert, nextIid, home } = view;
  const link = (iid: number) => html`<a href="${`${home}/-/alerts/${iid}`}">#${iid}</a>`;
  const before =
    alert.recurrenceOfIid === null ? undefined : html`Recurrence of ${link(alert.recurrenceOfIid)}.`;
  const after = nextIid === null ? undefined : html`It recurred as ${link(nextIid)}.`;
  const test = alert.test
    ? "A test alert: it opens no incident, is left out of counts and is removed after 24 hours."
    : undefined;
  const silenced =
    alert.silenceId === null
      ? undefined
      : html`<a href="${`${home}/-/silences/${alert.silenceId}`}">Silence ${alert.silenceId}</a> applies to this alert: no incident, no notification.`;
  const notes = [test, silenced, before, after, untitled(view)].filter((note) => note !== undefined);
  return html`${notes.map((text) => message({ kind: "note", text }))}`;
}

/** Returns the hint for an alert without a title, about reading rules for tools with their own format. */
function untitled({ alert, home, seesReceipts }: AlertView): Html | undefined {
  if (alert.title !== UNTITLED || alert.integrationId === null) return undefined;
  const rules = `${home}/-/settings/operations/integrations/${alert.integrationId}/rules`;
  const where = "of its integration say where title, severity and end stand in it";
  return seesReceipts
    ? html`Its payload has no title that is known here. <a href="${rules}">Reading rules</a> ${where}.`
    : html`Its payload has no title that is known here. Reading rules ${where}; a Maintainer can set them.`;
}

function overview(alert: Alert): Html {
  const runbook =
    alert.runbookUrl !== null &&
    html`<div class="prose wrap-any mt"><p>Runbook: ${/^https?:\/\//i.test(alert.runbookUrl) ? html`<a href="${alert.runbookUrl}" rel="noopener noreferrer">${alert.runbookUrl}</a>` : alert.runbookUrl}</p></div>`;
  const said = alert.description ?? "";
  const description =
    said.trim() === ""
      ? html`<div class="prose"><p class="text-2">The payload has no description.</p></div>`
      : foreignProse(said);
  return card({
    id: "overview",
    heading: "Description",
    body: html`${description}${runbook}`,
  });
}

function activityCard(view: AlertView): Html {
  const { activity, isActivityCut, alert, home, csrfToken, now, comment, commentError } = view;
  const summary = errorSummary([{ id: "comment", label: "Comment", error: commentError }]);
  const text = textArea({
    name: "comment",
    label: "Add a comment",
    rows: 3,
    placeholder: "What did you see, what did you try?",
    key: "c",
    value: comment,
    error: commentError,
  });
  const buttons = html`${submitButton("Comment", { name: "action", value: "comment" })}${alert.status !== "resolved" && submitButton("Comment and resolve", { tone: "quiet", name: "action", value: "comment_resolve" })}`;
  const form =
    csrfToken !== undefined &&
    html`<div class="mt">${postForm({ action: `${home}/-/alerts/${alert.iid}`, csrfToken }, html`${summary}${text}`, buttons)}</div>`;
  return card({
    id: "activity",
    heading: "Activity",
    body: html`${isActivityCut && html`<p class="sub">Older lines are left out.</p>`}${timeline(activity.map((line) => stepOf(line, home, now)))}${form}`,
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
    return { by: line.authorName, what: html`${who} commented`, when, quote: prose(line.body) };
  return { by: line.authorName, what: html`${who} ${withIncident(line.body, home)}`, when };
}

/** Links the incident that an activity line of the service names. */
function withIncident(text: string, home: string): Html {
  const found = /^((?:.* )?incident )#(\d+)(.*)$/i.exec(text);
  if (!found) return withBold(text);
  return html`${withBold(found[1] ?? "")}<a href="${`${home}/-/incidents/${found[2]}`}">#${found[2]}</a>${found[3]}`;
}
