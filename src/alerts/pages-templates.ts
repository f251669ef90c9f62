/** `…/-/settings/operations/templates`: creates, changes and removes incident templates (decision 0117). */
import type { FastifyReply } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { changedIn, type Shown, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import type { Platform } from "../platform/platform.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { confirmDialog } from "../ui/dialog.ts";
import { changeHeading, errorSummary, postForm, shownField, textArea, textField } from "../ui/form.ts";
import { html } from "../ui/html.ts";
import type { IncidentTemplate, TemplateFields } from "./incident-template.ts";
import { faultWords, sendProjectPage, type Visit } from "./pages-frame.ts";
import { doorsTo, type Refused, refusalOf } from "./pages-kept.ts";
import { nothingNew } from "./pages-nothing-new.ts";
import { prose } from "./pages-prose.ts";
import { removeTemplate, saveTemplate, templateOf } from "./save-template.ts";
import { templateFieldsOf } from "./wire-templates.ts";

const OPERATIONS = "/-/settings/operations";
const PATH = `${OPERATIONS}/templates`;

export function templatePages(pages: ProjectPages, platform: Platform): void {
  const { visiting, withOne } = doorsTo(platform, "template_id", templateOf);
  pages.get(PATH, async (request, reply, place) => {
    const { home } = await visiting(request, reply, place);
    return reply.redirect(`${home}${OPERATIONS}#templates`, 302);
  });
  pages.get(`${PATH}/new`, async (request, reply, place) => {
    const visited = await visiting(request, reply, place);
    const all = { label: "Operations", path: OPERATIONS };
    const readOnly = nothingNew(visited, { title: "New template", current: "operations", all });
    return readOnly ?? show(visited, { name: "", content: "" });
  });
  pages.post(PATH, async (request, reply, place) => save(await visiting(request, reply, place)));
  pages.get(
    `${PATH}/:template_id`,
    withOne((visited, template) => show(visited, template, template)),
  );
  pages.post(`${PATH}/:template_id`, withOne(save));
  pages.post(
    `${PATH}/:template_id/delete`,
    withOne(async (visited, template) => {
      await removeTemplate(platform, visited.act, visited.project, template);
      return back(visited, `${OPERATIONS}#main`, `${template.name} was removed.`);
    }),
  );
}

function back({ platform, request, reply, home }: Visit, path: string, text: string) {
  return redirectWith(platform, request, reply, `${home}${path}`, { kind: "ok", text });
}

async function show(
  visited: Visit,
  form: TemplateFields,
  template?: IncidentTemplate,
  refused?: Refused & { shown: Shown },
): Promise<FastifyReply> {
  const { home, browser } = visited;
  const { csrfToken } = browser;
  const title = template?.name ?? "New template";
  const action = template ? `${home}${PATH}/${template.id}` : `${home}${PATH}`;
  const fault = (name: string) => faultWords(name === "name" ? "Name" : "Text", refused?.faults[name]);
  const remove =
    template &&
    confirmDialog(
      { words: "Remove", icon: "trash" },
      {
        id: "remove",
        heading: `Remove ${template.name}?`,
        text: "Incidents that were opened with it keep their text. If alerts use it, they use none from now on.",
        action: `${action}/delete`,
        csrfToken,
        confirm: "Remove template",
        keep: "Keep it",
      },
    );
  const summary = errorSummary([
    { id: "name", label: "Name", error: fault("name") },
    { id: "content", label: "Text", error: fault("content") },
  ]);
  const { name, content } = form;
  const fields = card({
    id: "template",
    heading: template ? changeHeading(csrfToken) : "What incidents begin with",
    body: postForm(
      { action, csrfToken, cancel: !template && `${home}${OPERATIONS}` },
      html`${template && shownField(refused?.shown ?? { name, content })}${summary}
${textField({ name: "name", label: "Name", value: name, maxlength: 255, autocomplete: "off", placeholder: "Outage", error: fault("name") })}
${textArea({ name: "content", label: "Text", note: "Markdown", rows: 14, value: content, error: fault("content"), hint: csrfToken === undefined ? undefined : "Headings, lists, tasks such as - [ ] Tell the customers, links and code. A change is for later incidents alone." })}`,
      submitButton(template ? "Save changes" : "Create template", { tone: "primary" }),
    ),
  });
  const preview = template && card({ id: "preview", heading: "How it reads", body: prose(template.content) });
  return sendProjectPage(visited, {
    title,
    current: "operations",
    crumbs: [{ label: "Operations", href: `${home}${OPERATIONS}` }, { label: title }],
    main: html`${pageHead({ heading: title, actions: [remove] })}${stack([fields, preview])}`,
    messages: refused?.message ? [{ kind: "bad", text: refused.message }] : [],
    failed: refused !== undefined,
    status: refused ? 422 : 200,
  });
}

async function save(visited: Visit, before?: IncidentTemplate): Promise<FastifyReply> {
  const { platform, request, project } = visited;
  const form = { name: formText(request, "name"), content: formText(request, "content") };
  const shown = shownIn(request);
  try {
    const saved = await saveTemplate(
      platform,
      visited.act,
      project,
      (now) => templateFieldsOf(now ? changedIn(form, shown) : form, now),
      before?.id,
    );
    const text = before ? "Saved." : `${saved.name} was added.`;
    return await back(visited, `${PATH}/${saved.id}`, text);
  } catch (error) {
    return show(visited, form, before, { ...refusalOf(error), shown });
  }
}
