/** The form of a test alert, with a preview of how the payload is read (spec: POST alert endpoint 5, 6; Errors 3). */
import type { Project } from "../projects/project.ts";
import { severityBadge } from "../ui/badge.ts";
import { submitButton } from "../ui/button.ts";
import { card, emptyState } from "../ui/card.ts";
import { csrfField, errorSummary, selectField, textArea } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { message } from "../ui/message.ts";
import { codeBlock, copyButton } from "../ui/secret.ts";
import { timeExact } from "../ui/time.ts";
import { endpointPath, type Integration } from "./integration.ts";
import { type OfferedIntegrations, offeredWords } from "./pages-integration-filter.ts";
import type { AlertReport, Reading } from "./report.ts";

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

/** The values typed and the result. */
export interface TestForm {
  integrationId?: number | undefined;
  payload?: string | undefined;
  /** What is wrong with the payload, and with the choice of integration. */
  error?: string | undefined;
  choiceError?: string | undefined;
  reading?: Reading | undefined;
  alertIid?: number | undefined;
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
  const form = html`<form class="form" method="post" action="${`${parts.home}/-/settings/operations/test`}">${csrfField(parts.csrfToken)}${errorSummary(
    [
      { id: "integration_id", label: "Integration", error: parts.choiceError },
      { id: "payload", label: "Payload", error: parts.error },
    ],
  )}
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
})}
<div class="btn-row">${submitButton("Send test alert", { tone: "primary", icon: "send" })}</div></form>`;
  const report = parts.reading?.reports[0];
  return card({
    ...head,
    body: html`${outcome(parts, chosen)}<div class="test-grid${parts.alertIid === undefined ? "" : " mt"}">${form}<div>${report && readAs(report, parts.reading?.warnings ?? [])}${shell(parts, chosen)}</div></div>`,
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

function readAs(report: AlertReport, warnings: readonly string[]): Html {
  const rows: (readonly [string, Html | string])[] = [
    ["Title", report.title],
    ["Severity", severityBadge(report.severity)],
    ["Service", report.service ?? "None"],
    [
      "Hosts",
      report.hosts.length > 0 ? html`${report.hosts.map((host) => html`<code>${host}</code> `)}` : "None",
    ],
    ["Grouping", grouping(report)],
    ["Start time", report.startedAt ? timeExact(report.startedAt) : "Missing, so time of receipt"],
    [
      "Custom",
      report.customNames.length > 0
        ? html`${report.customNames.slice(0, 20).map((name) => html`<code class="wrap-any">${name}</code> `)}kept as sent`
        : "None",
    ],
    ...warnings.map((warning) => ["Note", warning] as const),
  ];
  return html`<h3>How it is read</h3><dl class="props mt-s reads">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd class="wrap-any">${value}</dd></div>`)}</dl>`;
}

function grouping({ fingerprint }: AlertReport): Html {
  if (fingerprint.kind === "payload") {
    return html`The whole payload<br><span class="sub">Only times and hosts may differ</span>`;
  }
  return html`<code class="wrap-any">${fingerprint.shown ?? "labels"}</code><br><span class="sub">Same fingerprint joins the open alert</span>`;
}

/** Returns the curl command that sends the form's payload; one too long to paste, or for the form, is read from a file. */
function shell({ publicUrl, project, reading, payload = SAMPLE }: TestCard, one: Integration): Html {
  const url = `${publicUrl}${endpointPath(one, project.fullPath) ?? ""}`;
  const isPasted = payload !== "" && payload.length <= LONGEST_PASTED;
  const sent = isPasted ? payload.replaceAll("'", "'\\''") : "@payload.json";
  const command = `curl ${url} \\
  -H "Authorization: Bearer $ALERT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${sent}'`;
  return html`<div class="row spread${reading ? " mt" : ""}"><h3>The same from a shell</h3>${copyButton("curl", "command")}</div><div class="mt-s">${codeBlock("curl", "Shell command", command)}</div>`;
}
