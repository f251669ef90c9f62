/** Guesses how far back a list is read at first, and in which way. Remembered guesses make a list faster and never change it. */
import { asksForKinds, isWide, type SoughtQuery, spanOf } from "./filter.ts";

/**
 * `time` walks over all events from the newest on, `projects` merges the newest of each project, `days` reads only the days on
 * which the counts show events of the list; undefined: not known yet.
 */
export interface ReadPlan {
  /** Older events are not read; undefined: all are. */
  floor: Date | undefined;
  way: "time" | "projects" | "days" | undefined;
  /** How many of the newest events are searched at most: those of the person or project if the list has one; undefined: all. */
  most?: number | undefined;
}

/** How to read a list now; what is measured is reported to it and remembered. */
export interface Hint {
  plan: ReadPlan;
  /** Whether the list was quick, so that it may share a connection. */
  isCheap: boolean;
  /**
   * Reports how long the statement took, in milliseconds, and of how many lists it was; after a long walk the other way is tried
   * next.
   */
  took(milliseconds: number, together?: number): void;
  /** Goes further back; false if there is nothing further. */
  widen(): boolean;
  /** Chooses the way by the share of the list in all events. */
  choose(known: { total: number; all: number }): void;
}

const DAY_MS = 86_400_000;
const FIRST_DAYS = 40;
/** Factor by which the days grow when they held too few events. */
const WIDER = 3;
/** Factor on the days in which a list over many projects fills a page if its events come evenly. */
const AMPLE = 4;
const KEPT_DAYS = 730;
const MOST_DAYS = 400;
/** Events that a walk over all may skip for one page. */
const MOST_PASSED = 20_000;
/** Events that are searched before anything is known of a list: about ten milliseconds, however busy the day was. */
const MOST_TRIED = 2000;
/** Events of one person or project that are searched for those of one kind, beyond the page itself. */
const MOST_SIFTED = 500;
const FORGOTTEN_AFTER_MS = 300_000;
const MOST_KNOWN = 5000;
/** Milliseconds for which one list may keep others on the connection waiting, measured with its own wait. */
const QUICK_MS = 40;
/** Milliseconds that each list adds to a statement that several share. */
const USUAL_MS = 2;
/**
 * If each of `SEVERAL` or more lists in a statement takes longer, in milliseconds, their own work is the cause: from then on they
 * are read alone.
 */
const HEAVY_MS = 10;
const SEVERAL = 4;
/** Milliseconds after which a walk is long: it skips very many events, even within a day, and the other way is tried. */
const SHORT_WALK_MS = 30;

interface Known {
  days: number;
  /** Of a list over many projects: days that should fill its page; undefined: unknown, or they were not enough. */
  near?: number | undefined;
  way: ReadPlan["way"];
  /** Whether reading by days is possible; false once it found too few events. */
  hasDays: boolean;
  /** Whether its last read was quick. */
  quick: boolean;
  /** Whether it has slowed a shared statement down. */
  isHeavy?: boolean;
  /** How long each way took last, in milliseconds; after a walk that others slowed down, `compare` may return to it. */
  walked?: number;
  merged?: number;
  until: number;
}
const known = new Map<string, Known>();

/**
 * Days with which lists of a kind begin that were not read lately. They grow whenever they were too few and shrink a little with
 * each list, so that about one list in fourteen has to be read again. While they exceed `FIRST_DAYS`, lists of one kind of event
 * are read by `days` at once.
 */
const usual = new Map<string, number>();
const GROWS = 2;
const SHRINKS = 0.95;
const MOST_KINDS = 500;

/**
 * How many lists over many projects were quick at their first read, in a row, by kind: from `TRUSTED` on the next one is assumed
 * to be quick.
 */
const quickAtFirst = new Map<string, number>();
const TRUSTED = 8;

/** The hint for such a list, by what this process remembers. */
export function hintFor(query: SoughtQuery): Hint {
  const name = nameOf(query);
  const before = known.get(name);
  if (before && before.until >= Date.now()) return new ListHint(query, before, false);
  const guess = firstGuess(query);
  if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value as string);
  known.set(name, guess);
  return new ListHint(query, guess, true);
}

/** The first guess for a list that was not read lately, by other lists of its kind. */
function firstGuess(query: SoughtQuery): Known {
  const wide = isWide(query.subject);
  const hasDays = asksForKinds(query.filter);
  const days = usualDays(query);
  const isRare = query.filter.sort === "asc" || days > FIRST_DAYS;
  const way = wide ? undefined : hasDays && isRare ? "days" : "time";
  const quick = !hasDays && (!wide || (quickAtFirst.get(kindOf(query)) ?? 0) >= TRUSTED);
  return { days, way, hasDays, quick, until: Date.now() + FORGOTTEN_AFTER_MS };
}

/** The hint for one read of a list; remembers what the read shows for the next ones. */
class ListHint implements Hint {
  readonly plan: ReadPlan;
  readonly isCheap: boolean;
  private readonly query: SoughtQuery;
  private readonly kept: Known;
  private readonly isNew: boolean;
  private readonly wide: boolean;
  /** All events of the list are before this time, in milliseconds; days are counted back from it. */
  private readonly end: number;
  /**
   * Whether only the newest events of the person or project are searched: most lists of one kind fill a page from them, whatever
   * their age.
   */
  private readonly isSifted: boolean;
  /** Whether this read tries the newest of all events first; only if they are not enough, the list is examined more closely. */
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
      floor: this.isTrial ? dayOf(this.end - DAY_MS) : this.floor(),
      way: this.isTrial ? "time" : kept.way,
      ...(this.isTrial && { most: MOST_TRIED }),
      ...(this.isSifted && { most: MOST_SIFTED + offset + limit }),
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
    // A walk that found too few events must not be compared with the other ways.
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
    const isDense = part * all < MOST_PASSED;
    kept.way = isDense ? "time" : otherThanTime(kept);
    plan.way = kept.way;
    plan.floor = this.floor();
  }

  /** How far back to read by what is known now; undefined: without limit. */
  private floor(): Date | undefined {
    const { way, days, near } = this.kept;
    const isWhole = this.query.filter.sort === "asc" || this.isSifted || way === "days" || days > MOST_DAYS;
    return isWhole ? undefined : dayOf(this.end - roundUp((way === "projects" && near) || days) * DAY_MS);
  }

  private endTrial(): true {
    this.isTrial = false;
    this.kept.way = undefined;
    this.plan.way = undefined;
    delete this.plan.most;
    return true;
  }

  /**
   * The list needs events further back, so it is rare: a walk would skip all others. Other people's lists of this kind are
   * expected to be as rare.
   */
  private turnToDays(): true {
    if (this.isNew && !this.wide) expectMore(this.query);
    this.kept.way = "days";
    this.plan.way = "days";
    this.plan.floor = undefined;
    delete this.plan.most;
    return true;
  }

  /** The counts included more events than are visible, as some were removed or are no longer kept. */
  private giveDaysUp(): true {
    const { kept } = this;
    kept.hasDays = false;
    kept.quick = false;
    kept.days = MOST_DAYS * GROWS;
    kept.way = this.wide ? "projects" : "time";
    this.plan.way = kept.way;
    return true;
  }
}

/** After a long walk switches to the other way, and then keeps to whichever took less time last. */
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

/** The beginning of the day: lists that are read back to the same time can share a statement. */
function dayOf(milliseconds: number): Date {
  return new Date(Math.floor(milliseconds / DAY_MS) * DAY_MS);
}

/** Rounds up to one of few numbers of days, for the same reason. */
function roundUp(days: number): number {
  return Math.ceil(FIRST_DAYS * 2 ** (Math.ceil(2 * Math.log2(days / FIRST_DAYS)) / 2));
}

function usualDays(query: SoughtQuery): number {
  const kind = kindOf(query);
  const days = usual.get(kind) ?? FIRST_DAYS;
  if (usual.size >= MOST_KINDS) usual.delete(usual.keys().next().value as string);
  usual.set(kind, Math.max(FIRST_DAYS, days * SHRINKS));
  return days;
}

function expectMore(query: SoughtQuery): void {
  const kind = kindOf(query);
  usual.set(kind, Math.min(MOST_DAYS * GROWS, (usual.get(kind) ?? FIRST_DAYS) * GROWS));
}

/** @param milliseconds of the whole statement, since one slow list keeps the others that share it waiting */
function learn(query: SoughtQuery, milliseconds: number): void {
  const kind = kindOf(query);
  if (quickAtFirst.size >= MOST_KINDS) quickAtFirst.delete(quickAtFirst.keys().next().value as string);
  quickAtFirst.set(kind, milliseconds < QUICK_MS ? (quickAtFirst.get(kind) ?? 0) + 1 : 0);
}

/** What lists of different people or projects have in common if they ask for the same. */
function kindOf({ subject, filter, offset, limit, from }: SoughtQuery): string {
  const { before: _, after: __, from: ___, to: ____, search, authorIds, authorNames, ...kinds } = filter;
  const sought = [search, authorIds, authorNames].map((each) => each !== undefined);
  const isWhose = subject === "memberships" ? subject : Object.keys(subject).join();
  return JSON.stringify([isWhose, kinds, sought, rowsOf(offset + limit), from !== undefined]);
}

const rowsOf = (many: number) => Math.ceil(Math.log2(many + 1));

function nameOf({ subject, asker, filter, offset, limit, from }: SoughtQuery): string {
  const { before: _, after: __, from: ___, to: ____, ...kinds } = filter;
  return JSON.stringify([
    subject,
    subject === "memberships" || kinds.groupId ? asker?.id : 0,
    kinds,
    rowsOf(offset + limit),
    from !== undefined,
  ]);
}
