/** The query for merge requests known from events, and their record in the shape of the GitLab v4 API. */
import { authorRecord } from "../accounts/wire.ts";
import {
  authoredFilterOf,
  authorFilters,
  LIST_SCOPES,
  timeFilters,
} from "../accounts/wire-author-filters.ts";
import { absentFilters } from "../platform/absent-filters.ts";
import { pageParameters } from "../platform/pagination.ts";
import { numbers, words } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { type MergeRequest, type MergeRequestFilter, SOUGHT_STATES } from "./merge-request.ts";

/** The orders that clients of GitLab request. */
const ORDERS = [
  "created_at",
  "updated_at",
  "label_priority",
  "merged_at",
  "milestone_due",
  "popularity",
  "priority",
  "title",
] as const;

const list = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { description }));

/** By what no event tells of a merge request. */
const UNTOLD = absentFilters(
  {
    assignee_id: "id of the assignee",
    assignee_username: "usernames of assignees",
    reviewer_id: "id of the reviewer",
    reviewer_username: "username of the reviewer",
    labels: "label names, comma-separated",
    milestone: "title of the milestone",
    my_reaction_emoji: "name of the caller's reaction",
    source_branch: "name of the source branch",
    target_branch: "name of the target branch",
  },
  list,
  { reason: "no event tells it", things: "merge requests" },
);

export const MergeRequestsQuery = Type.Object({
  state: Type.Optional(
    Type.Enum([...SOUGHT_STATES, "all"], {
      default: "all",
      description:
        "only merge requests in this state; `locked` matches none, since no event reports it; default: all",
    }),
  ),
  iids: numbers("only merge requests with these numbers within the project (`iid`)"),
  scope: Type.Optional(
    Type.Enum([...LIST_SCOPES], {
      description:
        "created_by_me: only merge requests that the caller opened; assigned_to_me: none, since no event tells assignees; default: all",
    }),
  ),
  ...authorFilters("merge requests"),
  search: words("part of the title, case-insensitive; descriptions are not known"),
  in: Type.Optional(
    Type.Array(Type.Enum(["title", "description"]), {
      maxItems: 2,
      description:
        "where to search, comma-separated; descriptions are not known, so `description` alone matches none; default: title,description",
    }),
  ),
  ...timeFilters("merge requests whose first event was", "merge requests whose last event was"),
  ...UNTOLD.members,
  order_by: Type.Optional(
    Type.Enum([...ORDERS], {
      description:
        "field to sort by: `updated_at` or `created_at`; any other value means `created_at`; default: created_at",
    }),
  ),
  sort: Type.Optional(
    Type.Enum(["asc", "desc"], { default: "desc", description: "sort direction; default: desc" }),
  ),
  ...pageParameters,
});
export type MergeRequestsQuery = Static<typeof MergeRequestsQuery>;

/** Returns the filter of a query, or undefined if it matches no merge request; `callerId` undefined: nobody asks. */
export function mergeRequestFilterOf(
  query: MergeRequestsQuery,
  callerId: number | undefined,
): MergeRequestFilter | undefined {
  const authored = authoredFilterOf(query, callerId);
  const isInTitle = !query.search || !query.in?.length || query.in.includes("title");
  if (!isInTitle || UNTOLD.matchNothing(query) || !authored) return undefined;
  return {
    ...authored,
    state: query.state === "all" ? undefined : query.state,
    iids: query.iids,
    search: query.search,
  };
}

/** Returns the record; members that no event provides are null, or left out if they are lists at GitLab. */
export function mergeRequestRecord(
  mergeRequest: MergeRequest,
  project: { id: number; fullPath: string },
  publicUrl: string,
) {
  const { authorId: id, authorUsername: username, authorName: name, authorState: state } = mergeRequest;
  const isKnown = id !== null && username !== null && name !== null && state !== null;
  return {
    id: mergeRequest.id,
    iid: mergeRequest.iid,
    project_id: project.id,
    title: mergeRequest.title,
    description: null,
    state: mergeRequest.state,
    created_at: mergeRequest.createdAt.toISOString(),
    updated_at: mergeRequest.updatedAt.toISOString(),
    merged_at: mergeRequest.mergedAt?.toISOString() ?? null,
    closed_at: mergeRequest.closedAt?.toISOString() ?? null,
    author: isKnown ? authorRecord({ id, username, name, state }, publicUrl) : null,
    source_branch: null,
    target_branch: null,
    web_url: null,
    reference: `!${mergeRequest.iid}`,
    references: {
      short: `!${mergeRequest.iid}`,
      relative: `!${mergeRequest.iid}`,
      full: `${project.fullPath}!${mergeRequest.iid}`,
    },
  };
}
