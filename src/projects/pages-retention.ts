/** `/<project>/-/settings/retention`: how long events are kept, for Maintainers (decision 0119). */
import type { FastifyReply } from "fastify";
import { frameOf, redirectWith } from "../accounts/browser.ts";
import { formText } from "../platform/form-text.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { submitButton } from "../ui/button.ts";
import { card, pageHead, stack } from "../ui/card.ts";
import { choiceSet } from "../ui/choice.ts";
import { errorSummary, postForm, textField } from "../ui/form.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { projectNav } from "../ui/navigation.ts";
import { actOfAsker } from "./asker.ts";
import { keepEvents } from "./keep-events.ts";
import { type OpenPage, openProjectPage } from "./open-project-page.ts";
import type { ProjectPages } from "./page-route.ts";
import { MAX_DAYS } from "./project.ts";

const ADDRESS = "/-/settings/retention";

export function retentionPages(at: ProjectPages, platform: Platform): void {
  at.get(ADDRESS, async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "maintainer" });
    if (!page) return reply;
    const { eventRetentionDays: days } = page.project;
    return retentionPage(reply, page, days === null ? "" : String(days), {});
  });
  at.post(ADDRESS, async (request, reply, { projectPath }) => {
    const page = await openProjectPage(platform, request, reply, projectPath, { role: "maintainer" });
    if (!page) return reply;
    const typed = formText(request, "event_retention_days").trim();
    const days = typed === "" ? null : /^\d{1,4}$/.test(typed) ? Number(typed) : 0;
    // Removed events cannot be restored, so a shorter time has to be confirmed (decision 0133).
    const now = page.project.eventRetentionDays ?? MAX_DAYS;
    if (days !== null && days > 0 && days < now && formText(request, "agreed") !== typed) {
      return retentionPage(reply, page, typed, { shortened: days });
    }
    try {
      await keepEvents(platform.db, actOfAsker(page.asker, request), page.project, days);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      const words = `Days must be a whole number from 1 to ${MAX_DAYS}.`;
      return retentionPage(reply, page, typed, { error: words });
    }
    const kept = days === null ? "two years" : days === 1 ? "1 day" : `${days} days`;
    return redirectWith(platform, request, reply, `/${page.project.fullPath}${ADDRESS}#main`, {
      kind: "ok",
      text: `Events are kept for ${kept}.`,
    });
  });
}

/** The fault of the days, or the shorter time that has to be confirmed. */
type Asked = { error?: string; shortened?: number };

function retentionPage(reply: FastifyReply, page: OpenPage, typed: string, { error, shortened }: Asked) {
  const { project, browser, nav } = page;
  const unsaid = shortened === undefined ? undefined : "Tick it to go on.";
  const summary = errorSummary([
    { id: "event_retention_days", label: "Days", error },
    { id: "agreed", label: "What is removed", error: unsaid },
  ]);
  const field = textField({
    name: "event_retention_days",
    label: "Days",
    note: "optional",
    hint:
      browser.csrfToken === undefined
        ? "Empty: two years, which is the most."
        : `From 1 to ${MAX_DAYS}. Leave it empty for two years, which is the most.`,
    inputmode: "numeric",
    maxlength: 4,
    spellcheck: false,
    value: typed,
    error,
  });
  const form = postForm(
    { action: `/${project.fullPath}${ADDRESS}`, csrfToken: browser.csrfToken, two: true },
    html`${summary}
${field}${shortened !== undefined && agreement(shortened, typed, unsaid)}`,
    submitButton("Save changes", { tone: "primary" }),
  );
  const title = "Event retention";
  const main = html`${pageHead({
    heading: title,
    lead: "Older events disappear from every list and feed at once, and are deleted for good within the hour.",
  })}${stack([card({ id: "retention", heading: "Keep events for", body: form })])}`;
  const crumbs = [
    { label: project.namespaceName, href: `/${project.namespaceFullPath}` },
    { label: project.name, href: `/${project.fullPath}` },
    { label: title },
  ];
  const failed = error !== undefined || shortened !== undefined;
  const shown = appPage({
    ...frameOf(browser.session),
    title: `${title} · ${project.name}`,
    failed,
    crumbs,
    nav: projectNav("retention", nav),
    main,
  });
  return sendPage(reply, shown, { failed });
}

/** The box contains the number of days, so that ticking it confirms no other number. */
function agreement(days: number, typed: string, error: string | undefined): Html {
  const label = `Remove what is older than ${days === 1 ? "1 day" : `${days} days`} for good`;
  const hint = "Within the hour; nothing brings it back.";
  const choices = [{ value: typed, label, hint }];
  return choiceSet({ name: "agreed", legend: "What is removed", many: true, choices, error });
}
