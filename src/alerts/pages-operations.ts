/** `…/-/settings/operations`: integrations, alert settings, and test alerts (spec: Configuration; Authentication 11). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { numberIn } from "../platform/number-in.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { rowsOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { isAtLeast } from "../projects/role.ts";
import { pageHead, stack } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import { changeSettings } from "./change-settings.ts";
import { createIntegration } from "./create-integration.ts";
import { INTEGRATION_TYPES } from "./integration.ts";
import { queryMember, sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { findOffered } from "./pages-integration-filter.ts";
import {
  emptyForm,
  type FormFaults,
  type IntegrationForm,
  integrationForm,
} from "./pages-integration-form.ts";
import { sendTest } from "./pages-integrations.ts";
import { refusalOf } from "./pages-kept.ts";
import { payloadText } from "./pages-large-texts.ts";
import { operationsTabs } from "./pages-operations-tabs.ts";
import {
  INTEGRATIONS_A_PAGE,
  integrationsCard,
  newIntegrationCard,
  type SettingsForm,
  settingsCard,
  templatesCard,
} from "./pages-operations-view.ts";
import { type TestForm, testCard } from "./pages-test-alert.ts";
import { sendTestAlert } from "./send-test-alert.ts";
import { SETTING_LIMITS } from "./setting-limits.ts";
import { findAlert, findNow } from "./store.ts";
import { findEndpoint, listIntegrations } from "./store-integrations.ts";
import { countReceiptsByDay } from "./store-receipts.ts";
import { FIRST_SETTINGS, findSettings } from "./store-settings.ts";
import { listTemplateNames } from "./store-templates.ts";

export const OPERATIONS = "/-/settings/operations";

/** The values and errors of a refused form. */
interface Refused {
  integration?: { form: IntegrationForm; faults: FormFaults };
  test?: TestForm;
  settings?: SettingsForm;
  message?: string | undefined;
}

export function operationsSettingsPages(pages: ProjectPages, platform: Platform): void {
  pages.get(OPERATIONS, async (request, reply, place) =>
    showOperations(await visit(platform, request, reply, place, "developer")),
  );
  pages.post(`${OPERATIONS}/alerts`, (request, reply, place) =>
    saveSettings(platform, request, reply, place),
  );
  pages.post(`${OPERATIONS}/integrations`, (request, reply, place) =>
    createFromForm(platform, request, reply, place),
  );
  pages.post(`${OPERATIONS}/test`, (request, reply, place) =>
    sendTestFromForm(platform, request, reply, place),
  );
}

async function showOperations(visited: Visit, refused: Refused = {}): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const { db } = platform;
  const isMaintainer = isAtLeast(project.access, "maintainer");
  const tested = await testedAlert(visited);
  const page = queryPage(visited.request);
  const query = listQuery(visited.request);
  const range = rowsOf({ page, perPage: INTEGRATIONS_A_PAGE });
  const asked = refused.test?.integrationId ?? tested.integrationId;
  const [listed, offered, days, settings, now, templates] = await Promise.all([
    isMaintainer ? listIntegrations(db, project.id, range) : [],
    findOffered(db, project.id, asked === undefined ? undefined : `${asked}`),
    countReceiptsByDay(db.pooled, project.id),
    findSettings(db, project.id),
    findNow(db),
    listTemplateNames(db, project.id),
  ]);
  const csrfToken = browser.csrfToken;
  const { integration, test, settings: wrong } = refused;
  const failed = [integration, test?.error, test?.choiceError, wrong].some((one) => one !== undefined);
  const main = html`${pageHead({ heading: "Operations" })}${operationsTabs(home, "alerts", isMaintainer)}${stack(
    [
      isMaintainer &&
        integrationsCard({ home, project, listed, page, query, ...offered, days, now, csrfToken }),
      isMaintainer &&
        csrfToken !== undefined &&
        newIntegrationCard({
          home,
          project,
          csrfToken,
          form:
            refused.integration?.form ??
            emptyForm(project, offered.integrations, queryMember(visited.request, "type")),
          faults: refused.integration?.faults ?? {},
        }),
      csrfToken !== undefined &&
        testCard({
          home,
          csrfToken,
          ...offered,
          publicUrl: platform.config.publicUrl,
          project,
          ...tested,
          ...refused.test,
        }),
      isMaintainer &&
        settingsCard({
          home,
          project,
          csrfToken,
          templates,
          settings,
          threshold: `${settings.stormThreshold}`,
          shown: settings,
          faults: {},
          ...refused.settings,
        }),
      isMaintainer && templatesCard(home, templates, settings.incidentTemplate, csrfToken !== undefined),
    ],
  )}`;
  return sendProjectPage(visited, {
    title: "Operations",
    current: "operations",
    crumbs: [{ label: "Operations" }],
    main,
    messages: refused.message ? [{ kind: "bad", text: refused.message }] : [],
    failed,
    status: failed ? 422 : 200,
  });
}

/** Returns the test alert that was just sent; otherwise the integration that the address names. */
async function testedAlert({ platform, project, request }: Visit): Promise<Partial<TestForm>> {
  const iid = numberIn(queryMember(request, "tested"));
  const alert = iid === undefined ? undefined : await findAlert(platform.db, project.id, iid);
  if (!alert?.test) return { integrationId: numberIn(queryMember(request, "integration")) };
  const payload = payloadText(alert.payload);
  return {
    integrationId: alert.integrationId ?? undefined,
    payload: payload ?? "",
    large: payload === undefined ? JSON.stringify(alert.payload) : undefined,
    alertIid: alert.iid,
  };
}

async function saveSettings(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const visited = await visit(platform, request, reply, place, "maintainer");
  const { project, home } = visited;
  const shown = shownIn(request);
  const isOn = (name: string) => formText(request, name) === "true";
  const seconds = numberIn(formText(request, "storm_seconds")) ?? FIRST_SETTINGS.stormSeconds;
  const hours = numberIn(formText(request, "resolve_after_hours")) ?? FIRST_SETTINGS.resolveAfterHours;
  const settings = {
    createIncident: isOn("create_incident"),
    autoCloseIncident: isOn("auto_close_incident"),
    grouping: isOn("grouping"),
    collapseIncidents: isOn("collapse_incidents"),
    lateFiringsStayResolved: isOn("late_firings_stay_resolved"),
    stormSeconds: clamped(seconds, SETTING_LIMITS.stormSeconds),
    incidentTemplate: formText(request, "incident_template") || null,
    resolveAfterHours: clamped(hours, SETTING_LIMITS.resolveAfterHours),
  };
  const threshold = formText(request, "storm_threshold").trim();
  const stormThreshold = numberIn(threshold);
  const { minimum, maximum } = SETTING_LIMITS.stormThreshold;
  if (stormThreshold === undefined || stormThreshold > maximum) {
    const faults = { storm_threshold: [`must be a whole number from ${minimum} to ${maximum}`] };
    return showOperations(visited, { settings: { settings, threshold, shown, faults } });
  }
  const change = changedIn({ ...settings, stormThreshold }, shown);
  try {
    await changeSettings(platform, visited.act, project, change);
  } catch (error) {
    const { faults, message } = refusalOf(error);
    return showOperations(visited, { settings: { settings, threshold, shown, faults }, message });
  }
  return redirectWith(platform, request, reply, `${home}${OPERATIONS}`, { kind: "ok", text: "Saved." });
}

function clamped(value: number, { minimum, maximum }: { minimum: number; maximum: number }): number {
  return Math.min(Math.max(value, minimum), maximum);
}

async function createFromForm(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const visited = await visit(platform, request, reply, place, "maintainer");
  const { project, home } = visited;
  const form = integrationForm(request);
  const type = INTEGRATION_TYPES.find((one) => one === form.type);
  try {
    if (!type) throw new FieldProblem({ type: ["is not one of the choices"] });
    const made = await createIntegration(platform, visited.act, project, type, form.fields());
    const path = `${home}${OPERATIONS}/integrations/${made.id}`;
    if (formText(request, "next") !== "test") {
      const next =
        type === "external_tool"
          ? ""
          : " Give its address and key to the tool that sends, or try the command below.";
      return redirectWith(platform, request, reply, path, {
        kind: "ok",
        text: `${made.name} was added.${next}`,
      });
    }
    return sendTest(visited, made, path, form.sample);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "unavailable") throw error;
    const faults =
      error instanceof FieldProblem ? error.fields : { [form.faultField(error)]: [error.message] };
    return showOperations(visited, { integration: { form, faults } });
  }
}

async function sendTestFromForm(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const visited = await visit(platform, request, reply, place, "developer");
  const { project, home } = visited;
  const payload = formText(request, "payload");
  const integrationId = numberIn(formText(request, "integration_id"));
  const endpoint =
    integrationId === undefined ? undefined : await findEndpoint(platform.db, project.id, integrationId);
  if (!endpoint?.active || endpoint.type === "external_tool") {
    const choiceError = "Choose an active integration.";
    return showOperations(visited, { test: { integrationId, payload, choiceError } });
  }
  if (formText(request, "action") === "preview")
    return showOperations(visited, { test: { integrationId, payload } });
  try {
    const { alertIid } = await sendTestAlert(platform, endpoint, payload, Date.now());
    return redirectWith(platform, request, reply, `${home}${OPERATIONS}?tested=${alertIid}#test`, {
      kind: "ok",
      // The card to which the page scrolls shows the result.
      text: "",
    });
  } catch (error) {
    if (!(error instanceof Problem) || !["unprocessable", "too_many"].includes(error.kind)) throw error;
    return showOperations(visited, { test: { integrationId, payload, error: error.message } });
  }
}
