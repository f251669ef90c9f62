/** The parts of the pages of silences: the list, the form, and the preview. */
import type { Shown } from "../platform/form-shown.ts";
import { badge, severityBadge, statusBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { bareCard, card, emptyState } from "../ui/card.ts";
import { choiceSet } from "../ui/choice.ts";
import { postButton } from "../ui/dialog.ts";
import {
  changeHeading,
  errorSummary,
  type FormToken,
  postForm,
  selectField,
  shownField,
  textArea,
  textField,
} from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { timeExact } from "../ui/time.ts";
import type { Alert } from "./alert.ts";
import { matcherWords } from "./matcher.ts";
import { faultWords, queryString } from "./pages-frame.ts";
import { recurrenceOf, type Silence, silenceState } from "./silence.ts";

export const SILENCES_A_PAGE = 20;
const DAY_WORDS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const STATE_WORDS = { active: "Active", pending: "Waiting", expired: "Over" } as const;

/** The values of the form as typed. */
export interface SilenceForm {
  matchers: string;
  comment: string;
  starts: string;
  lasts: string;
  ends: string;
  days: readonly string[];
  from: string;
  to: string;
  zone: string;
}

export type SilenceFaults = Readonly<Record<string, readonly string[]>>;

/** How long a new silence lasts; empty: until the given end, or without end if it recurs. */
export const LENGTHS = [
  { value: "1", label: "For an hour" },
  { value: "2", label: "For 2 hours" },
  { value: "4", label: "For 4 hours" },
  { value: "8", label: "For 8 hours" },
  { value: "24", label: "For a day" },
  { value: "72", label: "For 3 days" },
  { value: "168", label: "For a week" },
  { value: "", label: "Until the end below" },
];

export interface SilenceList {
  home: string;
  silences: readonly Silence[];
  page: number;
  /** The query of the list's address. */
  query: string;
  total: number;
  csrfToken: FormToken;
}

/** Returns the list of silences. */
export function silenceTable({ home, silences, page, query, total, csrfToken }: SilenceList): Html {
  if (silences.length === 0 && page > 1) {
    return bareCard("Silences", pastTheEnd("silences", `${home}/-/silences`, 2));
  }
  if (silences.length === 0) {
    const empty = emptyState({
      heading: "Nothing is silenced",
      text: "A silence keeps alerts quiet while you work on what they are about: they are kept and counted, open no incident and notify nobody.",
      action:
        csrfToken === undefined
          ? undefined
          : linkButton("New silence", `${home}/-/silences/new`, { icon: "plus" }),
      level: 2,
    });
    return bareCard("Silences", empty);
  }
  const rows = table({
    caption: "Silences",
    columns: [
      {
        head: "Silence",
        rowHeader: true,
        cell: (one: Silence) =>
          html`<a class="title wrap-any" href="${`${home}/-/silences/${one.id}`}">${one.comment}</a><br><span class="sub wrap-any">${one.matchers.map(matcherWords).join(" and ")}</span>`,
      },
      { head: "State", cell: stateBadge },
      { head: "When", cell: (one) => html`<span class="sub">${whenWords(one)}</span>` },
      { head: "Quiet alerts", kind: "num", cell: (one) => one.alertCount },
      {
        head: "By",
        cell: (one) => html`<span class="called">${one.authorName ?? "Somebody who left"}</span>`,
      },
      {
        head: "Actions",
        kind: "act",
        hiddenHead: true,
        cell: (one) => (one.isOver ? "" : endButton(`${home}/-/silences/${one.id}${query}`, one, csrfToken)),
      },
    ],
    rows: silences,
  });
  const totalPages = Math.ceil(total / SILENCES_A_PAGE);
  const hrefFor = (to: number) => `${home}/-/silences${queryString({ page: to === 1 ? undefined : to })}`;
  return bareCard(
    "Silences",
    rows,
    html`<span>${total === 1 ? "1 silence" : `${total} silences`}</span>${pager({ page, totalPages, hrefFor })}`,
  );
}

/** Returns the state as a badge: `Active`, `Waiting`, `Over`. */
export function stateBadge(one: Silence): Html {
  const state = silenceState(one);
  return state === "active"
    ? statusBadge(STATE_WORDS.active, "ok")
    : badge(STATE_WORDS[state], state === "pending" ? "line" : "plain");
}

/** Returns the button that ends a silence, by the address of its page. */
export function endButton(action: string, one: Silence, csrfToken: FormToken): Html | false {
  return postButton(
    action,
    csrfToken,
    submitButton(html`End now<span class="sr">: ${one.comment}</span>`, { size: "sm" }),
    { action: "end" },
  );
}

function whenWords(one: Silence): Html {
  const recurs = recurrenceOf(one);
  const span = one.endsAt
    ? html`${timeExact(one.startsAt)} to ${timeExact(one.endsAt)}`
    : html`from ${timeExact(one.startsAt)} on`;
  if (!recurs) return span;
  const days = recurs.days.map((day) => DAY_WORDS[day - 1]?.slice(0, 3)).join(", ");
  return html`${days} ${recurs.from}–${recurs.to} (${recurs.zone}), ${span}`;
}

export interface SilencePage {
  home: string;
  /** The address to which the form is posted. */
  action: string;
  form: SilenceForm;
  shown: Shown;
  faults: SilenceFaults;
  preview: { alerts: readonly Alert[]; lookedAt: number } | undefined;
  csrfToken: FormToken;
  isNew: boolean;
}

const LABELS: Readonly<Record<string, string>> = {
  matchers: "Conditions",
  comment: "Why",
  starts_at: "Begins",
  ends_at: "Ends",
  days: "Weekdays",
  from: "From",
  to: "To",
  zone: "Time zone",
};

/** Returns the form of a silence, below the preview if one was requested. */
export function silenceForm(page: SilencePage): Html {
  const { form, faults, action, csrfToken, isNew } = page;
  const fault = (name: string) => faultWords(LABELS[name] ?? name, faults[name]);
  const summary = errorSummary(
    Object.entries(LABELS).map(([id, label]) => ({ id, label, error: fault(id) })),
  );
  const days = DAY_WORDS.map((label, index) => ({
    value: `${index + 1}`,
    label,
    checked: form.days.includes(`${index + 1}`),
  }));
  // Fields with values or errors are never collapsed.
  const recurs =
    [form.from, form.to, form.zone].some((typed) => typed !== "") ||
    form.days.length > 0 ||
    ["days", "from", "to", "zone"].some((name) => fault(name) !== undefined);
  return html`${page.preview && previewCard(page.home, page.preview)}${card({
    id: "silence",
    heading: isNew ? "What to keep quiet, and when" : changeHeading(csrfToken),
    body: postForm(
      { action, csrfToken, two: true, cancel: isNew && `${page.home}/-/silences` },
      html`${!isNew && shownField(page.shown)}${summary}
${textArea({
  name: "matchers",
  label: "Conditions",
  note: "one per line; all must match",
  rows: 4,
  code: true,
  full: true,
  value: form.matchers,
  error: fault("matchers"),
  hint: html`title, service, severity, environment, host, integration or payload.labels.team, then =, !=, contains or ~ (a regular expression): <code>service = archive</code>, <code>title ~ ^Disk .* full</code>`,
})}
${textField({ name: "comment", label: "Why", value: form.comment, full: true, maxlength: 1000, autocomplete: "off", error: fault("comment") })}
${textField({ name: "starts_at", label: "Begins", note: "in UTC; now if empty", value: form.starts, placeholder: "2026-01-31 22:00", autocomplete: "off", error: fault("starts_at") })}
${selectField({ name: "lasts", label: "Lasts", value: form.lasts, options: LENGTHS })}
${textField({ name: "ends_at", label: "Ends", note: "in UTC, instead of a duration; repeats forever if empty", value: form.ends, placeholder: "2026-02-01 06:00", autocomplete: "off", full: true, error: fault("ends_at") })}
<details class="more full"${attrs({ open: recurs })}><summary>Only at certain times</summary><div class="form two mt-s">${choiceSet({ name: "days", legend: "Weekdays", note: "none: every day", many: true, choices: days, error: fault("days") })}
${textField({ name: "from", label: "From", note: "time of day", value: form.from, placeholder: "22:00", autocomplete: "off", error: fault("from") })}
${textField({ name: "to", label: "To", note: "on the next day if earlier than the start", value: form.to, placeholder: "06:00", autocomplete: "off", error: fault("to") })}
${textField({ name: "zone", label: "Time zone", value: form.zone, placeholder: "Europe/Berlin", autocomplete: "off", spellcheck: false, full: true, error: fault("zone") })}</div></details>`,
      html`${submitButton(isNew ? "Create silence" : "Save changes", { tone: "primary", name: "action", value: "save" })}${submitButton("Preview", { icon: "eye", name: "action", value: "preview" })}`,
    ),
  })}`;
}

const SHOWN = 20;

function previewCard(
  home: string,
  { alerts, lookedAt }: { alerts: readonly Alert[]; lookedAt: number },
): Html {
  const matching = alerts.length;
  const lead =
    lookedAt > 1
      ? `${matching} of the ${lookedAt} newest open alerts ${matching === 1 ? "matches" : "match"}.`
      : lookedAt === 0
        ? "No alert is open."
        : `The only open alert ${matching === 1 ? "matches" : "does not match"}.`;
  const rows = table({
    caption: "Alerts that fit",
    columns: [
      { head: "Severity", cell: (one: Alert) => severityBadge(one.severity) },
      {
        head: "Alert",
        rowHeader: true,
        cell: (one) => html`<a class="wrap-any" href="${`${home}/-/alerts/${one.iid}`}">${one.title}</a>`,
      },
      { head: "Service", cell: (one) => one.service ?? "" },
    ],
    rows: alerts.slice(0, SHOWN),
  });
  const more =
    alerts.length > SHOWN ? html`<span class="sub">and ${alerts.length - SHOWN} more</span>` : undefined;
  return card({
    id: "preview",
    heading: "What it would cover",
    lead,
    ...(alerts.length > 0 ? { flush: rows, footer: more } : {}),
  });
}
