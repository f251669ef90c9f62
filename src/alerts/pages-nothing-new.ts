/**
 * What replaces the form of a new item in a project that is archived or marked for deletion: the reason, and the way back
 * (decision 0153).
 */
import type { FastifyReply } from "fastify";
import { readOnlyState } from "../projects/lifecycle.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, emptyState, pageHead } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import type { ProjectPage } from "../ui/navigation.ts";
import { sendProjectPage, type Visit } from "./pages-frame.ts";

interface NothingNew {
  /** The title of the form. */
  title: string;
  current: ProjectPage;
  /** The link to the list of existing items: "Silences", `/-/silences`. */
  all: { label: string; path: string };
}

/** Returns undefined if the project takes changes, so that the form is shown. */
export function nothingNew(
  visited: Visit,
  { title, current, all }: NothingNew,
): Promise<FastifyReply> | undefined {
  const { project, home, browser } = visited;
  if (browser.csrfToken !== undefined) return undefined;
  const href = `${home}${all.path}`;
  const empty = emptyState({
    heading: "Nothing new can be made here",
    level: 2,
    text: `Nothing can be created in what is ${readOnlyState(project)}. What is there already can still be read.`,
    action: linkButton(`Back to ${all.label.toLowerCase()}`, href),
  });
  return sendProjectPage(visited, {
    title,
    current,
    crumbs: [{ label: all.label, href }, { label: title }],
    main: html`${pageHead({ heading: title })}${bareCard(title, empty)}`,
  });
}
