/** `/<project>/-/settings/general`: name, address and visibility of a project, for Maintainers (decision 0147). */
import type { FastifyReply } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { namespaceFor } from "../accounts/set-plan.ts";
import { changedIn, shownIn } from "../platform/form-shown.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { errorSummary, postForm, shownField, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { actOfAsker } from "./asker.ts";
import { changeProject } from "./change-project.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { ProjectPages } from "./page-route.ts";
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
import { isAtLeast } from "./role.ts";

const ADDRESS = "/-/settings/general";

type Typed = About & { defaultBranch: string };

/** The form for what `PUT /projects/:id` changes. */
export function projectSettingsPages(at: ProjectPages, platform: Platform): void {
  at.get(ADDRESS, async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "maintainer" });
    return page ? showProjectSettings(platform, reply, page, { typed: page.project }) : reply;
  });
  at.post(ADDRESS, async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "maintainer" });
    if (!page) return reply;
    const { project } = page;
    const typed: Typed = {
      ...typedAbout(request),
      defaultBranch: formText(request, "default_branch").trim(),
    };
    const shown = shownIn(request);
    const { visibility: chosen, ...change } = changedIn(typed, shown);
    try {
      checkDescription(typed);
      const visibility = chosen === undefined ? undefined : typedVisibility({ visibility: chosen });
      const namespace = await namespaceFor(platform.db, project.namespaceId);
      const act = actOfAsker(page.asker, request);
      await changeProject(platform.db, act, project, namespace.visibility, { ...change, visibility });
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      return showProjectSettings(platform, reply, page, { typed, shown, faults: error.fields });
    }
    const home = `/${project.namespaceFullPath}/${change.path ?? project.path}${ADDRESS}#main`;
    return redirectWith(platform, request, reply, home, { kind: "ok", text: "The project is saved." });
  });
}

/** Sends the page, with the faults of a form if there are any. */
export function showProjectSettings(
  { config }: Platform,
  reply: FastifyReply,
  page: OpenPage,
  filled: FilledForm<Typed>,
  wrong?: TypedPath,
) {
  const { project, browser, nav } = page;
  const isOwner = isAtLeast(project.access, "owner");
  const failed = filled.faults !== undefined || wrong !== undefined;
  const title = "General";
  const lead = `Who may see ${project.name}, what it is called, and where it stands.`;
  const about = card({
    id: "project",
    heading: "About the project",
    body: form(config.publicUrl, page, filled),
  });
  const end = isOwner
    ? lifecycleCards("project", project, {
        csrfToken: browser.session.csrfToken,
        days: config.deletionDelayDays,
        wrong,
      })
    : [];
  const crumbs = [
    { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
    { label: project.name, href: `/${project.fullPath}` },
    { label: title },
  ];
  const shown = appPage({
    ...frameOf(browser.session),
    title: `${title} · ${project.name}`,
    failed,
    crumbs,
    nav: projectNav("general", nav),
    main: html`${pageHead({ heading: title, lead })}${stack([about, ...end])}`,
  });
  return sendPage(reply, shown, { failed });
}

function form(
  publicUrl: string,
  { browser, project }: OpenPage,
  { typed, shown, faults = {} }: FilledForm<Typed>,
): Html {
  const errors = aboutErrors(faults, [{ id: "default_branch", label: "Default branch" }]);
  const [name, path, branch, description, visible] = errors.map((field) => field.error);
  const address = `The last part of ${publicUrl}/${project.namespaceFullPath}/… Old addresses lead to the new one.`;
  const action = `/${project.fullPath}${ADDRESS}`;
  const { name: named, path: stands, description: told, visibility, defaultBranch } = typed;
  const first = { name: named, path: stands, description: told, visibility, defaultBranch };
  const fields = html`${shownField(shown ?? first)}${errorSummary(errors)}
${textField({ name: "name", label: "Name", value: typed.name, error: name, required: true, maxlength: 255, hint: "The name that people see." })}
${textField({ name: "default_branch", label: "Default branch", value: typed.defaultBranch, error: branch, required: true, spellcheck: false, maxlength: 255 })}
${textField({ name: "path", label: "Path", value: typed.path, error: path, required: true, spellcheck: false, full: true, maxlength: 255, hint: address })}
${descriptionField(typed, description)}
${visibilityField(typed, visible, "Not wider than the group around it.")}`;
  const { csrfToken } = browser;
  return postForm(
    { action, csrfToken, two: true },
    fields,
    submitButton("Save changes", { tone: "primary" }),
  );
}
