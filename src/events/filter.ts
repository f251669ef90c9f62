/** What a list of events is asked for: whose events, which of them, in which order. */
import type { Asker } from "../projects/asker.ts";
import type { Action, TargetType } from "./event.ts";
import type { Cursor } from "./position.ts";

/** The words of the `target_type` filter: those of the specification, and the wiki pages that the reference adds. */
export const TARGET_FILTERS = [
  "issue",
  "milestone",
  "merge_request",
  "note",
  "project",
  "snippet",
  "user",
  "wiki",
] as const;
export type TargetFilter = (typeof TARGET_FILTERS)[number];

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
};

/** The actions whose events without a target are about the project, as older rows have them. */
export const ACTIONS_OF_PROJECT: readonly Action[] = ["created", "updated", "joined", "left", "expired"];

export interface EventFilter {
  action?: Action | undefined;
  target?: TargetFilter | undefined;
  /** Only events before this UTC day, `YYYY-MM-DD`. */
  before?: string | undefined;
  /** Only events after this UTC day. */
  after?: string | undefined;
  sort?: "asc" | "desc" | undefined;
}

/** Whose events: of one project, by one author, or by anyone in the projects in which the asker has a role. */
export type Subject =
  | { projectId: number; visibility: string; access: number }
  | { authorId: number }
  | "memberships";

/** A page of a list as the database is asked for it. */
export interface EventQuery {
  subject: Subject;
  asker: Asker | undefined;
  filter: EventFilter;
  limit: number;
  offset: number;
  /** Only what comes after this event in the order of the list. */
  from?: Cursor | undefined;
}
