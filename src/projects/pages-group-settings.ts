/** `/groups/<group>/-/settings`: name, address and visibility of a group, for its owners. */
import type { FastifyInstance, FastifyReply } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { linkButton, submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { errorSummary, postForm, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { groupNav } from "../ui/navigation.ts";
import { actOfAsker } from "./asker.ts";
import { changeGroup } from "./change-group.ts";
import { navGroup, type OpenGroupPage, openGroupPage } from "./open-group-page.ts";
import {
  type About,
  aboutErrors,
  checkDescription,
  descriptionField,
  type FilledForm,
  typedAbout,
  typedVisibility,
  visibilityField,
} from "./pages-about.ts";
import { lifecycleCards, type TypedPath } from "./pages-lifecycle-views.ts";
import { findVisibleGroup } from "./store-groups.ts";

const HOME = "/groups/:path/-/settings";

/** Registers the form, and redirects from group addresses whose slashes are not encoded. */
export function groupSettingsPages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) => {
    const page = await openGroupPage(platform, request, reply);
    return page ? showGroupSettings(platform, reply, page, { typed: page.group }) : reply;
  });
  app.post(HOME, async (request, reply) => {
    const page = await openGroupPage(platform, request, reply);
    if (!page) return reply;
    const typed = typedAbout(request);
    const shown = shownIn(request);
    const { visibility: chosen, ...change } = changedIn(typed, shown);
    try {
      checkDescription(typed);
      const visibility = chosen === undefined ? undefined : typedVisibility({ visibility: chosen });
      const act = actOfAsker(page.asker, request);
      await changeGroup(platform.db, page.asker, act, page.group.id, { ...change, visibility });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return showGroupSettings(platform, reply, page, { typed, shown, faults: error.fields });
    }
    const now = await findVisibleGroup(platform.db, page.asker, String(page.group.id));
    const path = encodeURIComponent(now?.fullPath ?? page.group.fullPath);
    const told = { kind: "ok", text: "The group is saved." } as const;
    return redirectWith(platform, request, reply, `/groups/${path}/-/settings#main`, told);
  });
  // A group below another one, with slashes that are not encoded; and the group itself, to which GitLab links in this way too.
  app.get<{ Params: { "*": string } }>("/groups/*", async (request, reply) => {
    const address = request.url.replace(/\?.*$/, "").replaceAll(/%2f/gi, "/");
    const [, home] = /^\/groups((?:\/(?!-\/)[\w.-]+)+)\/?$/.exec(address) ?? [];
    if (home) return reply.redirect(home, 302);
    const [, path = "", rest = ""] = /^\/groups\/([^?]+?)(\/-\/.*)$/.exec(request.url) ?? [];
    if (!path.includes("/")) throw new Problem("not_found", "404 Not Found");
    return reply.redirect(`/groups/${path.replaceAll("/", "%2F")}${rest}`, 301);
  });
}

/** Sends the page, with the faults of a form if there are any. */
export function showGroupSettings(
  { config }: Platform,
  reply: FastifyReply,
  page: OpenGroupPage,
  filled: FilledForm<About>,
  wrong?: TypedPath,
) {
  const { browser, group, crumbs } = page;
  const failed = filled.faults !== undefined || wrong !== undefined;
  const lead = `Who may see ${group.name}, what it is called, and where it stands.`;
  const nav = navGroup(group);
  const body = form(config.publicUrl, page, filled);
  const toMove = linkButton("Move group", `/groups/${encodeURIComponent(group.fullPath)}/-/settings/move`, {
    icon: "out",
  });
  const main = html`${pageHead({ heading: "Settings", lead, actions: [browser.csrfToken !== undefined && toMove] })}${stack([card({ id: "about", heading: "About the group", body }), ...lifecycleCards("group", group, { csrfToken: browser.session.csrfToken, days: config.deletionDelayDays, wrong })])}`;
  const shown = appPage({
    ...frameOf(browser.session),
    title: `Settings · ${group.name}`,
    failed,
    crumbs: [...crumbs, { label: "Settings" }],
    nav: groupNav("settings", nav),
    main,
  });
  return sendPage(reply, shown, { failed });
}

function form(
  publicUrl: string,
  { browser, group }: OpenGroupPage,
  { typed, shown, faults = {} }: FilledForm<About>,
): Html {
  const errors = aboutErrors(faults);
  const [name, path, description, visible] = errors.map((field) => field.error);
  const above = group.fullPath.split("/").slice(0, -1).join("/");
  const address = `${publicUrl}/${above ? `${above}/` : ""}…`;
  const hint = "Must be at least as visible as what is in it, and no more visible than the group around it.";
  const action = `/groups/${encodeURIComponent(group.fullPath)}/-/settings`;
  const { name: named, path: stands, description: told, visibility } = typed;
  const first = { name: named, path: stands, description: told, visibility };
  const fields = html`${shownField(shown ?? first)}${errorSummary(errors)}
${textField({ name: "name", label: "Name", value: typed.name, error: name, required: true, maxlength: 255 })}
${textField({ name: "path", label: "Path", value: typed.path, error: path, required: true, spellcheck: false, maxlength: 255, hint: `The last part of ${address} Old addresses redirect here and stay reserved for this group.` })}
${descriptionField(typed, description)}
${visibilityField(typed, visible, hint)}`;
  const { csrfToken } = browser;
  return postForm(
    { action, csrfToken, two: true },
    fields,
    submitButton("Save changes", { tone: "primary" }),
  );
}
