/** A merge request as far as it is known from events. */
import { USER_STATES } from "../accounts/user.ts";
import type { AuthoredFilter } from "../platform/authored-filter.ts";
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

export const MERGE_REQUEST_STATES = ["opened", "closed", "merged"] as const;
/** The states of the filter: GitLab's `locked` lasts while it merges, and no event reports it. */
export const SOUGHT_STATES = [...MERGE_REQUEST_STATES, "locked"] as const;
export type SoughtState = (typeof SOUGHT_STATES)[number];

/** Which merge requests of a project to list. */
export interface MergeRequestFilter extends AuthoredFilter {
  state?: SoughtState | undefined;
  /** Only those with these numbers. */
  iids?: readonly number[] | undefined;
  /** Part of the title, in any case. */
  search?: string | undefined;
  isDraft?: boolean | undefined;
  mergedById?: number | undefined;
  /** A username, in any case. */
  mergedBy?: string | undefined;
  /** All of these. */
  approvedBy?: readonly Approvers[] | undefined;
}

/** Who is to have approved a merge request: somebody, nobody, or all of these, by id or by username in any case. */
export type Approvers = "any" | "none" | { ids: readonly number[] } | { usernames: readonly string[] };

/** How the title of a draft begins, as at GitLab: `Draft:`, `[Draft]` or `(Draft)`; case-insensitive. */
export const DRAFT_TITLE = String.raw`^\s*(\[draft\]|\(draft\)|draft:)`;
const DRAFT = new RegExp(DRAFT_TITLE, "i");

export function isDraftTitle(title: string | null): boolean {
  return title !== null && DRAFT.test(title);
}

export const MergeRequestRow = row({
  id: integer,
  iid: integer,
  title: nullable(text),
  /** By the newest event that opens, closes or merges it. */
  state: oneOf(MERGE_REQUEST_STATES),
  createdAt: instant,
  updatedAt: instant,
  mergedAt: nullable(instant),
  closedAt: nullable(instant),
  /** Null: no event says who opened it. */
  authorId: nullable(integer),
  authorUsername: nullable(text),
  authorName: nullable(text),
  authorState: nullable(oneOf(USER_STATES)),
  /** Null: it is not merged, or no event says by whom. */
  mergerId: nullable(integer),
  mergerUsername: nullable(text),
  mergerName: nullable(text),
  mergerState: nullable(oneOf(USER_STATES)),
});
export type MergeRequest = RowOf<typeof MergeRequestRow>;
