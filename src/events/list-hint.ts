/** Chooses how each list is read, and how far back at first, by what earlier reads cost; never what a list contains. */
import { dropOldest } from "../platform/drop-oldest.ts";
import { asksForKinds, type SoughtQuery, spanOf, withoutTimes } from "./filter.ts";
import { isWide } from "./subject.ts";
import { DAY_MS, floorDay } from "./utc-day.ts";

/** How a statement looks for the events of a list. */
export interface ReadPlan {
  /** Older events are not read; undefined: no limit. */
  floor: Date | undefined;
  /**
   * `time`: scan all events from the newest on. `projects`: merge the newest events of each project. `days`: read only the days
   * on which the counts by day show events of the list. Undefined: not chosen yet.
   */
  way: "time" | "projects" | "days" | undefined;
  /** How many of the newest events (of the person or project, if the list is of one) are scanned; undefined: no limit. */
  most?: number | undefined;
}

/** The plan for one read of a list. The reader reports what the read was like, which improves the plans of later reads. */
export interface Hint {
  plan: ReadPlan;
  /** Whether the list was quick, so that it may share a connection with others. */
  isCheap: boolean;
  /**
   * Reports how long the statement took, in milliseconds, and how many lists it read (`together`). After a long scan the
   * other way is tried next.
   */
  took(milliseconds: number, together?: number): void;
  /** Makes the plan reach further back, because too few events were found; false: it reads everything already. */
  widen(): boolean;
  /** Chooses the way by how many events the list has among all. */
  choose(known: { total: number; all: number }): void;
}

/** How many days a list is read back at first if nothing else is known. */
const FIRST_DAYS = 40;
/** By which factor the days grow when they held too few events. */
const WIDER = 3;
/** Safety factor on the days in which a list over many projects would fill a page if its events were evenly spread. */
const AMPLE = 4;
/** Events are kept for two years. */
const KEPT_DAYS = 730;
/** A list that needs more days than this is read without a limit. */
const MAX_DAYS = 400;
/** How many events of others a scan may skip for one page, or for one piece of a whole list. */
export const MAX_PASSED = 20_000;
/** How many events are scanned before anything is known of a list: about ten milliseconds, however busy that day was. */
const MAX_TRIED = 2000;
/** How many events of one person or project are scanned for those of one kind, besides the page itself. */
const MAX_SIFTED = 500;
/** For how long, and of how many lists, the experience is remembered. */
const FORGOTTEN_AFTER_MS = 300_000;
const MAX_KNOWN = 5000;
/** How long a list may take, with its own waiting, before it may no longer delay others on a shared connection. */
const QUICK_MS = 40;
/** The usual time that one more list adds to a shared statement. */
const USUAL_MS = 2;
/** If a statement of `SEVERAL` lists takes longer than this for each, they are read alone from then on. */
const HEAVY_MS = 10;
const SEVERAL = 4;
/** After a longer scan the other way is tried: it skipped very many events, even if it ended within a day. */
const SHORT_WALK_MS = 30;

/** The experience with one list. */
interface Known {
  /** How many days it is read back. */
  days: number;
  /** For a list over many projects: the days that are expected to hold its page; undefined: unknown, or they did not. */
  near?: number | undefined;
  way: ReadPlan["way"];
  /** Whether the way `days` is possible; false once it found too little. */
  hasDays: boolean;
  /** Whether it was quick the last time. */
  quick: boolean;
  /** Whether it has slowed a shared statement down. */
  isHeavy?: boolean;
  /** How long the way `time` and the other way took last, in milliseconds. */
  walked?: number;
  merged?: number;
  /** When this is forgotten, in Unix milliseconds. */
  until: number;
}
const known = new Map<string, Known>();

/**
 * For each kind of list, how many days a list begins with that was not read lately. It grows whenever they were too few and
 * shrinks a little with each list, so that about one list in fourteen has to be read again. Once it exceeds `FIRST_DAYS`,
 * lists of one kind of event begin with the way `days`.
 */
const usual = new Map<string, number>();
const GROWS = 2;
const SHRINKS = 0.95;
const MAX_KINDS = 500;

/**
 * For each kind, how many unknown lists over many projects in a row were quick. From `TRUSTED` on, the next unknown one is
 * expected to be quick too.
 */
const quickAtFirst = new Map<string, number>();
const TRUSTED = 8;

/** The hint for a list, by the experience of this process with it or with others of its kind. */
export function hintFor(query: SoughtQuery): Hint {
  const name = nameOf(query);
  const before = known.get(name);
  if (before && before.until >= Date.now()) return new ListHint(query, before, false);
  const guess = firstGuess(query);
  if (known.size >= MAX_KNOWN) dropOldest(known);
  known.set(name, guess);
  return new ListHint(query, guess, true);
}

/** What is expected of a list that was not read lately, by the experience with others of its kind. */
function firstGuess(query: SoughtQuery): Known {
  const wide = isWide(query.subject);
  const hasDays = asksForKinds(query.filter);
  const days = usualDays(query);
  const isRare = query.filter.sort === "asc" || days > FIRST_DAYS;
  const way = wide ? undefined : hasDays && isRare ? "days" : "time";
  const quick = !hasDays && (!wide || (quickAtFirst.get(kindOf(query)) ?? 0) >= TRUSTED);
  return { days, way, hasDays, quick, until: Date.now() + FORGOTTEN_AFTER_MS };
}

/** The hint for one read of a list; it updates the experience that later reads use. */
class ListHint implements Hint {
  readonly plan: ReadPlan;
  readonly isCheap: boolean;
  private readonly query: SoughtQuery;
  private readonly kept: Known;
  private readonly isNew: boolean;
  private readonly wide: boolean;
  /** The end of the list's time, in Unix milliseconds, from which the days are counted back. */
  private readonly end: number;
  /** Whether the newest events of the person or project are scanned for those of one kind, which mostly suffices. */
  private readonly isSifted: boolean;
  /** Whether the newest events of all are scanned first; a list that is not among them needs a summary to choose its way. */
  private isTrial: boolean;

  constructor(query: SoughtQuery, kept: Known, isNew: boolean) {
    const { filter, from, offset, limit } = query;
    const now = Date.now();
    this.query = query;
    this.kept = kept;
    this.isNew = isNew;
    this.wide = isWide(query.subject);
    this.end = Math.min(spanOf(filter).to?.getTime() ?? now, from?.createdAt.getTime() ?? now, now);
    this.isSifted = kept.hasDays && !this.wide && kept.way === "time";
    this.isTrial = kept.way === undefined && filter.sort !== "asc";
    this.isCheap = kept.quick && filter.search === undefined && offset < 200;
    this.plan = {
      floor: this.isTrial ? this.daysBack(1) : this.floor(),
      way: this.isTrial ? "time" : kept.way,
      ...(this.isTrial && { most: MAX_TRIED }),
      ...(this.isSifted && { most: MAX_SIFTED + offset + limit }),
    };
  }

  took(milliseconds: number, together = 1): void {
    const { kept } = this;
    if (!this.wide && !kept.hasDays) return;
    const each = milliseconds / together;
    if (together >= SEVERAL && each > HEAVY_MS) kept.isHeavy = true;
    kept.quick = each < QUICK_MS && !kept.isHeavy;
    if (this.isTrial) learn(this.query, milliseconds - together * USUAL_MS);
    else compare(kept, this.plan.way, each);
  }

  widen(): boolean {
    const { kept, plan } = this;
    if (plan.way === "days") return this.giveDaysUp();
    if (plan.floor === undefined && plan.most === undefined) return false;
    // The time of a read that found too little does not compare the ways.
    delete kept.walked;
    if (this.isTrial) return this.endTrial();
    if (kept.hasDays) return this.turnToDays();
    if (kept.way === "projects" && kept.near !== undefined) {
      kept.near = kept.near * WIDER < kept.days ? kept.near * WIDER : undefined;
    } else {
      if (this.isNew) expectMore(this.query);
      kept.days *= WIDER;
    }
    plan.floor = this.floor();
    return true;
  }

  choose({ total, all }: { total: number; all: number }): void {
    const { kept, plan, query } = this;
    if (!this.wide) return;
    const part = (query.offset + query.limit) / Math.max(1, total);
    kept.near = Math.min(Math.max(1, AMPLE * KEPT_DAYS * part), kept.days);
    const isDense = part * all < MAX_PASSED;
    kept.way = isDense ? "time" : otherThanTime(kept);
    plan.way = kept.way;
    plan.floor = this.floor();
  }

  /** The oldest moment to read by the current experience; undefined: no limit. */
  private floor(): Date | undefined {
    const { way, days, near } = this.kept;
    const isWhole = this.query.filter.sort === "asc" || this.isSifted || way === "days" || days > MAX_DAYS;
    return isWhole ? undefined : this.daysBack(roundUp((way === "projects" && near) || days));
  }

  /** So many days before the end of the list, at the beginning of a day, so that other lists may have the same floor. */
  private daysBack(days: number): Date {
    return floorDay(new Date(this.end - days * DAY_MS));
  }

  private endTrial(): true {
    this.isTrial = false;
    this.kept.way = undefined;
    this.plan.way = undefined;
    delete this.plan.most;
    return true;
  }

  /** The events of the list are rare, so a scan would skip too many others: they are found by their days. */
  private turnToDays(): true {
    if (this.isNew && !this.wide) expectMore(this.query);
    this.kept.way = "days";
    this.plan.way = "days";
    this.plan.floor = undefined;
    delete this.plan.most;
    return true;
  }

  /** The counts by day include events that were removed meanwhile, so the days held too little. */
  private giveDaysUp(): true {
    const { kept } = this;
    kept.hasDays = false;
    kept.quick = false;
    kept.days = MAX_DAYS * GROWS;
    kept.way = this.wide ? "projects" : "time";
    this.plan.way = kept.way;
    return true;
  }
}

/** Changes to the other way after a long scan, and stays with the way that was quicker the last time. */
function compare(kept: Known, way: ReadPlan["way"], milliseconds: number): void {
  if (way === "time") {
    kept.walked = milliseconds;
    if (milliseconds > Math.max(SHORT_WALK_MS, kept.merged ?? 0)) kept.way = otherThanTime(kept);
  } else if (way !== undefined) {
    kept.merged = milliseconds;
    if (kept.walked !== undefined && kept.walked < milliseconds) kept.way = "time";
  }
}

const otherThanTime = (kept: Known) => (kept.hasDays ? "days" : "projects");

/** Rounds up to one of a few numbers of days, so that many lists have the same floor and can share a statement. */
function roundUp(days: number): number {
  return Math.ceil(FIRST_DAYS * 2 ** (Math.ceil(2 * Math.log2(days / FIRST_DAYS)) / 2));
}

function usualDays(query: SoughtQuery): number {
  const kind = kindOf(query);
  const days = usual.get(kind) ?? FIRST_DAYS;
  if (usual.size >= MAX_KINDS) dropOldest(usual);
  usual.set(kind, Math.max(FIRST_DAYS, days * SHRINKS));
  return days;
}

function expectMore(query: SoughtQuery): void {
  const kind = kindOf(query);
  usual.set(kind, Math.min(MAX_DAYS * GROWS, (usual.get(kind) ?? FIRST_DAYS) * GROWS));
}

/** @param milliseconds of the whole statement, since one slow list delays all that share it */
function learn(query: SoughtQuery, milliseconds: number): void {
  const kind = kindOf(query);
  if (quickAtFirst.size >= MAX_KINDS) dropOldest(quickAtFirst);
  quickAtFirst.set(kind, milliseconds < QUICK_MS ? (quickAtFirst.get(kind) ?? 0) + 1 : 0);
}

/** The kind of a list: everything that it asks for, except of which person or project, when, and by whom. */
function kindOf({ subject, filter, offset, limit, from }: SoughtQuery): string {
  const { search, authorIds, authorNames, ...kinds } = withoutTimes(filter);
  const sought = [search, authorIds, authorNames].map((each) => each !== undefined);
  return JSON.stringify([subject.kind, kinds, sought, rowsOf(offset + limit), from !== undefined]);
}

const rowsOf = (many: number) => Math.ceil(Math.log2(many + 1));

function nameOf({ subject, asker, filter, offset, limit, from }: SoughtQuery): string {
  const kinds = withoutTimes(filter);
  return JSON.stringify([
    subject,
    subject.kind === "memberships" || kinds.groupId ? asker?.id : 0,
    kinds,
    rowsOf(offset + limit),
    from !== undefined,
  ]);
}
