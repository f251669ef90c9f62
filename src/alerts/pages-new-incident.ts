/** `…/-/incidents/new`: opens an incident by hand, from a template if one is chosen (decision 0117). */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { formText, textOf } from "../platform/form-text.ts";
import { numberIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { mainAction, submitButton } from "../ui/button.ts";
import { card, pageHead } from "../ui/card.ts";
import { errorSummary, hiddenField, postForm, selectField, textArea, textField } from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { createIncident, type IncidentFields } from "./create-incident.ts";
import { faultWords, queryMember, sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { nothingNew } from "./pages-nothing-new.ts";
import { SEVERITIES, SEVERITY_OPTIONS } from "./severity.ts";
import { findTemplate, listTemplateNames } from "./store-templates.ts";

/** The form of the page. */
const FORM = "new-incident";
/** The choice of no template; none has this number. */
const NO_TEMPLATE = 0;

export function newIncidentPages(pages: ProjectPages, platform: Platform): void {
  pages.get("/-/incidents/new", async (request, reply, place) => {
    const visited = await visit(platform, request, reply, place, "reporter");
    const all = { label: "Incidents", path: "/-/incidents" };
    const readOnly = nothingNew(visited, { title: "New incident", current: "incidents", all });
    if (readOnly) return readOnly;
    const chosen = numberIn(queryMember(request, "template"));
    const template =
      chosen === undefined ? undefined : await findTemplate(platform.db, visited.project.id, chosen);
    return show(
      visited,
      { title: "", severity: "unknown", description: template?.content ?? "" },
      template?.id,
    );
  });
  pages.post("/-/incidents/new", (request, reply, place) => open(platform, request, reply, place));
}

async function show(
  visited: Visit,
  fields: IncidentFields,
  templateId: number | undefined,
  faults: Readonly<Record<string, readonly string[]>> = {},
): Promise<FastifyReply> {
  const { platform, project, home, browser } = visited;
  const templates = await listTemplateNames(platform.db, project.id);
  const failed = Object.keys(faults).length > 0;
  const at = `${home}/-/incidents/new`;
  const fault = (name: string) => faultWords(name === "title" ? "Title" : "Description", faults[name]);
  const summary = errorSummary([
    { id: "title", label: "Title", error: fault("title") },
    { id: "description", label: "Description", error: fault("description") },
  ]);
  const template = templateId !== undefined && hiddenField("template", `${templateId}`);
  const inside = html`${template}${summary}
${textField({ name: "title", label: "Title", value: fields.title, maxlength: 255, autocomplete: "off", error: fault("title") })}
${selectField({ name: "severity", label: "Severity", value: fields.severity, options: SEVERITY_OPTIONS })}
${textArea({ name: "description", label: "Description", note: "Markdown", rows: 14, value: fields.description, error: fault("description") })}`;
  const { csrfToken } = browser;
  const button = submitButton("Open incident", { tone: "primary" });
  const form = postForm({ id: FORM, action: at, csrfToken, cancel: `${home}/-/incidents` }, inside, button);
  return sendProjectPage(visited, {
    title: "New incident",
    current: "incidents",
    crumbs: [{ label: "Incidents", href: `${home}/-/incidents` }, { label: "New incident" }],
    main: html`${pageHead({ heading: "New incident", lead: "For problems that people notice before a tool does." })}${card(
      {
        id: "incident",
        heading: "What happened",
        flush: templates.length > 0 ? choices(templates, templateId) : undefined,
        body: form,
      },
    )}`,
    failed,
    status: failed ? 422 : 200,
  });
}

/** Buttons of the form, so that what was typed is kept; the address of the form with a template works, too. */
function choices(templates: readonly { id: number; name: string }[], chosen: number | undefined): Html {
  const chip = (label: string, id: number, isCurrent: boolean) =>
    html`<button class="chip" type="submit"${attrs({ form: FORM, name: "begin", value: id, "aria-current": isCurrent ? "true" : undefined })}>${label}</button>`;
  return html`<div class="views" role="group" aria-label="Templates">${mainAction(FORM)}<span class="sub">Begin with</span>${chip("Nothing", NO_TEMPLATE, chosen === undefined)}${templates.map(({ id, name }) => chip(name, id, id === chosen))}</div>`;
}

/** Shows the form as typed with the text of another template, which takes the place of the one before or follows what was typed. */
async function beginWith(visited: Visit, typed: IncidentFields, begin: string): Promise<FastifyReply> {
  const { platform, project, request } = visited;
  const find = async (id: number | undefined) =>
    id === undefined || id === NO_TEMPLATE ? undefined : await findTemplate(platform.db, project.id, id);
  const [before, template] = await Promise.all([
    find(numberIn(formText(request, "template"))),
    find(numberIn(begin)),
  ]);
  const text = textOf(typed.description);
  const own = text === textOf(before?.content ?? "") ? "" : text;
  const parts = [own, template?.content ?? ""].filter((part) => part !== "");
  return show(visited, { ...typed, description: parts.join("\n\n") }, template?.id);
}

async function open(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const visited = await visit(platform, request, reply, place, "reporter");
  const { viewer, project, home } = visited;
  const fields: IncidentFields = {
    title: formText(request, "title"),
    severity: SEVERITIES.find((one) => one === formText(request, "severity")) ?? "unknown",
    description: formText(request, "description"),
  };
  const begin = formText(request, "begin");
  if (begin !== "") return beginWith(visited, fields, begin);
  try {
    const { iid } = await createIncident(platform, viewer.userId, project, fields);
    const text = `Incident #${iid} is open.`;
    return await redirectWith(platform, request, reply, `${home}/-/incidents/${iid}`, { kind: "ok", text });
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return show(visited, fields, numberIn(formText(request, "template")), error.fields);
  }
}
