/** The form of a test alert, with a preview of how the payload is read (spec: POST alert endpoint 5, 6; Errors 3). */
import { Problem } from "../platform/problem.ts";
import { shellQuoted } from "../platform/shell-quoted.ts";
import type { Project } from "../projects/project.ts";
import { severityBadge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card, emptyState } from "../ui/card.ts";
import { wholeNumber } from "../ui/count.ts";
import { errorSummary, postForm, selectField, textArea } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { codeBlock, copyButton } from "../ui/secret.ts";
import { timeExact } from "../ui/time.ts";
import { endpointPath, type Integration } from "./integration.ts";
import { type OfferedIntegrations, offeredWords } from "./pages-integration-filter.ts";
import { readDelivery } from "./read-delivery.ts";
import type { ReadingRules } from "./reading-rules.ts";
import type { AlertReport } from "./report.ts";

const SAMPLE = `{
  "title": "Weighbridge 2 out of range",
  "service": "yard-sensors",
  "severity": "medium",
  "hosts": "wb-2",
  "fingerprint": ["wb-2", "range"],
  "drift_kg": 340
}`;

/** In characters. */
const LONGEST_PASTED = 2000;

/** How many hosts and custom members, and how many warnings of a reading, are shown. */
const MAX_CODES = 20;
const MAX_WARNINGS = 10;

/** The values typed and the result. */
export interface TestForm {
  integrationId?: number | undefined;
  payload?: string | undefined;
  /** What is wrong with the payload, and with the choice of integration. */
  error?: string | undefined;
  choiceError?: string | undefined;
  alertIid?: number | undefined;
  /** The payload of the test alert that was sent, if it is too large for the form. */
  large?: string | undefined;
}

export interface TestCard extends TestForm, OfferedIntegrations {
  home: string;
  project: Project;
  publicUrl: string;
  csrfToken: string;
}

/** Returns the card; without an active integration it says what is missing. */
export function testCard(parts: TestCard): Html {
  const active = parts.integrations.filter((one) => one.active && one.type !== "external_tool");
  const head = {
    id: "test",
    heading: "Send a test alert",
    lead: "Read like a real alert, but opens no incident, is left out of lists and counts, and is removed after 24 hours.",
  };
  const [first] = active;
  if (!first) {
    const nothing = emptyState({
      heading: "No source is active",
      text: "A test alert needs an integration that is switched on.",
    });
    return card({ ...head, flush: nothing });
  }
  const cut = offeredWords(parts);
  const chosen = active.find((one) => one.id === parts.integrationId) ?? first;
  const fields = html`${errorSummary([
    { id: "integration_id", label: "Integration", error: parts.choiceError },
    { id: "payload", label: "Payload", error: parts.error },
  ])}
${selectField({
  name: "integration_id",
  label: "Integration",
  value: String(chosen.id),
  error: parts.choiceError,
  hint: cut && `${cut}. The pages of the others lead here, too.`,
  options: active.map((one) => ({ value: String(one.id), label: one.name })),
})}
${textArea({
  name: "payload",
  label: "Payload",
  rows: 10,
  code: true,
  value: parts.payload ?? SAMPLE,
  error: parts.error,
})}`;
  const action = `${parts.home}/-/settings/operations/test`;
  const buttons = html`${submitButton("Preview", { name: "action", value: "preview", formaction: `${action}#preview` })}${submitButton("Send test alert", { tone: "primary", icon: "send" })}`;
  const form = postForm({ action, csrfToken: parts.csrfToken, live: "preview" }, fields, buttons);
  return card({
    ...head,
    body: html`${outcome(parts, chosen)}<div class="test-grid${parts.alertIid === undefined ? "" : " mt"}">${form}<div id="preview" role="region" aria-label="Preview">${preview(parts, chosen)}${shell(parts, chosen)}</div></div>`,
  });
}

/** Returns the result of the test that was just sent, shown at the form instead of at the top of a long page. */
function outcome({ alertIid, home }: TestCard, chosen: Integration): Html {
  if (alertIid === undefined) return html``;
  const link = html`<a href="${`${home}/-/alerts/${alertIid}`}">Alert #${alertIid}</a>`;
  return message({
    kind: "ok",
    text: html`Test alert accepted. ${link} was opened by ${chosen.name}. Lists and counts leave it out.`,
  });
}

/** Returns how the integration reads the payload, typed or sent (reference ux §6, test alert). */
function preview({ payload = SAMPLE, large = payload, choiceError }: TestCard, one: Integration): Html {
  const read = choiceError ?? readingOf(large, one);
  const shown =
    typeof read === "string"
      ? message({ kind: "warn", text: `It would be refused: ${read}` })
      : html`<dl class="props reads">${rowsOf(read).map(([name, value]) => html`<div><dt>${name}</dt><dd class="wrap-any">${value}</dd></div>`)}</dl>`;
  return html`<h3>How it is read</h3><div class="mt-s">${shown}</div>`;
}

interface TestReading {
  /** The only one of the payload that a test opens. */
  report: AlertReport;
  notes: readonly string[];
}

/** Returns the reading of a payload by an integration's rules, or why there is none. */
function readingOf(payload: string, rules: ReadingRules): TestReading | string {
  try {
    const { reports, warnings } = readDelivery(payload, rules);
    const [report] = reports;
    if (!report) return "The payload holds no alert.";
    const others =
      reports.length > 1
        ? [`The first of ${wholeNumber(reports.length)} alerts; the test opens no other`]
        : [];
    return { report, notes: [...others, ...warnings.slice(0, MAX_WARNINGS)] };
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

function rowsOf({ report, notes }: TestReading): (readonly [name: string, value: Html | string])[] {
  return [
    ["Title", report.title],
    ["Severity", severityBadge(report.severity)],
    ["Service", report.service ?? "None"],
    ["Hosts", report.hosts.length > 0 ? codes(report.hosts) : "None"],
    ["Grouping", grouping(report)],
    ["Start time", report.startedAt ? timeExact(report.startedAt) : "Missing, so time of receipt"],
    ["Custom", report.customNames.length > 0 ? html`${codes(report.customNames)}kept as sent` : "None"],
    ...(report.action === "recovery" ? [["End", "A real one would resolve an alert"] as const] : []),
    ...notes.map((note) => ["Note", note] as const),
  ];
}

function codes(words: readonly string[]): Html {
  const more = words.length - MAX_CODES;
  return html`${words.slice(0, MAX_CODES).map((word) => html`<code class="wrap-any">${word}</code> `)}${more > 0 && `and ${wholeNumber(more)} more `}`;
}

function grouping({ fingerprint }: AlertReport): Html {
  if (fingerprint.kind === "payload") {
    return html`The whole payload<br><span class="sub">Only times and hosts may differ</span>`;
  }
  return html`<code class="wrap-any">${fingerprint.shown ?? "labels"}</code><br><span class="sub">Same fingerprint joins the open alert</span>`;
}

/** Returns the curl command that sends the form's payload; one too long to paste, or for the form, is read from a file. */
function shell({ publicUrl, project, payload = SAMPLE }: TestCard, one: Integration): Html {
  const url = `${publicUrl}${endpointPath(one, project.fullPath) ?? ""}`;
  const text = payload.replaceAll("\r\n", "\n");
  // curl reads a file if its argument begins with @.
  const isPasted = text !== "" && text.length <= LONGEST_PASTED && !text.startsWith("@");
  const command = `curl ${url} \\
  -H "Authorization: Bearer $ALERT_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${shellQuoted(isPasted ? text : "@payload.json")}`;
  return html`<div class="row spread mt"><h3>The same from a shell</h3>${copyButton("curl", "command")}</div><div class="mt-s">${codeBlock("curl", "Shell command", command)}</div>`;
}
