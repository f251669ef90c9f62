/** A merge request as far as events tell of it. */
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

export const MERGE_REQUEST_STATES = ["opened", "closed", "merged"] as const;
/** What lists can be narrowed to: GitLab locks a merge request while it merges, of which no event tells. */
export const SOUGHT_STATES = [...MERGE_REQUEST_STATES, "locked"] as const;
export type SoughtState = (typeof SOUGHT_STATES)[number];

export const MergeRequestRow = row({
  id: integer,
  iid: integer,
  title: nullable(text),
  /** What the newest event says that opens, closes or merges. */
  state: oneOf(MERGE_REQUEST_STATES),
  createdAt: instant,
  updatedAt: instant,
  mergedAt: nullable(instant),
  closedAt: nullable(instant),
  /** Null: nobody has told who opened it. */
  authorId: nullable(integer),
  authorUsername: nullable(text),
  authorName: nullable(text),
  authorState: nullable(oneOf(["active", "blocked"])),
});
export type MergeRequest = RowOf<typeof MergeRequestRow>;
