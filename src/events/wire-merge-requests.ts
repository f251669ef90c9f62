/** The query for merge requests known from events, and their record in the shape of the GitLab v4 API. */
import { type AuthorRecord, authorRecord } from "../accounts/wire.ts";
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
import {
  type Approvers,
  isDraftTitle,
  type MergeRequest,
  type MergeRequestFilter,
  SOUGHT_STATES,
} from "./merge-request.ts";

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

/** A filter by who has approved, as an event says; `pattern` is that of one of the `what`. */
const approvers = (pattern: string, what: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: `^(?:${pattern}|[Nn]one|NONE|[Aa]ny|ANY)?$` }), {
      maxItems: 5,
      description: `only merge requests that all users with these ${what} have approved, comma-separated, at most 5; \`Any\`: that somebody has approved, \`None\`: nobody`,
    }),
  );

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
    source_project_id: "id of the project with the source branch",
    target_branch: "name of the target branch",
    approver_ids: "ids of users who may approve",
    environment: "name of an environment to which it was deployed",
    deployed_after: "time of a deployment",
    deployed_before: "time of a deployment",
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
  merge_user_id: Type.Optional(
    Type.Integer({ minimum: 1, description: "only merge requests merged by the user with this id" }),
  ),
  merge_user_username: words("only merge requests merged by the user with this username"),
  approved_by_ids: approvers("[1-9][0-9]{0,14}", "ids"),
  approved_by_usernames: approvers(".{1,255}", "usernames"),
  wip: Type.Optional(
    Type.Enum(["yes", "no"], {
      description: "yes: only drafts, whose title begins with `Draft:` or the like; no: only others",
    }),
  ),
  draft: Type.Optional(Type.Boolean({ description: "the same as `wip`: only drafts, or only others" })),
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
    isDraft: query.draft ?? (query.wip && query.wip === "yes"),
    mergedById: query.merge_user_id,
    mergedBy: query.merge_user_username,
    approvedBy: [
      ...approversOf(query.approved_by_ids, (ids) => ({ ids: ids.map(Number) })),
      ...approversOf(query.approved_by_usernames, (usernames) => ({ usernames })),
    ],
  };
}

/** Returns the conditions of a filter by who has approved; `named` makes that of the values that name users. */
function approversOf(
  given: readonly string[] | undefined,
  named: (values: readonly string[]) => Approvers,
): readonly Approvers[] {
  const words = (given ?? []).filter((value) => value !== "").map((value) => value.toLowerCase());
  const users = words.filter((word) => word !== "any" && word !== "none");
  return [
    ...(words.includes("any") ? (["any"] as const) : []),
    ...(words.includes("none") ? (["none"] as const) : []),
    ...(users.length > 0 ? [named(users)] : []),
  ];
}

/** Returns the record; members that no event provides are null, or left out if they are lists at GitLab. */
export function mergeRequestRecord(
  mergeRequest: MergeRequest,
  project: { id: number; fullPath: string },
  publicUrl: string,
) {
  const { authorId, authorUsername, authorName, authorState } = mergeRequest;
  const { mergerId, mergerUsername, mergerName, mergerState } = mergeRequest;
  const merger = personRecord(
    { id: mergerId, username: mergerUsername, name: mergerName, state: mergerState },
    publicUrl,
  );
  const isDraft = isDraftTitle(mergeRequest.title);
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
    author: personRecord(
      { id: authorId, username: authorUsername, name: authorName, state: authorState },
      publicUrl,
    ),
    merged_by: merger,
    merge_user: merger,
    draft: isDraft,
    work_in_progress: isDraft,
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

type Nullable<T> = { [M in keyof T]: T[M] | null };

/** Returns the record of a person, or null if no event names one. */
function personRecord(
  { id, username, name, state }: Nullable<Parameters<typeof authorRecord>[0]>,
  publicUrl: string,
): AuthorRecord | null {
  const isKnown = id !== null && username !== null && name !== null && state !== null;
  return isKnown ? authorRecord({ id, username, name, state }, publicUrl) : null;
}
