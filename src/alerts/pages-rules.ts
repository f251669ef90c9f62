/** The page of an integration's reading rules, with a preview on a sample and on past receipts. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { submitButton } from "../ui/button.ts";
import { card, columns, pageHead } from "../ui/card.ts";
import { errorSummary, postForm, shownField } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import { changeIntegration, noIntegration } from "./change-integration.ts";
import type { Integration } from "./integration.ts";
import { sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { payloadText } from "./pages-large-texts.ts";
import {
  changedRules,
  filledRules,
  marked,
  RULE_LABELS,
  type RulesForm,
  rulesFields,
  rulesForm,
  rulesOf,
} from "./pages-rules-form.ts";
import { previewCards, type SamplePreview } from "./pages-rules-preview.ts";
import { readSample } from "./payload.ts";
import { readDelivery } from "./read-delivery.ts";
import type { ReadingRules } from "./reading-rules.ts";
import { findIntegration } from "./store-integrations.ts";
import { listTrialReceipts } from "./store-receipts.ts";
import { tryRules } from "./try-rules.ts";

const OPERATIONS = "/-/settings/operations";
const PATH = `${OPERATIONS}/integrations/:integration_id/rules`;

/** Which receipts rules are tried on: enough to see a pattern, few and small enough to be read while the user types. */
const TRIAL = { limit: 50, maxBytes: 256 * 1024 };

export function rulesPages(pages: ProjectPages, platform: Platform): void {
  const withOne =
    (handle: (visited: Visit, one: Integration) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply, place: PagePlace) => {
      const visited = await visit(platform, request, reply, place, "maintainer");
      const id = idIn(place.params.integration_id);
      const found = await findIntegration(platform.db, visited.project.id, id);
      if (!found || found.type === "external_tool") throw noIntegration();
      return handle(visited, found);
    };
  pages.get(
    PATH,
    withOne((visited, one) => show(visited, one, filledRules(one), marked(filledRules(one)))),
  );
  pages.post(
    PATH,
    withOne((visited, one) => answer(visited, one)),
  );
}

async function answer(visited: Visit, one: Integration): Promise<FastifyReply> {
  const { platform, request, reply, project, home } = visited;
  const form = rulesForm(request);
  const shown = shownIn(request);
  if (formText(request, "action") !== "save") return show(visited, one, form, shown);
  const { rules, faults } = rulesOf(form);
  const sample = sampleOf(form.sample);
  if (sample.error !== undefined || Object.keys(faults).length > 0)
    return show(visited, one, form, shown, true);
  const changed = changedIn(marked(form), shown);
  try {
    await changeIntegration(platform, visited.act, project, one.id, (before) => ({
      ...changedRules(rules, changed, before),
      ...(changed.sample !== undefined && { payloadExample: sample.value ?? null }),
    }));
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return show(visited, one, form, shown, true);
  }
  return redirectWith(platform, request, reply, `${home}${OPERATIONS}/integrations/${one.id}/rules`, {
    kind: "ok",
    text: "Saved. New requests are read by these rules.",
  });
}

/** Sends the page with a preview of these rules; `isRefused` if they could not be saved. */
async function show(
  visited: Visit,
  one: Integration,
  form: RulesForm,
  shown: Shown,
  isRefused = false,
): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const { rules, faults } = rulesOf(form);
  const tried: ReadingRules = { strict: one.strict, ...rules };
  const isLeftOut = payloadText(one.payloadExample) === undefined;
  const isKept = isLeftOut && form.sample.trim() === "";
  const sample = previewOf(isKept ? JSON.stringify(one.payloadExample) : form.sample, tried);
  if (sample.fault !== undefined) faults.payload_example = [sample.fault];
  const receipts = await listTrialReceipts(platform.db.pooled, project.id, one.id, TRIAL);
  const trial = await tryRules(receipts, tried);
  const path = `${home}${OPERATIONS}/integrations/${one.id}`;
  const summary = errorSummary(RULE_LABELS.map(([id, label]) => ({ id, label, error: faults[id]?.[0] })));
  const edit = card({
    id: "rules",
    heading: "Reading rules",
    lead: "For tools that use other field names. Leave a field empty to read it under its usual name.",
    body: postForm(
      { action: `${path}/rules`, csrfToken: browser.csrfToken, two: true, live: "preview" },
      html`${shownField(shown)}${isRefused && summary}${rulesFields(form, faults, isLeftOut)}`,
      html`${submitButton("Preview", { name: "action", value: "preview", formaction: `${path}/rules#preview` })}${submitButton("Save rules", { tone: "primary", name: "action", value: "save" })}`,
    ),
  });
  const preview = html`<div id="preview" role="region" aria-label="Preview">${previewCards({ home, sample, trial, rules: tried, offersForm: browser.csrfToken !== undefined })}</div>`;
  return sendProjectPage(visited, {
    title: `Reading rules of ${one.name}`,
    current: "operations",
    crumbs: [
      { label: "Operations", href: `${home}${OPERATIONS}` },
      { label: one.name, href: path },
      { label: "Reading rules" },
    ],
    main: html`${pageHead({ heading: `Reading rules of ${one.name}` })}${columns([edit], [preview])}`,
    failed: isRefused,
    status: isRefused ? 422 : 200,
  });
}

function previewOf(text: string, rules: ReadingRules): SamplePreview {
  if (text.trim() === "") return {};
  const sample = sampleOf(text);
  if (sample.error !== undefined) return { fault: sample.error };
  try {
    return { reading: readDelivery(text, rules) };
  } catch (error) {
    if (error instanceof Problem) return { refusal: error.message };
    throw error;
  }
}

/** Parses a sample as JSON; the error has line and column. */
function sampleOf(text: string): { value?: unknown; error?: string } {
  if (text.trim() === "") return {};
  try {
    return { value: readSample(text) };
  } catch (error) {
    if (error instanceof Problem) return { error: error.message };
    throw error;
  }
}
