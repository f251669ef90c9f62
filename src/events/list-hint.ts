/** How far back a list is read at first, and in which way: guesses that are remembered, never part of what a list is. */
import { asksForKinds, isWide, type SoughtQuery, spanOf } from "./filter.ts";

/**
 * `time` walks all events from the newest on, `projects` takes the newest of each project, `days` reads those days alone that
 * hold something of the list by its counts; undefined: not yet known.
 */
export interface ReadPlan {
  /** Nothing older is looked at; undefined: back to the oldest. */
  floor: Date | undefined;
  way: "time" | "projects" | "days" | undefined;
  /** How many of the newest events are looked through at most: of a person's or project's list its own; undefined: all. */
  most?: number | undefined;
}

/** How one list is to be read now; what the read teaches is told back to it, and remembered. */
export interface Hint {
  plan: ReadPlan;
  /** Whether the list has been quick, so that it may share a connection. */
  isCheap: boolean;
  /**
   * Says how long its statement took, in milliseconds, and of how many lists it was; where a walk was long, the other way is
   * tried next.
   */
  took(milliseconds: number, together?: number): void;
  /** Looks further back; false when there is nothing further. */
  widen(): boolean;
  /** Chooses the way by how many of all events are in the list. */
  choose(known: { total: number; all: number }): void;
}

const DAY_MS = 86_400_000;
const FIRST_DAYS = 40;
/** Days tried one after another; then everything. */
const WIDER = 3;
/** Times the days in which a list over many projects has as many events as a page, if they come evenly. */
const AMPLE = 4;
const KEPT_DAYS = 730;
const MOST_DAYS = 400;
/** Events that a walk over all may pass by for one page. */
const MOST_PASSED = 20_000;
/** Events that are looked through before anything is known of a list: some ten milliseconds, whatever happened that day. */
const MOST_TRIED = 2000;
/** Events of one person or project that are looked through for those of one kind, beside the page itself. */
const MOST_SIFTED = 500;
const FORGOTTEN_AFTER_MS = 300_000;
const MOST_KNOWN = 5000;
/** What others on the connection may be kept waiting for by one list, in milliseconds; measured with what it waited itself. */
const QUICK_MS = 40;
/** What a list that is read in company adds to the time of all. */
const USUAL_MS = 2;
/** In company of several nothing but its own work makes a list take so long: from then on it is read alone. */
const HEAVY_MS = 10;
const SEVERAL = 4;
/** A walk that takes longer passes by very much, even if it ends within a day: then the other way is tried. */
const SHORT_WALK_MS = 30;

interface Known {
  days: number;
  /** Of a list over many projects: days that should hold its page; undefined: unknown, or once they did not. */
  near?: number | undefined;
  way: ReadPlan["way"];
  /** Whether its days could be read; false once they were not enough. */
  hasDays: boolean;
  /** Whether it was, the last time. */
  quick: boolean;
  /** Whether it has kept a company waiting. */
  isHeavy?: boolean;
  /** How long each way took, in milliseconds; a walk that others made long is held against the newest of each project. */
  walked?: number;
  merged?: number;
  until: number;
}
const known = new Map<string, Known>();

/**
 * Days with which lists of a kind that were not read lately begin. It grows whenever they were too few and shrinks a little
 * with each list, so that about one in fourteen has to be read again. Lists of one kind of event begin with the days that
 * hold it for as long as it is more than the first.
 */
const usual = new Map<string, number>();
const GROWS = 2;
const SHRINKS = 0.95;
const MOST_KINDS = 500;

/**
 * How many lists over many projects of which nothing was known were quick, one after another, by kind: from `TRUSTED` on the
 * next one is taken for quick from the beginning.
 */
const quickAtFirst = new Map<string, number>();
const TRUSTED = 8;

/** What is known of such a list in this process. */
export function hintFor(query: SoughtQuery): Hint {
  const name = nameOf(query);
  const before = known.get(name);
  if (before && before.until >= Date.now()) return new ListHint(query, before, false);
  const guess = firstGuess(query);
  if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value as string);
  known.set(name, guess);
  return new ListHint(query, guess, true);
}

/** What is expected of a list that was not read lately, by others of its kind. */
function firstGuess(query: SoughtQuery): Known {
  const wide = isWide(query.subject);
  const hasDays = asksForKinds(query.filter);
  const days = usualDays(query);
  const isRare = query.filter.sort === "asc" || days > FIRST_DAYS;
  const way = wide ? undefined : hasDays && isRare ? "days" : "time";
  const quick = !hasDays && (!wide || (quickAtFirst.get(kindOf(query)) ?? 0) >= TRUSTED);
  return { days, way, hasDays, quick, until: Date.now() + FORGOTTEN_AFTER_MS };
}

/** The hint for one read of a list; what the read teaches is kept for the next ones. */
class ListHint implements Hint {
  readonly plan: ReadPlan;
  readonly isCheap: boolean;
  private readonly query: SoughtQuery;
  private readonly kept: Known;
  private readonly isNew: boolean;
  private readonly wide: boolean;
  /** Everything of the list lies before this moment, in milliseconds; how far it is read back is counted from here. */
  private readonly end: number;
  /** Most lists of one kind are found among the newest events of their person or project, however long ago these were. */
  private readonly isSifted: boolean;
  /** Where its newest events are among the newest of all, a list is read at once; any other is looked at more closely. */
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
    // What was not enough tells nothing of the ways either.
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

  /** How far back it is read by what is known now; undefined: without an end. */
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

  /** Further back lies what is rare: a walk would pass by all the rest. It is as rare in others' lists of this kind. */
  private turnToDays(): true {
    if (this.isNew && !this.wide) expectMore(this.query);
    this.kept.way = "days";
    this.plan.way = "days";
    this.plan.floor = undefined;
    delete this.plan.most;
    return true;
  }

  /** Its counts promised more than is shown, for what was removed or is kept no longer. */
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

/** Tries the other way where a walk was long, and keeps to the one that was shorter when it was last gone. */
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

/** The beginning of its day: lists that are read back to the same moment can share a statement. */
function dayOf(milliseconds: number): Date {
  return new Date(Math.floor(milliseconds / DAY_MS) * DAY_MS);
}

/** One of few numbers of days, for the same reason. */
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

/** @param milliseconds of all that shared the statement, since one slow list keeps the others waiting */
function learn(query: SoughtQuery, milliseconds: number): void {
  const kind = kindOf(query);
  if (quickAtFirst.size >= MOST_KINDS) quickAtFirst.delete(quickAtFirst.keys().next().value as string);
  quickAtFirst.set(kind, milliseconds < QUICK_MS ? (quickAtFirst.get(kind) ?? 0) + 1 : 0);
}

/** Whatever lists of people, or of projects, have in common that ask for the same. */
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
