/** What a list of events is asked for: whose events, which of them, in which order. */
import type { Asker } from "../projects/asker.ts";
import type { Action, TargetType } from "./event.ts";
import type { Cursor } from "./position.ts";

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

/** What clients of GitLab may ask for besides, of which nothing is here: a list of it is empty (reference events A7). */
export const ABSENT_TARGETS = ["design", "epic"] as const;
export type AskedTarget = TargetFilter | (typeof ABSENT_TARGETS)[number];

/** The target types that a filter word means (reference events A7): comments of every form, issues of every kind. */
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

/** The actions whose events without a target a filter word means: pushes, and rows about a project as older ones are. */
const TARGETLESS: Readonly<Partial<Record<TargetFilter, readonly Action[]>>> = {
  push: ["pushed"],
  project: ["created", "updated", "joined", "left", "expired"],
};

/** Conditions that all hold at once; an absent one asks nothing. */
export interface EventFilter {
  /** One of these; so are the next ones. */
  action?: Action | readonly Action[] | undefined;
  target?: AskedTarget | readonly AskedTarget[] | undefined;
  authorIds?: readonly number[] | undefined;
  /** In lower case; a name that nobody has matches nothing. */
  authorNames?: readonly string[] | undefined;
  /** None of these. */
  notActions?: readonly Action[] | undefined;
  notTargets?: readonly AskedTarget[] | undefined;
  notAuthorIds?: readonly number[] | undefined;
  notAuthorNames?: readonly string[] | undefined;
  /** Only in projects of this group and of those below it. */
  groupId?: number | undefined;
  /** Words within the title of the target, the comment or the title of the pushed commit, in any case (decision 0181). */
  search?: string | undefined;
  /** Only events before this UTC day, `YYYY-MM-DD`; the day itself is out. */
  before?: string | undefined;
  /** Only events after this UTC day; the day itself is out. */
  after?: string | undefined;
  /** From this moment on. */
  from?: Date | undefined;
  /** Before this moment. */
  to?: Date | undefined;
  sort?: "asc" | "desc" | undefined;
}

/** Words of a filter as the rows that they mean: target types, and actions of rows without a target. */
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

/** A filter value as a list; undefined when nothing is asked. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? (value as readonly T[]) : [value as T];
  return list.length > 0 ? list : undefined;
}

const DAY_MS = 86_400_000;

/** The half-open time that a filter names; UTC days are left out on both sides. Undefined: unbounded. */
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

/** Years of four digits: nothing happened outside them. */
function writable(milliseconds: number): Date {
  return new Date(Math.min(Math.max(milliseconds, FIRST), LAST));
}

/** Whether the filter leaves events out by anything but the order. */
export function isFiltered({ sort: _, ...filter }: EventFilter): boolean {
  return Object.values(filter).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
}

/** Whether nothing but dates is asked for. */
export function isOfAllKinds({ after: _, before: __, from: ___, to: ____, ...kinds }: EventFilter): boolean {
  return !isFiltered(kinds);
}

/** Whether kinds or authors are asked for, which are counted by day; words are not. */
export function asksForKinds({ search, ...others }: EventFilter): boolean {
  return search === undefined && !isOfAllKinds(others);
}

/**
 * Whose events: of one project, by one author, by anyone in the projects in which the asker has a role, or by anyone
 * in the projects of a group and of those below it.
 */
export type Subject =
  | { projectId: number; visibility: string; access: number }
  | { authorId: number }
  | { groupId: number }
  | "memberships";

/** A page of a list as the database is asked for it. */
export interface EventQuery extends SoughtQuery {
  subject: Subject;
}

/** A subject as it was named: a project by id or path, a person by id or username. */
export type Named = { reference: string } | { person: string };

/** Whether a list is of many people's acts, so that it can be of one of them alone. */
export function isOfMany(subject: Subject): boolean {
  return subject === "memberships" || !("authorId" in subject);
}

/** Whether a list is over many projects, of which each may be open to the asker or not. */
export function isWide(subject: Subject | Named): boolean {
  return subject === "memberships" || "groupId" in subject;
}

/** The same, the subject perhaps only named: nothing when there is none that the asker may see. */
export interface SoughtQuery {
  subject: Subject | Named;
  asker: Asker | undefined;
  filter: EventFilter;
  limit: number;
  offset: number;
  /** Only what comes after this event in the order of the list. */
  from?: Cursor | undefined;
  /** One of several lists that share a statement: who asks, and whose list it is, are columns of its `q`. */
  isShared?: boolean | undefined;
}
