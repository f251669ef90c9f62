/** Two years of work in a demo project: issues, changes and their reviews, milestones, wiki pages. */
import type { NewEvent } from "../events/event.ts";
import { type Actor, type DemoProject, PEOPLE, type Username } from "./cast.ts";
import { beginChronicle, type Chronicle, type Thing } from "./chronicle.ts";
import type { Random } from "./random.ts";
import {
  COMMIT_COMMENTS,
  ISSUE_COMMENTS,
  MATTERS,
  MILESTONES,
  REVIEW_COMMENTS,
  SMALL_COMMITS,
  SNIPPETS,
  SUBJECTS,
  WIKI_PAGES,
} from "./words.ts";
import { arrivalOf, DAY, dayOf, isAway, isWeekend, whenAtWork } from "./working-time.ts";

export interface Period {
  /** Milliseconds since 1970. */
  from: number;
  until: number;
}

interface Desk {
  random: Random;
  chronicle: Chronicle;
  subjects: readonly string[];
  /** Picks somebody of `may` who is at work at that time; the diligent ones more often. */
  whoAt(at: number, may: readonly Actor[], except?: Actor): Actor;
  everyone: readonly Actor[];
  planners: readonly Actor[];
  developers: readonly Actor[];
}

/** Returns the events of the period, oldest first; the same random choices and days give the same events. */
export function historyOf(
  project: DemoProject & { id: number },
  ownerId: number,
  idOf: (username: Username) => number,
  random: Random,
  period: Period,
): NewEvent[] {
  const chronicle = beginChronicle(project.id, (actor) => idOf(actor.username as Username));
  const desk = deskOf(project, random, chronicle, period);
  for (let day = dayOf(period.from) + DAY; day < period.until; day += DAY) {
    if (isWeekend(day)) continue;
    const wanted = project.pace * seasonOf(day, period);
    for (let left = wanted; left > 0; left--) if (random.chance(Math.min(1, left))) takeUp(desk, day);
    if (random.chance(project.pace / 3)) smallCommit(desk, day);
    if (random.chance(project.pace / 12)) writePage(desk, day);
    if (random.chance(project.pace / 90)) shareSnippet(desk, day);
  }
  planMilestones(desk, period);
  const { id: projectId } = project;
  const made: NewEvent = {
    projectId,
    authorId: ownerId,
    action: "created",
    ...itself(projectId),
    createdAt: new Date(period.from),
  };
  return [made, ...joins(project, idOf, period), ...chronicle.close(period.until)];
}

/** The project as the target of an event, as the service writes it. */
function itself(projectId: number) {
  return { targetType: "Project", targetId: projectId, targetIid: projectId } as const;
}

/** The events of members who joined, a minute after their arrival. */
function joins(
  { id: projectId, members }: DemoProject & { id: number },
  idOf: (username: Username) => number,
  { from }: Period,
): NewEvent[] {
  return PEOPLE.filter(({ username }) => members[username]).map((actor) => ({
    projectId,
    authorId: idOf(actor.username),
    action: "joined",
    ...itself(projectId),
    createdAt: new Date(arrivalOf(actor, from) + 60_000),
  }));
}

function deskOf(project: DemoProject, random: Random, chronicle: Chronicle, period: Period): Desk {
  const having = (...roles: string[]): Actor[] =>
    PEOPLE.filter(({ username }) => roles.includes(project.members[username] ?? ""));
  return {
    random,
    chronicle,
    subjects: SUBJECTS[`${project.group}/${project.path}`] ?? ["Project"],
    everyone: having("guest", "planner", "reporter", "developer", "maintainer"),
    planners: having("planner", "maintainer"),
    developers: having("developer", "maintainer"),
    whoAt(at, may, except) {
      const arrived = may.filter((actor) => actor !== except && at > arrivalOf(actor, period.from));
      const there = arrived.filter((actor) => !isAway(actor, at));
      const bag = there.flatMap((actor) => new Array<Actor>(actor.diligence).fill(actor));
      return random.pick(bag.length > 0 ? bag : arrived.length > 0 ? arrived : may);
    },
  };
}

/** The season's factor: more work from year to year, in waves of eleven weeks, and little in August and December. */
function seasonOf(day: number, { from, until }: Period): number {
  const month = new Date(day).getUTCMonth();
  const wave = 1 + 0.35 * Math.sin((day / DAY / 77) * 2 * Math.PI);
  const growth = 0.7 + (0.6 * (day - from)) / (until - from);
  return wave * growth * (month === 7 ? 0.5 : month === 11 ? 0.7 : 1);
}

/** Somebody opens an issue, and most are solved by a merge request. */
function takeUp(desk: Desk, day: number): void {
  const { random, chronicle } = desk;
  const subject = random.pick(desk.subjects);
  const [issueWords, remedyWords] = random.pick(MATTERS);
  const reporter = desk.whoAt(day, desk.everyone);
  let at = whenAtWork(random, reporter, day, 7 + random.next() * 10);
  const secret = random.chance(0.03);
  const issue = chronicle.make(reporter, at, "Issue", issueWords.replace("#", subject), secret);
  at = talkAbout(desk, issue, at, ISSUE_COMMENTS, random.between(0, 3));
  if (random.chance(0.3)) {
    settleByWords(desk, issue, at);
    return;
  }
  const lower = subject[0]?.toLowerCase() + subject.slice(1);
  const settledAt = change(desk, issue, remedyWords.replace("#", lower), at);
  if (settledAt !== undefined && random.chance(0.05)) {
    const other = desk.whoAt(settledAt, desk.everyone);
    const back = whenAtWork(random, other, settledAt, 30 + random.next() * 60);
    chronicle.act(other, back, "reopened", issue);
    settleByWords(desk, issue, back);
  }
}

function settleByWords(desk: Desk, issue: Thing, after: number): void {
  const { random } = desk;
  const who = desk.whoAt(after, desk.developers);
  const at = whenAtWork(random, who, after, 4 + random.next() * 150);
  desk.chronicle.act(who, at, "closed", issue);
}

/**
 * A branch, its pushes, a merge request, its review and its end; returns when the issue was closed, undefined if the request was
 * closed without a merge.
 */
function change(desk: Desk, issue: Thing, title: string, after: number): number | undefined {
  const { random, chronicle } = desk;
  const author = desk.whoAt(after, desk.developers);
  const reviewer = desk.whoAt(after, desk.developers, author);
  const branch = () => `${issue.number}-${slugOf(title)}`;
  let head = random.hex(40);
  let at = whenAtWork(random, author, after, 1 + random.next() * 60);
  chronicle.push(author, at, { action: "created", commitTo: head, commitTitle: title }, branch);
  const request = chronicle.make(author, at + 400_000, "MergeRequest", title, issue.confidential);
  for (let pushes = random.between(0, 3); pushes > 0; pushes--) {
    at = talkAbout(desk, request, at, REVIEW_COMMENTS, random.between(0, 1), reviewer);
    at = whenAtWork(random, author, at, 0.3 + random.next() * 8);
    const commitFrom = head;
    head = random.hex(40);
    const commitTitle = random.pick([
      "Follow the review",
      "Test the empty case",
      "Use the words of the review",
      title,
    ]);
    chronicle.push(
      author,
      at,
      { commitCount: random.between(1, 3), commitFrom, commitTo: head, commitTitle },
      branch,
    );
  }
  at = whenAtWork(random, reviewer, at, 0.5 + random.next() * 20);
  if (random.chance(0.06)) {
    chronicle.act(author, at, "closed", request);
    return undefined;
  }
  chronicle.act(reviewer, at, "approved", request);
  at = whenAtWork(random, author, at, 0.1 + random.next() * 5);
  chronicle.act(author, at, "merged", request);
  const merge = { commitCount: 2, commitFrom: random.hex(40), commitTo: random.hex(40), commitTitle: title };
  chronicle.push(author, at + 2_000, merge, () => "main");
  chronicle.push(
    author,
    at + 4_000,
    { action: "removed", commitCount: 0, commitFrom: head, commitTo: null },
    branch,
  );
  chronicle.act(author, at + 6_000, "closed", issue);
  return at;
}

function talkAbout(
  desk: Desk,
  thing: Thing,
  after: number,
  bodies: readonly string[],
  times: number,
  first?: Actor,
): number {
  const { random } = desk;
  let at = after;
  for (let i = 0; i < times; i++) {
    const who =
      (i === 0 && first) || desk.whoAt(at, thing.type === "Issue" ? desk.everyone : desk.developers);
    at = whenAtWork(random, who, at, 0.2 + random.next() * 9);
    const kind =
      thing.type === "Issue"
        ? "Note"
        : random.pick(["Note", "DiscussionNote", "DiffNote", "DiffNote"] as const);
    desk.chronicle.comment(who, at, { kind, body: random.pick(bodies), on: thing });
  }
  return at;
}

function smallCommit(desk: Desk, day: number): void {
  const { random, chronicle } = desk;
  const who = desk.whoAt(day, desk.developers);
  const at = whenAtWork(random, who, day, 8 + random.next() * 8);
  const [title, commitTo] = [random.pick(SMALL_COMMITS), random.hex(40)];
  chronicle.push(who, at, { commitFrom: random.hex(40), commitTo, commitTitle: title }, () => "main");
  if (!random.chance(0.15)) return;
  const other = desk.whoAt(at, desk.everyone, who);
  chronicle.comment(other, whenAtWork(random, other, at, 2), {
    kind: "Note",
    body: random.pick(COMMIT_COMMENTS),
    on: { commitId: commitTo, title },
  });
}

function writePage(desk: Desk, day: number): void {
  const { random, chronicle } = desk;
  const who = desk.whoAt(day, desk.developers);
  const page = random.pick(WIKI_PAGES);
  chronicle.wiki(who, whenAtWork(random, who, day, 9 + random.next() * 7), "updated", page);
}

function shareSnippet(desk: Desk, day: number): void {
  const { random, chronicle } = desk;
  const who = desk.whoAt(day, desk.developers);
  chronicle.make(who, whenAtWork(random, who, day, 12), "Snippet", random.pick(SNIPPETS));
}

/** A milestone every eight weeks, closed after ten with a tag; wiki pages are created at the beginning. */
function planMilestones(desk: Desk, { from, until }: Period): void {
  const { random, chronicle } = desk;
  WIKI_PAGES.forEach((page, index) => {
    const who = desk.whoAt(from + 2 * DAY, desk.developers);
    chronicle.wiki(who, whenAtWork(random, who, from + (2 + index) * DAY, 10), "created", page);
  });
  let release = 0;
  for (let day = from + 5 * DAY; day < until; day += 56 * DAY) {
    const planner = desk.whoAt(day, desk.planners);
    const year = new Date(day + 60 * DAY).getUTCFullYear();
    const title = `${MILESTONES[release % MILESTONES.length]} ${year}`;
    const milestone = chronicle.make(planner, whenAtWork(random, planner, day, 9), "Milestone", title);
    const end = whenAtWork(random, planner, day + 70 * DAY, 14);
    chronicle.act(planner, end, "closed", milestone);
    const version = `v${1 + Math.floor(release / 6)}.${release % 6}.0`;
    const who = desk.whoAt(end, desk.developers);
    const tag = { action: "created", refType: "tag", commitTo: random.hex(40), commitTitle: title } as const;
    chronicle.push(who, whenAtWork(random, who, end, 1), tag, () => version);
    release++;
  }
}

function slugOf(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .split("-");
  return words.slice(0, 4).join("-");
}
