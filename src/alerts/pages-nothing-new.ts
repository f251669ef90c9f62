/** What stands at the address of a form for something new while the project rests: why there is none, and the way back (decision 0153). */
import type { FastifyReply } from "fastify";
import { restKind } from "../projects/rest.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, emptyState, pageHead } from "../ui/card.ts";
import { html } from "../ui/html.ts";
import type { ProjectPage } from "../ui/navigation.ts";
import { sendProjectPage, type Visit } from "./pages-frame.ts";

interface NothingNew {
  /** What the form would have been called. */
  title: string;
  current: ProjectPage;
  /** What was made before, and where it stands below the project: "Silences", `/-/silences`. */
  all: { label: string; path: string };
}

/** Undefined while the project is awake, and the form can be shown. */
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
    text: `What is ${restKind(project)} takes nothing new in. What was made before can still be read.`,
    action: linkButton(`Back to ${all.label.toLowerCase()}`, href),
  });
  return sendProjectPage(visited, {
    title,
    current,
    crumbs: [{ label: all.label, href }, { label: title }],
    main: html`${pageHead({ heading: title })}${bareCard(title, empty)}`,
  });
}
