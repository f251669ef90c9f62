/** The cards of the operations settings: the list of integrations, a new one, alert settings and templates. */
import type { Shown } from "../platform/form-shown.ts";
import type { Project } from "../projects/project.ts";
import { badge, statusBadge } from "../ui/badge.ts";
import { iconLink, linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState } from "../ui/card.ts";
import { spark } from "../ui/chart.ts";
import { switchField } from "../ui/choice.ts";
import { wholeNumber } from "../ui/count.ts";
import { postButton } from "../ui/dialog.ts";
import { errorSummary, type FormToken, postForm, selectField, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { pager, table } from "../ui/table.ts";
import { durationWords, timeAgo } from "../ui/time.ts";
import { INTEGRATION_TYPES, type Integration, isInPlan, silentDays, TYPE_WORDS } from "./integration.ts";
import { faultWords } from "./pages-frame.ts";
import type { OfferedIntegrations } from "./pages-integration-filter.ts";
import { type FormFaults, type IntegrationForm, integrationFields } from "./pages-integration-form.ts";
import type { AlertSettings } from "./store-settings.ts";

interface Shared {
  home: string;
  project: Project;
  csrfToken: FormToken;
}

export const INTEGRATIONS_A_PAGE = 20;

export interface IntegrationList extends Shared, OfferedIntegrations {
  /** Those of this page of the list. */
  listed: readonly Integration[];
  page: number;
  /** The query of the list's address. */
  query: string;
  /** `isMore`: more arrived on that day than are counted. */
  days: readonly { integrationId: number; bucket: number; n: number; isMore: boolean }[];
  now: Date;
}

/** The list of integrations with their switches (spec: Alert integration 1; Configuration 1). */
export function integrationsCard(list: IntegrationList): Html {
  const { home, listed, page, query, integrationTotal, csrfToken, now } = list;
  const add =
    csrfToken === undefined
      ? undefined
      : linkButton("Add integration", "#new", { tone: "primary", icon: "plus", key: "n" });
  const pathOf = (one: Integration) => `${home}/-/settings/operations/integrations/${one.id}`;
  const rows = table({
    caption: "Alert integrations",
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: (one: Integration) =>
          html`<a class="title wrap-any" href="${pathOf(one)}">${one.name}</a><br><span class="sub">${subtitleOf(one)}</span>`,
      },
      { head: "Type", cell: (one) => badge(TYPE_WORDS[one.type], "line") },
      {
        head: "Last alert",
        kind: "nowrap",
        cell: (one) => lastAlert(one, now),
      },
      { head: "Two weeks", cell: (one) => twoWeeks(one, list.days) },
      {
        head: "Status",
        cell: (one) => (one.active ? statusBadge("Enabled", "ok") : statusBadge("Disabled", "plain")),
      },
      {
        head: "Actions",
        kind: "act",
        hiddenHead: true,
        cell: (one) =>
          html`<span class="btn-row">${postButton(
            `${pathOf(one)}/active${query}`,
            csrfToken,
            submitButton(html`${one.active ? "Disable" : "Enable"}<span class="sr"> ${one.name}</span>`, {
              size: "sm",
            }),
            { active: one.active ? "false" : "true" },
          )}${csrfToken !== undefined && iconLink("pencil", `Edit ${one.name}`, pathOf(one))}</span>`,
      },
    ],
    rows: listed,
  });
  const first = `${home}/-/settings/operations`;
  const nothing = emptyState({
    heading: "Nothing can send alerts yet",
    text: add
      ? "Add your first source: it gives you an address and a key for any tool that can send JSON."
      : "No source was added.",
    action: add,
  });
  return card({
    id: "integrations",
    heading: "Alert integrations",
    lead: "Sources that may create alerts in this project.",
    aside: add,
    flush: listed.length > 0 ? rows : page > 1 ? pastTheEnd("integrations", first) : nothing,
    footer: html`${toolNotice(list)}${pager({
      page,
      totalPages: Math.ceil(integrationTotal / INTEGRATIONS_A_PAGE),
      hrefFor: (number) => `${first}?page=${number}#integrations`,
      label: "Pages of integrations",
    })}`,
  });
}

function subtitleOf(one: Integration): string {
  if (one.apiUrl) return one.apiUrl;
  return one.type === "generic"
    ? "Any tool that can send JSON"
    : one.type === "http"
      ? `Endpoint ${one.identifier}`
      : "";
}

/** When the last request came; an integration that should have heard of its tool for long is flagged. */
function lastAlert(one: Integration, now: Date): Html {
  const days = silentDays(one, now);
  const flag = days !== undefined && html`<br>${badge(`Silent for ${wholeNumber(days)} days`, "brass")}`;
  return html`${one.lastReceivedAt ? timeAgo(one.lastReceivedAt, now) : "Never"}${flag}`;
}

function twoWeeks(one: Integration, days: IntegrationList["days"]): Html {
  const counts = new Array<number>(14).fill(0);
  const mine = days.filter(({ integrationId }) => integrationId === one.id);
  for (const { bucket, n } of mine) counts[bucket] = n;
  const total = counts.reduce((sum, n) => sum + n, 0);
  const least = mine.some(({ isMore }) => isMore) ? "at least " : "";
  return spark(counts, `${least}${total} ${total === 1 ? "request" : "requests"} in two weeks`);
}

/** Returns the notice about the external tool and its deprecation (spec: Configuration 5; Versioning 3). */
function toolNotice({ home, integrations, project, csrfToken }: IntegrationList): Html {
  const deprecated = badge("Deprecated", "brass");
  const tool = integrations.find((one) => one.type === "external_tool");
  if (tool?.active) {
    return html`<span class="grow">An external alerting tool ${deprecated} is linked, so every other source is off. Disable it to use them again.</span>`;
  }
  const words = html`<span class="grow">The link to an external alerting tool ${deprecated} is off. While it is on, no source above can be.</span>`;
  if (project.plan === "free") return html`${words}<span class="sub">Not part of the free plan</span>`;
  return html`${words}${tool || csrfToken === undefined ? "" : linkButton("Set up link", `${home}/-/settings/operations?type=external_tool#new`, { size: "sm" })}`;
}

export interface NewIntegration extends Shared {
  form: IntegrationForm;
  faults: FormFaults;
}

/** Returns the form of a new integration; its own page shows address and key once it is saved. */
export function newIntegrationCard({ home, project, csrfToken, form, faults }: NewIntegration): Html {
  const had = INTEGRATION_TYPES.filter((type) => isInPlan(project, type));
  const options = [...new Set([...had, ...INTEGRATION_TYPES])].map((type) => {
    const note = type === "external_tool" ? " (deprecated)" : "";
    return {
      value: type,
      label: `${TYPE_WORDS[type]}${note}${had.includes(type) ? "" : ", not on the free plan"}`,
    };
  });
  const labels: Readonly<Record<string, string>> = {
    type: "Integration type",
    name: "Name",
    api_url: "API URL",
    payload_example: "Sample payload",
  };
  const summary = errorSummary(
    Object.entries(labels).map(([id, label]) => ({ id, label, error: faults[id]?.[0] })),
  );
  return card({
    id: "new",
    heading: "New integration",
    body: postForm(
      { action: `${home}/-/settings/operations/integrations`, csrfToken, two: true },
      html`${summary}
${selectField({ name: "type", label: "Integration type", value: form.type, options, error: faultWords("Integration type", faults.type) })}
${integrationFields(form, faults)}`,
      html`${submitButton("Save integration", { tone: "primary" })}${submitButton("Save and send test alert", { icon: "send", name: "next", value: "test" })}`,
    ),
  });
}

/** The settings as typed; `threshold` is text because it may be invalid. */
export interface SettingsForm {
  settings: Omit<AlertSettings, "stormThreshold" | "incidentTemplateId">;
  threshold: string;
  shown: Shown;
  faults: FormFaults;
}

const TIMEOUT_HOURS = [0, 1, 6, 12, 24, 72, 168, 720];
const STORM_SECONDS = [10, 30, 60, 120, 300, 600, 1800, 3600];

/** Returns the form of the alert settings (contract-alerts, project settings), storms included. */
export function settingsCard({
  home,
  templates,
  settings,
  threshold,
  shown,
  faults,
  project,
  csrfToken,
}: Shared & SettingsForm & { templates: readonly { name: string }[] }): Html {
  const error = faultWords("Collapse messages", faults.storm_threshold);
  const templateError = faultWords("Incident template", faults.incident_template);
  const hours = [...new Set([...TIMEOUT_HOURS, settings.resolveAfterHours])].sort((a, b) => a - b);
  const lengths = [...new Set([...STORM_SECONDS, settings.stormSeconds])].sort((a, b) => a - b);
  const grouping =
    project.plan === "free"
      ? {
          disabled: true,
          hint: "identical payloads join one alert; not part of the free plan, where only a fingerprint groups",
        }
      : {
          checked: settings.grouping,
          hint: "identical payloads join the open alert and raise its counter",
        };
  return card({
    id: "settings",
    heading: "What an alert does",
    body: postForm(
      { action: `${home}/-/settings/operations/alerts`, csrfToken },
      html`${shownField(shown)}${errorSummary([
        { id: "incident_template", label: "Incident template", error: templateError },
        { id: "storm_threshold", label: "Collapse messages", error },
      ])}
${switchField("create_incident", "Open an incident", { checked: settings.createIncident, hint: "for each new alert" })}
${switchField("auto_close_incident", "Close the incident", { checked: settings.autoCloseIncident, hint: "when its alert is resolved" })}
${(templates.length > 0 || templateError) && templateChoice(templates, settings.incidentTemplate, templateError)}
${switchField("grouping", "Group repeats", grouping)}
${switchField("late_firings_stay_resolved", "Stay resolved", { checked: settings.lateFiringsStayResolved, hint: "when a repeat arrives late, about a time before its alert was resolved" })}
${textField({ name: "storm_threshold", label: "Collapse messages", note: "when more alerts than this open", inputmode: "numeric", value: threshold, error, hint: "Counted per channel, which then gets one message for all of them. 0 means never." })}
${selectField({ name: "storm_seconds", label: "Within", value: `${settings.stormSeconds}`, options: lengths.map((seconds) => ({ value: `${seconds}`, label: durationWords(seconds) })) })}
${switchField("collapse_incidents", "Share one incident", { checked: settings.collapseIncidents, hint: "among the alerts of the project beyond that number" })}
${selectField({ name: "resolve_after_hours", label: "Resolve an alert", note: "when nothing more arrives for it", value: `${settings.resolveAfterHours}`, options: hours.map((n) => ({ value: `${n}`, label: n === 0 ? "Never" : `After ${durationWords(n * 3600)}` })) })}`,
      submitButton("Save settings", { tone: "primary" }),
    ),
  });
}

/** Returns the choice of the template that is appended to the incidents of alerts. */
function templateChoice(
  templates: readonly { name: string }[],
  chosen: string | null,
  error: string | undefined,
): Html {
  return selectField({
    name: "incident_template",
    label: "Incident template",
    value: chosen ?? "",
    error,
    hint: "Its text is added below the details of the alert.",
    options: [{ value: "", label: "None" }, ...templates.map(({ name }) => ({ value: name, label: name }))],
  });
}

/** Returns the card of the incident templates (decision 0117). */
export function templatesCard(
  home: string,
  templates: readonly { id: number; name: string }[],
  chosen: string | null,
  mayAdd: boolean,
): Html {
  const at = `${home}/-/settings/operations/templates`;
  const add = mayAdd ? linkButton("New template", `${at}/new`, { icon: "plus" }) : undefined;
  const rows = table({
    caption: "Incident templates",
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: (one: { id: number; name: string }) =>
          html`<a class="title wrap-any" href="${`${at}/${one.id}`}">${one.name}</a>`,
      },
      {
        head: "Used",
        cell: (one) =>
          one.name === chosen
            ? statusBadge("For every alert", "ok")
            : html`<span class="sub">When chosen by hand</span>`,
      },
    ],
    rows: templates,
  });
  const nothing = emptyState({
    heading: "No template yet",
    text: "A template lists what every incident should answer: who is looking, what was tried, which runbook helps. It is added below the details of the alert, or chosen when somebody opens an incident by hand.",
    action: add,
  });
  return card({
    id: "templates",
    heading: "Incident templates",
    lead: "Descriptions for new incidents.",
    aside: templates.length > 0 ? add : undefined,
    flush: templates.length > 0 ? rows : nothing,
  });
}
