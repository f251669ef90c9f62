/** The query for merge requests known from events, and their record in the shape of the GitLab v4 API. */
import { authorRecord } from "../accounts/wire.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { type MergeRequest, SOUGHT_STATES } from "./merge-request.ts";

export const MergeRequestsQuery = Type.Object({
  state: Type.Optional(
    Type.Enum([...SOUGHT_STATES, "all"], {
      default: "all",
      description:
        "only merge requests in this state; `locked` matches none, since no event reports it; default: all",
    }),
  ),
  sort: Type.Optional(
    Type.Enum(["asc", "desc"], {
      default: "desc",
      description: "sort direction, by `created_at`; default: desc",
    }),
  ),
  ...pageParameters,
});
export type MergeRequestsQuery = Static<typeof MergeRequestsQuery>;

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
