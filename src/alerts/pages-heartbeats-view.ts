/** The parts of the pages of heartbeats: the list and the form. */
import type { Shown } from "../platform/form-shown.ts";
import { badge, severityBadge, statusBadge } from "../ui/badge.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { bareCard, card, emptyState } from "../ui/card.ts";
import { switchField } from "../ui/choice.ts";
import {
  changeHeading,
  errorSummary,
  type FormToken,
  postForm,
  selectField,
  shownField,
  textField,
} from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { table } from "../ui/table.ts";
import { durationWords, timeAgo, timeExact } from "../ui/time.ts";
import { type Heartbeat, heartbeatState } from "./heartbeat.ts";
import { faultWords } from "./pages-frame.ts";
import { SEVERITY_OPTIONS } from "./severity.ts";

/** The values of the form. */
export interface HeartbeatForm {
  name: string;
  interval: string;
  grace: string;
  severity: string;
  active: boolean;
}

const INTERVALS = [60, 300, 600, 900, 1800, 3600, 21_600, 43_200, 86_400, 604_800];
const GRACES = [0, 30, 60, 300, 900, 3600, 21_600];

const STATES = { waiting: "Waiting for the first", up: "Up", late: "Missed", off: "Off" } as const;

export function heartbeatBadge(beat: Heartbeat): Html {
  const state = heartbeatState(beat);
  if (state === "up") return statusBadge(STATES.up, "ok");
  return state === "late" ? statusBadge(STATES.late, beat.severity) : badge(STATES[state], "line");
}

export function heartbeatTable(home: string, beats: readonly Heartbeat[], mayAdd: boolean): Html {
  const at = `${home}/-/settings/operations/heartbeats`;
  if (beats.length === 0) {
    return bareCard(
      "Heartbeats",
      emptyState({
        heading: "Nothing is listened for yet",
        text: "A job or a monitor pings an address at its interval. When it stays silent, an alert opens; when it is back, the alert is resolved.",
        action: mayAdd ? linkButton("New heartbeat", `${at}/new`, { icon: "plus" }) : undefined,
        level: 2,
      }),
    );
  }
  const rows = table({
    caption: "Heartbeats",
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: (one: Heartbeat) => html`<a class="title wrap-any" href="${`${at}/${one.id}`}">${one.name}</a>`,
      },
      { head: "State", cell: heartbeatBadge },
      {
        head: "Every",
        cell: (one) =>
          html`<span class="sub">${durationWords(one.intervalSeconds)}, ${one.graceSeconds === 0 ? "no" : durationWords(one.graceSeconds)} grace</span>`,
      },
      {
        head: "Last ping",
        kind: "nowrap",
        cell: (one) => (one.lastPingAt ? timeAgo(one.lastPingAt, one.now) : "Never"),
      },
      { head: "Due", kind: "nowrap", cell: (one) => (one.dueAt ? timeExact(one.dueAt) : "Not yet") },
      { head: "Severity", cell: (one) => severityBadge(one.severity) },
    ],
    rows: beats,
  });
  return bareCard("Heartbeats", rows);
}

export interface HeartbeatPage {
  action: string;
  form: HeartbeatForm;
  /** Undefined for a new heartbeat. */
  shown: Shown | undefined;
  faults: Readonly<Record<string, readonly string[]>>;
  csrfToken: FormToken;
  isNew: boolean;
}

const LABELS: Readonly<Record<string, string>> = {
  name: "Name",
  interval_seconds: "Pings every",
  grace_seconds: "Grace",
};

export function heartbeatForm({ action, form, shown, faults, csrfToken, isNew }: HeartbeatPage): Html {
  const fault = (name: string) => faultWords(LABELS[name] ?? name, faults[name]);
  const summary = errorSummary(
    Object.entries(LABELS).map(([id, label]) => ({ id, label, error: fault(id) })),
  );
  const lengths = (all: readonly number[], now: string, none: string) =>
    [...new Set([...all, Number(now)])]
      .filter((seconds) => Number.isInteger(seconds) && seconds >= 0)
      .sort((a, b) => a - b)
      .map((seconds) => ({ value: `${seconds}`, label: seconds === 0 ? none : durationWords(seconds) }));
  return card({
    id: "heartbeat",
    heading: isNew ? "What to listen for" : changeHeading(csrfToken),
    body: postForm(
      { action, csrfToken, two: true, cancel: isNew && action },
      html`${shown && shownField(shown)}${summary}
${textField({ name: "name", label: "Name", value: form.name, maxlength: 100, autocomplete: "off", full: true, placeholder: "Nightly backup", error: fault("name") })}
${selectField({ name: "interval_seconds", label: "Pings every", value: form.interval, options: lengths(INTERVALS, form.interval, ""), error: fault("interval_seconds") })}
${selectField({ name: "grace_seconds", label: "Grace", value: form.grace, options: lengths(GRACES, form.grace, "none"), error: fault("grace_seconds") })}
${selectField({ name: "severity", label: "Severity of its alert", value: form.severity, options: SEVERITY_OPTIONS })}
<div class="full">${switchField("active", "Active", { checked: form.active, hint: "when off, missed pings open no alert" })}</div>`,
      submitButton(isNew ? "Create heartbeat" : "Save changes", { tone: "primary" }),
    ),
  });
}
