/** Saved views of the alert list: links above it, and the forms that save and remove them. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { idIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { PagePlace, ProjectPages } from "../projects/page-route.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead } from "../ui/card.ts";
import {
  csrfField,
  errorSummary,
  type FormToken,
  faultOf,
  hiddenField,
  postForm,
  textField,
} from "../ui/form.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import { type AlertListQuery, alertListQuery, listHref } from "./pages-alerts-query.ts";
import { sendProjectPage, type Visit, visit } from "./pages-frame.ts";
import { saveView } from "./save-view.ts";
import { deleteView, type View } from "./store-views.ts";

export function savedViewPages(pages: ProjectPages, platform: Platform): void {
  // Keeps this address from being read as the page of an alert; a GET of the form's address leads to the list (decision 0240).
  pages.get("/-/alerts/views", async (request, reply, place) => {
    const { home } = await visit(platform, request, reply, place, "developer");
    return reply.redirect(listHref(home, alertListQuery(request), { page: 1 }), 302);
  });
  pages.post("/-/alerts/views", (request, reply, place) => changeViews(platform, request, reply, place));
}

export interface ViewBar {
  home: string;
  query: AlertListQuery;
  views: readonly View[];
  csrfToken: FormToken;
  /** Whether there is something to save: a filter, an order or a tab. */
  isSpecial: boolean;
}

/** Returns the viewer's saved views, and a form that saves the current one; undefined if there is neither. */
export function viewBar({ home, query, views, csrfToken, isSpecial }: ViewBar): Html | undefined {
  const now = queryOf(home, query);
  const current = views.find((view) => view.query === now);
  if (views.length === 0 && !(isSpecial && csrfToken !== undefined)) return undefined;
  const action = saveAddress(home, query);
  const links = views.map(
    (view) =>
      html`<a class="chip"${attrs({ "aria-current": view === current ? "true" : undefined })} href="${`${home}/-/alerts${view.query === "" ? "" : `?${view.query}`}`}">${view.name}</a>`,
  );
  const bar = (change: Html | false | undefined) =>
    html`<div class="views" role="group" aria-label="Saved views"><span class="sub">Views</span>${links}${change}</div>`;
  if (csrfToken === undefined) return bar(undefined);
  const save = html`<details class="more inline"><summary>Save this view</summary><form class="row" method="post" action="${action}">${csrfField(csrfToken)}<input class="input" name="name" maxlength="60" required aria-label="Name of the view" placeholder="Name of the view">${submitButton("Save view", { name: "action", value: "save" })}</form></details>`;
  const remove =
    current &&
    html`<form method="post" action="${action}">${csrfField(csrfToken)}${hiddenField("id", String(current.id))}${submitButton(html`Remove this view<span class="sr"> ${current.name}</span>`, { size: "sm", tone: "quiet", name: "action", value: "remove" })}</form>`;
  return bar(current ? remove : isSpecial && save);
}

function saveAddress(home: string, query: AlertListQuery): string {
  const now = queryOf(home, query);
  return `${home}/-/alerts/views${now === "" ? "" : `?${now}`}`;
}

/** Returns what a view stores: the query of the list's address without its page. */
function queryOf(home: string, query: AlertListQuery): string {
  return listHref(home, query, { page: 1 }).split("?")[1] ?? "";
}

async function changeViews(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  place: PagePlace,
): Promise<FastifyReply> {
  const visited = await visit(platform, request, reply, place, "developer");
  const { viewer, project, home } = visited;
  const query = alertListQuery(request);
  const back = listHref(home, query, { page: 1 });
  if (formText(request, "action") === "remove") {
    await deleteView(platform.db, project.id, viewer.userId, idIn(formText(request, "id")));
    return redirectWith(platform, request, reply, back, { kind: "ok", text: "The view was removed." });
  }
  const name = formText(request, "name");
  try {
    await saveView(platform.db, project.id, viewer.userId, { name, query: queryOf(home, query) });
    const text = `The view ${name.trim()} is yours alone; its address works for everybody.`;
    return await redirectWith(platform, request, reply, back, { kind: "ok", text });
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return showRefused(visited, { action: saveAddress(home, query), name, back, faults: error.fields });
  }
}

interface RefusedView {
  action: string;
  name: string;
  /** The address of the list. */
  back: string;
  faults: FieldProblem["fields"];
}

/** The list shows its form closed, so a refused name has a page of its own. */
function showRefused(visited: Visit, { action, name, back, faults }: RefusedView): Promise<FastifyReply> {
  const title = "Save this view";
  const field = {
    name: "name",
    label: "Name of the view",
    error: faultOf(faults, "name", "The name of a view"),
  };
  const form = postForm(
    { action, csrfToken: visited.browser.csrfToken, cancel: back },
    html`${errorSummary([{ ...field, id: field.name }])}${textField({ ...field, value: name, required: true, maxlength: 60 })}`,
    submitButton("Save view", { tone: "primary", name: "action", value: "save" }),
  );
  return sendProjectPage(visited, {
    title,
    current: "alerts",
    crumbs: [{ label: "Alerts", href: back }, { label: title }],
    main: html`${pageHead({ heading: title, lead: "Yours alone; its address works for everybody." })}${card({ id: "view", heading: "Name", body: form })}`,
    failed: true,
    status: 422,
  });
}
