/** The page of a person: their year by the days of their own time zone, and what they did. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { type About, workWords } from "../accounts/about.ts";
import { applicationOfAccount } from "../accounts/application-of-account.ts";
import { type Browser, browserOf, frameOf } from "../accounts/browser.ts";
import { sendPage } from "../platform/page-reply.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { zoneOfDatabase } from "../platform/time-zone.ts";
import { type Asker, askerOf } from "../projects/asker.ts";
import type { ProjectPages } from "../projects/page-route.ts";
import { badge } from "../ui/badge.ts";
import { linkButton } from "../ui/button.ts";
import { contributionCalendar } from "../ui/calendar.ts";
import { figures, stack } from "../ui/card.ts";
import { face } from "../ui/face.ts";
import { html } from "../ui/html.ts";
import { appPage } from "../ui/layout.ts";
import { homeNav } from "../ui/navigation.ts";
import { dayWords } from "../ui/time.ts";
import { activityCard, feedsAt } from "./pages-list.ts";
import { type Contribution, findToday, listContributions } from "./store-calendar.ts";
import { findProfile, type Profile } from "./store-people.ts";
import type { Subject } from "./subject.ts";
import { isHiddenFrom, renamedProfile, visiblePerson } from "./visible-person.ts";
import { FEED_FORMATS } from "./wire-feeds.ts";
import { yearBefore } from "./year-before.ts";

/** `/<username>`; a private profile looks as if it did not exist (reference ux 7). */
export function personPages(pages: ProjectPages, platform: Platform): void {
  pages.name(async (request, reply, name) => {
    const person = await findProfile(platform.db, name);
    const browser = await browserOf(platform, request, reply);
    const asker = askerOf(browser.viewer);
    if (!person) return redirectRenamed(platform, request, reply, asker, name);
    if (isHiddenFrom(person, asker)) return undefined;
    return showPerson(platform, request, reply, browser, person);
  });
}

/** Redirects from a former name of a person to their page; undefined: there is no such person that the asker may see. */
async function redirectRenamed(
  { db }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  asker: Asker | undefined,
  name: string,
) {
  const ending = FEED_FORMATS.find((format) => name.endsWith(`.${format}`));
  const person = await renamedProfile(db, asker, ending ? name.slice(0, -ending.length - 1) : name);
  if (!person) return undefined;
  const query = request.url.slice(request.url.split("?", 1)[0]?.length);
  return reply.redirect(`/${person.username}${ending ? `.${ending}` : ""}${query}`, 301);
}

async function showPerson(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
  person: Profile,
) {
  const { db } = platform;
  const asker = askerOf(browser.viewer);
  const subject: Subject = { kind: "author", authorId: person.id };
  const zone = zoneOfDatabase(person.timeZone);
  const path = `/${person.username}`;
  const made = await activityCard(platform, request, reply, {
    subject,
    asker,
    subjectNow: async (now) => {
      const seen = await visiblePerson(db, now, String(person.id));
      if (!seen) throw new Problem("not_found", "404 Not Found");
      return seen;
    },
    listing: "user",
    heading: "Activity",
    path,
    zone,
    namesProjects: true,
    nothing:
      asker?.id === person.id
        ? { heading: "Nothing yet", text: "What you do in projects is shown here." }
        : { heading: "No public activity", text: `${person.name} has no activity that you can see yet.` },
  });
  if (!made) return reply;
  const today = await findToday(db, zone);
  const days = { from: yearBefore(today), to: today, zone };
  const contributions = await listContributions(db, { subject, asker }, days);
  const application = person.bot === "application" && (await applicationOfAccount(db, person.id, asker));
  const frame = frameOf(browser);
  const page = appPage({
    ...frame,
    messages: [...frame.messages, ...made.messages],
    feeds: person.privateProfile ? undefined : feedsAt(path, `${person.name} activity`, made.asked),
    title: person.name,
    crumbs: [{ label: person.name }],
    nav: homeNav(undefined, frame.viewer),
    main: html`${profileHead(person, asker, application)}${stack([
      contributionCalendar(daysOf(contributions), today, zone, (date) => `?on=${date}#feed`),
      contributionFigures(contributions),
      made.card,
    ])}`,
  });
  return sendPage(reply, page);
}

/** `application`: the one whose account this is, for those who look after it. */
function profileHead(
  person: Profile,
  asker: Asker | undefined,
  application: Awaited<ReturnType<typeof applicationOfAccount>> | false,
) {
  const marks = [
    person.isPlaceholder && badge(person.bot === null ? "Outside person" : BOT_WORDS[person.bot], "line"),
    person.isBlocked && badge("Blocked", "line"),
    person.privateProfile && badge("Private profile", "line"),
    // Not shown to strangers, and without the server's name, as that server may be private.
    person.isOutsider && asker !== undefined && html`<a href="/profile/identities#new">Is this you?</a>`,
  ];
  return html`<div class="profile">${face(person.name)}<div><h1>${person.name}</h1><p class="meta"><span>@${person.username}</span><span>Joined ${dayWords(person.createdAt)}</span>${marks}</p>${aboutLines(person.about ?? {})}${person.bot === "application" && applicationLine(application)}</div>${asker?.id === person.id && html`<div class="prof-act">${linkButton("Edit profile", "/profile", { icon: "pencil" })}</div>`}</div>`;
}

/** What the person says about themselves; only the API lists their accounts on other sites. */
function aboutLines(about: About) {
  const { bio, pronouns, location, websiteUrl } = about;
  const words = [pronouns, workWords(about), location].filter(Boolean);
  const site =
    websiteUrl &&
    html`<a class="wrap-any" href="${websiteUrl}" rel="nofollow noopener noreferrer">${websiteUrl.replace(/^https?:\/\//i, "")}</a>`;
  const meta =
    (words.length > 0 || site) &&
    html`<p class="meta">${words.map((said) => html`<span class="wrap-any">${said}</span>`)}${site}</p>`;
  return html`${meta}${bio && html`<p class="text-2 wrap-any">${bio}</p>`}`;
}

const BOT_WORDS = { application: "Application", service: "Gatehouse" } as const;

function applicationLine(application: Awaited<ReturnType<typeof applicationOfAccount>> | false) {
  const which = application && html` <a class="wrap-any" href="${application.href}">${application.name}</a>`;
  return html`<p class="text-2">The account of ${which ? html`the application${which}` : "an application"}: nobody signs in as it.</p>`;
}

function daysOf(contributions: readonly Contribution[]) {
  const days = new Map<string, number>();
  for (const { day, n } of contributions) days.set(day, (days.get(day) ?? 0) + n);
  return [...days].map(([date, count]) => ({ date, count }));
}

function contributionFigures(contributions: readonly Contribution[]) {
  const sum = (kind: Contribution["kind"]) =>
    contributions.filter((given) => given.kind === kind).reduce((total, { n }) => total + n, 0);
  return figures([
    { label: "Pushes", value: sum("push") },
    { label: "Merge requests", value: sum("merge_request") },
    { label: "Issues", value: sum("issue") },
    { label: "Comments", value: sum("comment") },
  ]);
}
