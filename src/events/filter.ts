/** The query of a list of events: whose events, which of them, in which order. */
import type { Asker } from "../projects/asker.ts";
import type { Action, TargetType } from "./event.ts";
import type { Cursor } from "./position.ts";
import type { SoughtSubject, Subject } from "./subject.ts";
import { DAY_MS } from "./utc-day.ts";

/** The words of the `target_type` filter: those of the specification, and finer ones (reference events A7). */
export const TARGET_FILTERS = [
  "issue",
  "milestone",
  "merge_request",
  "note",
  "project",
  "snippet",
  "user",
  "wiki",
  "push",
  "discussion_note",
  "diff_note",
] as const;
export type TargetFilter = (typeof TARGET_FILTERS)[number];

/** Further words that clients of GitLab may use, for things that do not exist here: their lists are empty (reference events A7). */
export const ABSENT_TARGETS = ["design", "epic"] as const;
export type AskedTarget = TargetFilter | (typeof ABSENT_TARGETS)[number];

/** The target types that each filter word includes (reference events A7): comments of every form, issues of every kind. */
export const TYPES_OF_FILTER: Readonly<Record<TargetFilter, readonly TargetType[]>> = {
  issue: ["Issue", "WorkItem", "Incident"],
  milestone: ["Milestone"],
  merge_request: ["MergeRequest"],
  note: ["Note", "DiscussionNote", "DiffNote"],
  project: ["Project"],
  snippet: ["Snippet"],
  user: ["User"],
  wiki: ["WikiPage::Meta"],
  push: [],
  discussion_note: ["DiscussionNote"],
  diff_note: ["DiffNote"],
};

/** For filter words that also mean events without a target: the actions of those. */
const TARGETLESS: Readonly<Partial<Record<TargetFilter, readonly Action[]>>> = {
  push: ["pushed"],
  project: ["created", "updated", "joined", "left", "expired"],
};

/** Conditions that an event must all meet; an absent one allows everything. */
export interface EventFilter {
  /** One of these actions; a list in the next three means one of them too. */
  action?: Action | readonly Action[] | undefined;
  target?: AskedTarget | readonly AskedTarget[] | undefined;
  authorIds?: readonly number[] | undefined;
  /** In lower case; an unknown name matches nothing. */
  authorNames?: readonly string[] | undefined;
  /** None of these actions; likewise the next three. */
  notActions?: readonly Action[] | undefined;
  notTargets?: readonly AskedTarget[] | undefined;
  notAuthorIds?: readonly number[] | undefined;
  notAuthorNames?: readonly string[] | undefined;
  /** Only in projects of this group and of those below it. */
  groupId?: number | undefined;
  /** Text in the title of the target, the comment or the title of the pushed commit, ignoring case (decision 0181). */
  search?: string | undefined;
  /** Only events before this UTC day, `YYYY-MM-DD`, which is itself excluded. */
  before?: string | undefined;
  /** Only events after this UTC day, which is itself excluded. */
  after?: string | undefined;
  /** From this moment on. */
  from?: Date | undefined;
  /** Before this moment. */
  to?: Date | undefined;
  sort?: "asc" | "desc" | undefined;
}

/** The rows that the words of a target filter mean: by target type, and by action for rows without a target. */
export interface TargetRows {
  types: TargetType[];
  targetless: Action[];
}

export function rowsOfTargets(words: readonly AskedTarget[]): TargetRows {
  const known = words.filter((word): word is TargetFilter => Object.hasOwn(TYPES_OF_FILTER, word));
  return {
    types: known.flatMap((word) => TYPES_OF_FILTER[word]),
    targetless: known.flatMap((word) => TARGETLESS[word] ?? []),
  };
}

/** A filter value as a list; undefined: it allows everything. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? (value as readonly T[]) : [value as T];
  return list.length > 0 ? list : undefined;
}

/** The half-open interval of a filter; the UTC days `after` and `before` are excluded. Undefined: unbounded. */
export function spanOf({ after, before, from, to }: EventFilter): { from?: Date; to?: Date } {
  const starts = [after && new Date(Date.parse(after) + DAY_MS), from].filter((at) => at instanceof Date);
  const ends = [before && new Date(Date.parse(before)), to].filter((at) => at instanceof Date);
  const span: { from?: Date; to?: Date } = {};
  if (starts.length > 0) span.from = writable(Math.max(...starts.map(Number)));
  if (ends.length > 0) span.to = writable(Math.min(...ends.map(Number)));
  return span;
}

const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T00:00:00Z");

/** The moment, within years of four digits, which are all that SQL is sent. */
function writable(milliseconds: number): Date {
  return new Date(Math.min(Math.max(milliseconds, FIRST), LAST));
}

/** Whether the filter restricts the list; a sort order does not. */
export function isFiltered({ sort: _, ...filter }: EventFilter): boolean {
  return Object.values(filter).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
}

/** The filter without its conditions of time. */
export function withoutTimes(filter: EventFilter): EventFilter {
  const { after: _, before: __, from: ___, to: ____, ...others } = filter;
  return others;
}

/** Whether the filter has no condition but dates. */
export function isOfAllKinds(filter: EventFilter): boolean {
  return !isFiltered(withoutTimes(filter));
}

/** Whether the filter has conditions on kinds or authors, which are counted by day, and no search words, which are not. */
export function asksForKinds({ search, ...others }: EventFilter): boolean {
  return search === undefined && !isOfAllKinds(others);
}

/** The query of a page of a list whose subject is known to be visible. */
export interface EventQuery extends SoughtQuery {
  subject: Subject;
}

/** The query of a page of a list whose subject may only be named; the asker may turn out not to see it. */
export interface SoughtQuery {
  subject: SoughtSubject;
  asker: Asker | undefined;
  filter: EventFilter;
  limit: number;
  offset: number;
  /** Only events after this one, in the order of the list. */
  from?: Cursor | undefined;
  /** Whether it shares a statement with other lists: asker and subject are then columns of the statement's `q`. */
  isShared?: boolean | undefined;
}
