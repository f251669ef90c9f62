/** `/search`: finds what the viewer may see by a few words (reference ux §7; decision 0192). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { linkButton } from "../ui/button.ts";
import { bareCard, type DashboardCard, emptyState, pageHead, stack } from "../ui/card.ts";
import type { FoundCard } from "../ui/found.ts";
import { type Html, html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { homeNav } from "../ui/navigation.ts";
import { searchBar } from "../ui/toolbar.ts";
import { frameOf, needsViewer } from "./browser.ts";

/** The searches in the order of their results on the page, by the plural of what they find. */
export type Kinds = Readonly<Record<string, FoundCard>>;

/** The most characters; the same as for searches of a list. */
const LONGEST = 255;

/** Requires a sign-in; without words the page shows `suggested`. */
export function searchPages(
  app: FastifyInstance,
  platform: Platform,
  kinds: Kinds,
  suggested: DashboardCard,
): void {
  app.get("/search", async (request, reply) => {
    const browser = await needsViewer(platform, request, reply);
    const viewer = { id: browser.viewer.userId, isAdmin: browser.viewer.isAdmin };
    const words = wordsOf(request);
    const now = new Date();
    const error =
      words.length > LONGEST
        ? `These words are too long: say it in at most ${LONGEST} characters.`
        : undefined;
    const results = error
      ? []
      : words === ""
        ? [suggestions, await suggested(viewer, now)]
        : await search(kinds, viewer, words, now);
    return show(reply, frameOf(browser), { words, error, results });
  });
}

/** Short words are allowed: many names have one or two characters (decision 0192). */
function wordsOf(request: FastifyRequest): string {
  const { q } = request.query as { q?: unknown };
  return typeof q === "string" ? q.replaceAll("\0", "").trim() : "";
}

async function search(
  kinds: Kinds,
  viewer: Parameters<FoundCard>[0],
  words: string,
  now: Date,
): Promise<(Html | undefined)[]> {
  const names = Object.keys(kinds);
  const cards = await Promise.all(Object.values(kinds).map((find) => find(viewer, words, now)));
  const without = names.filter((_, index) => cards[index] === undefined);
  if (without.length === names.length) return [nothing(words)];
  const rest = without.length > 0 && html`<p class="text-2">No ${listed(without)} with these words.</p>`;
  return [...cards, rest || undefined];
}

/** "alerts", "alerts or people", "projects, alerts or people". */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${last}` : last;
}

const WHAT =
  "Projects are found by name or path, people by name or username, alerts by title, description, service, host or fingerprint, applications by name or ID.";
const ways = html`<div class="btn-row">${linkButton("Projects", "/projects", { icon: "apps" })}${linkButton("Your applications", "/profile/applications", { icon: "key" })}</div>`;

const suggestions = bareCard(
  "What can be found",
  emptyState({
    level: 2,
    heading: "What are you looking for?",
    text: `${WHAT} Only what you may see is found.`,
    action: ways,
  }),
);

function nothing(words: string): Html {
  const text = html`Nothing you may see has “${words}” in it. ${WHAT}`;
  return bareCard("Results", emptyState({ level: 2, heading: "Nothing found", text, action: ways }));
}

function show(
  reply: FastifyReply,
  frame: ReturnType<typeof frameOf>,
  {
    words,
    error,
    results,
  }: { words: string; error: string | undefined; results: readonly (Html | undefined)[] },
): FastifyReply {
  const label = "Search projects, people, alerts and applications";
  const bar = searchBar({
    label,
    action: "/search",
    name: "q",
    value: words,
    placeholder: "Name, path, title, host…",
    error,
  });
  const main = html`${pageHead({ heading: "Search", lead: "Projects, people, alerts and applications that you can see." })}${stack(
    [bareCard("Words", bar), html`<div class="stack" data-results>${results}</div>`],
  )}`;
  const title = words === "" || error ? "Search" : `${words} · Search`;
  const crumbs = [{ label: "Search" }];
  const failed = error !== undefined;
  const nav = homeNav(undefined, frame.viewer);
  return sendPage(reply, appPage({ ...frame, title, failed, crumbs, nav, main }), { failed });
}
