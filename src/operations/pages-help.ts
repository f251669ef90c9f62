/** `/-/help`: the documents of this version as pages, for anybody. */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { browserOf, frameOf } from "../accounts/browser.ts";
import { sessionCookieName } from "../accounts/session.ts";
import { queryText } from "../platform/page-query.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { bareCard, card, pageHead, stack } from "../ui/card.ts";
import { attrs, type Html, html } from "../ui/html.ts";
import type { IconName } from "../ui/icon.ts";
import { type AppPage, appPage } from "../ui/layout.ts";
import { type SideNav, themeOf } from "../ui/navigation.ts";
import { table } from "../ui/table.ts";
import { decisionSections, type Section, sectionsOf } from "./help-sections.ts";
import { CHAPTERS, type Chapter, DECISIONS, documentPath, linkFrom, readDocument } from "./manual.ts";
import { helpFound, helpSearch } from "./pages-help-found.ts";
import { type Heading, type HelpText, helpText } from "./pages-help-text.ts";

const HOME = "/-/help";
/** The first breadcrumb of the help pages. */
export const HELP_CRUMB = { label: "Help", href: HOME };
const ICONS: Readonly<Record<string, IconName>> = {
  alerts: "bell",
  events: "activity",
  oauth: "apps",
  secrets: "key",
  operations: "sliders",
  scale: "server",
  performance: "refresh",
  keyboard: "pencil",
};
/** Further pages that are part of the help. */
const MORE: readonly (Chapter & { icon: IconName; href: string })[] = [
  {
    slug: DECISIONS,
    label: "Decisions",
    about: "Why it works this way, one page per decision",
    icon: "book",
    href: documentPath(DECISIONS),
  },
  {
    slug: "api",
    label: "API",
    about: "Every operation, with a command to copy",
    icon: "link",
    href: "/-/docs",
  },
];

/** `/-/help`, a page for each chapter, and one for each decision. */
export function helpPages(app: FastifyInstance, platform: Platform): void {
  app.get(HOME, async (request, reply) => {
    const search = queryText(request, "search");
    return send(platform, request, reply, {
      title: search === "" ? "Help" : `${search} · Help`,
      crumbs: search === "" ? [{ label: "Help" }] : [HELP_CRUMB, { label: "Search" }],
      nav: helpNav(undefined),
      main: search === "" ? contents() : helpFound(search, await allSections()),
    });
  });
  app.get<{ Params: { page: string } }>(`${HOME}/:page`, (request, reply) =>
    show(platform, request, reply, request.params.page),
  );
  app.get<{ Params: { page: string } }>(`${HOME}/${DECISIONS}/:page`, (request, reply) =>
    show(platform, request, reply, `${DECISIONS}/${request.params.page}`),
  );
}

function contents(): Html {
  const rows = [...CHAPTERS.map((one) => ({ ...one, href: documentPath(one.slug) })), ...MORE];
  const list = table<(typeof rows)[number]>({
    caption: "Pages of the help",
    rows,
    columns: [
      {
        head: "Page",
        hiddenHead: true,
        rowHeader: true,
        cell: ({ href, label }) => html`<a href="${href}">${label}</a>`,
      },
      { head: "About", hiddenHead: true, cell: ({ about }) => about },
    ],
  });
  return html`${pageHead({ heading: "Help", lead: "How to use and run this version of Gatehouse." })}${bareCard("Pages of the help", html`${helpSearch("")}${list}`)}`;
}

async function show(platform: Platform, request: FastifyRequest, reply: FastifyReply, slug: string) {
  const text = await textOf(slug);
  if (!text) throw new Problem("not_found", "404 Not Found");
  const above = slug.startsWith(`${DECISIONS}/`)
    ? [{ label: "Decisions", href: documentPath(DECISIONS) }]
    : [];
  const crumbs = [HELP_CRUMB, ...above, { label: text.title }];
  const body = html`<div class="body prose">${contentsOf(text.headings)}${text.body}</div>`;
  return send(platform, request, reply, {
    title: `${text.title} · Help`,
    crumbs,
    nav: helpNav(above.length > 0 ? DECISIONS : slug),
    main: html`${pageHead({ heading: text.title })}${stack([slug === "keyboard" && keySwitch(), bareCard(text.title, body)])}`,
  });
}

/** Chapters are cached as rendered; decisions are many, short and seldom read. */
const kept = new Map<string, HelpText>();

async function textOf(slug: string): Promise<HelpText | undefined> {
  const found = kept.get(slug);
  if (found) return found;
  const source = await readDocument(slug);
  if (source === undefined) return undefined;
  const text = render(slug, await tokensOf(source));
  if (CHAPTERS.some((chapter) => chapter.slug === slug)) kept.set(slug, text);
  return text;
}

/** Loads the parser when a document is first read, not at the start of every process. */
async function tokensOf(source: string) {
  const { lexer } = await import("marked");
  return lexer(source);
}

function render(slug: string, tokens: Awaited<ReturnType<typeof tokensOf>>): HelpText {
  return helpText(tokens, (href) => linkFrom(slug, href));
}

/** What can be searched; read at the first search. */
let sections: readonly Section[] | undefined;

async function allSections(): Promise<readonly Section[]> {
  if (sections) return sections;
  const all: Section[] = [];
  for (const { slug } of CHAPTERS) {
    const source = await readDocument(slug);
    if (source === undefined) continue;
    const tokens = await tokensOf(source);
    all.push(...sectionsOf(slug, tokens, render(slug, tokens)));
  }
  all.push(...decisionSections((await readDocument(DECISIONS)) ?? ""));
  sections = all;
  return all;
}

/** Collapsed, so that a phone shows the text first. */
function contentsOf(headings: readonly Heading[]): Html | false {
  const links = headings.filter(({ depth }) => depth <= 3);
  if (links.length < 3) return false;
  const line = ({ id, text, depth }: Heading) =>
    html`<li${attrs({ class: depth === 3 ? "in" : undefined })}><a href="#${id}">${text}</a></li>`;
  return html`<details class="more"><summary>On this page</summary><nav aria-label="On this page"><ul>${links.map(line)}</ul></nav></details>`;
}

/** Single-key shortcuts can be turned off (WCAG 2.1.4); without scripts there are none. */
function keySwitch(): Html {
  return card({
    id: "keys",
    heading: "In this browser",
    body: html`<label class="switch-row js"><input class="switch" type="checkbox" role="switch" data-key-switch checked><span><strong>Keys</strong> <span class="quiet-text">Turn them off if you use dictation or press keys by accident.</span></span></label><noscript><p>Keyboard shortcuts need JavaScript, which is disabled.</p></noscript>`,
  });
}

/** The navigation of the help, including further pages such as `api`. */
export function helpNav(current: string | undefined): SideNav {
  const chapters = CHAPTERS.map(({ slug, label }) => ({
    label,
    href: documentPath(slug),
    icon: ICONS[slug] ?? "book",
    current: slug === current,
  }));
  const more = MORE.map(({ slug, label, href, icon }) => ({ label, href, icon, current: slug === current }));
  const all = { label: "All pages", href: HOME, icon: "home" as const, current: current === undefined };
  return { label: "Help", groups: [{ links: [all, ...chapters] }, { heading: "More", links: more }] };
}

/**
 * Reading begins no session. Pages for anonymous visitors differ only by theme, and may be cached and revalidated; pages for
 * others contain their name and form token.
 */
async function send(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Pick<AppPage, "title" | "crumbs" | "nav" | "main">,
): Promise<FastifyReply> {
  const { cookies } = request;
  if (cookies[sessionCookieName(platform.config.secure)] !== undefined) {
    const frame = frameOf(await browserOf(platform, request, reply));
    return sendPage(reply, appPage({ ...frame, ...page }));
  }
  const whole = appPage({ viewer: undefined, theme: themeOf(cookies), ...page }).toString();
  const etag = `"${createHash("sha256").update(whole).digest("base64url").slice(0, 22)}"`;
  return sendPage(reply, whole, { etag });
}
