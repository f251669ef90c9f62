/** `/<project>/-/environments`: the names to which alert payloads may refer, for Developers. */
import type { FastifyReply } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import { listQuery, queryPage } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import { rowsOf, totalPagesOf } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, emptyState, pageHead, stack } from "../ui/card.ts";
import { errorSummary, faultOf, postForm, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { pastTheEnd } from "../ui/past-the-end.ts";
import { questionLink, questionMain } from "../ui/question.ts";
import { pager, table } from "../ui/table.ts";
import { timeDay } from "../ui/time.ts";
import { addEnvironment, removeEnvironment } from "./add-environment.ts";
import type { Environment } from "./environment.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { ProjectPages } from "./page-route.ts";
import { countEnvironments, findEnvironment, listEnvironments } from "./store-environments.ts";

const PER_PAGE = 50;
const EMPTY = { name: "", externalUrl: "" };
type Typed = typeof EMPTY;
type Faults = FieldProblem["fields"];

export function environmentPages(at: ProjectPages, platform: Platform): void {
  const { db } = platform;
  at.get("/-/environments", async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "developer" });
    if (!page) return reply;
    const asked = { number: queryPage(request), query: listQuery(request) };
    return listPage(platform, reply, page, { typed: EMPTY, faults: {}, ...asked });
  });
  at.post("/-/environments", async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "developer" });
    if (!page) return reply;
    const typed = {
      name: formText(request, "name").trim(),
      externalUrl: formText(request, "external_url").trim(),
    };
    try {
      await addEnvironment(db, page.asker.id, page.project.id, {
        name: typed.name,
        externalUrl: typed.externalUrl || null,
      });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return listPage(platform, reply, page, { typed, faults: error.fields, number: 1, query: "" });
    }
    return redirectWith(platform, request, reply, `${home(page)}#main`, {
      kind: "ok",
      text: `${typed.name} is added.`,
    });
  });
  at.get("/-/environments/:id/delete", async (request, reply, { projectPath, params }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "developer" });
    if (!page) return reply;
    const { csrfToken } = page.browser;
    const found = await findEnvironment(db, page.project.id, idIn(params.id));
    if (!found || csrfToken === undefined) throw new Problem("not_found", "404 Not Found");
    const query = listQuery(request);
    const main = questionMain({
      heading: `Delete ${found.name}?`,
      text: "Alerts that named it stay, without the environment beside them.",
      action: `${home(page)}/${found.id}/delete${query}`,
      csrfToken,
      confirm: "Delete",
      keep: "Keep",
      back: `${home(page)}${query}`,
    });
    return sendPage(reply, framed(page, { title: `Delete ${found.name}`, main, failed: false }));
  });
  at.post("/-/environments/:id/delete", async (request, reply, { projectPath, params }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "developer" });
    if (!page) return reply;
    const found = await findEnvironment(db, page.project.id, idIn(params.id));
    if (!found) throw new Problem("not_found", "404 Not Found");
    await removeEnvironment(db, page.asker.id, found);
    return redirectWith(platform, request, reply, `${home(page)}${listQuery(request)}#main`, {
      kind: "ok",
      text: `${found.name} is deleted.`,
    });
  });
}

function home({ project }: OpenPage): string {
  return `/${project.fullPath}/-/environments`;
}

/** Which page of the list is shown, with the query of its address, and what was typed into the form. */
type Asked = { typed: Typed; faults: Faults; number: number; query: string };

async function listPage({ db }: Platform, reply: FastifyReply, page: OpenPage, asked: Asked) {
  const { project, browser } = page;
  const { typed, faults, number } = asked;
  const [total, environments] = await Promise.all([
    countEnvironments(db, project.id),
    listEnvironments(db, project.id, {}, rowsOf({ page: number, perPage: PER_PAGE })),
  ]);
  const mayAdd = browser.csrfToken !== undefined;
  const failed = Object.keys(faults).length > 0;
  const pages = pager({
    page: number,
    totalPages: totalPagesOf(total, PER_PAGE),
    hrefFor: (to) => `${home(page)}?page=${to}`,
  });
  const main = html`${pageHead({
    heading: "Environments",
    lead: "Where your software runs. An alert that names one of these is linked to it.",
    actions: [mayAdd && linkButton("New environment", "#new", { tone: "primary", icon: "plus", key: "n" })],
  })}${stack([listCard(page, environments, asked), pages, mayAdd && newCard(page, typed, faults)])}`;
  return sendPage(reply, framed(page, { main, failed }), { failed });
}

/** `title`: of a page below the list. */
function framed(page: OpenPage, { title, main, failed }: { title?: string; main: Html; failed: boolean }) {
  const { project, browser, nav } = page;
  const crumbs = [
    { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
    { label: project.name, href: `/${project.fullPath}` },
    ...(title === undefined ? [] : [{ label: "Environments", href: home(page) }]),
    { label: title ?? "Environments" },
  ];
  return appPage({
    ...frameOf(browser.session),
    title: `${title ?? "Environments"} · ${project.name}`,
    failed,
    crumbs,
    nav: projectNav("environments", nav),
    main,
  });
}

function listCard(page: OpenPage, environments: readonly Environment[], { number, query }: Asked): Html {
  const { csrfToken } = page.browser;
  const empty = emptyState({
    heading: csrfToken === undefined ? "No environments" : "No environments yet",
    text:
      csrfToken === undefined
        ? "None was named."
        : "Name one, such as production, and send that name with your alerts.",
    action: csrfToken === undefined ? undefined : linkButton("New environment", "#new", { icon: "plus" }),
  });
  const remove = ({ id, name }: Environment) =>
    csrfToken !== undefined && questionLink("Delete", name, `${home(page)}/${id}/delete${query}`, "danger");
  const list = table<Environment>({
    caption: "Environments",
    rows: environments,
    columns: [
      {
        head: "Name",
        rowHeader: true,
        cell: ({ name, slug }) =>
          html`<span class="title">${name}</span><br><span class="sub wrap-any">${slug}</span>`,
      },
      {
        head: "Address",
        cell: ({ externalUrl }) =>
          externalUrl
            ? html`<a class="wrap-any" href="${externalUrl}" rel="noopener noreferrer">${externalUrl}</a>`
            : "None",
      },
      { head: "Created", kind: "nowrap", cell: ({ createdAt }) => timeDay(createdAt) },
      { head: "Actions", hiddenHead: true, kind: "act", cell: remove },
    ],
  });
  return card({
    id: "environments",
    heading: "Environments of this project",
    flush: environments.length > 0 ? list : number > 1 ? pastTheEnd("environments", home(page)) : empty,
  });
}

function newCard(page: OpenPage, typed: Typed, faults: Faults): Html {
  const error = (field: string, label: string) => faultOf(faults, field, label);
  const [name, url] = [error("name", "Name"), error("external_url", "Address")];
  const summary = errorSummary([
    { id: "name", label: "Name", error: name },
    { id: "external_url", label: "Address", error: url },
  ]);
  return card({
    id: "new",
    heading: "New environment",
    body: postForm(
      { action: home(page), csrfToken: page.browser.csrfToken, two: true },
      html`${summary}
${textField({ name: "name", label: "Name", value: typed.name, error: name, required: true, spellcheck: false, maxlength: 255, placeholder: "production" })}
${textField({ name: "external_url", label: "Address", note: "optional", type: "url", value: typed.externalUrl, error: url, placeholder: "https://www.example.org" })}`,
      submitButton("Create environment", { tone: "primary" }),
    ),
  });
}
