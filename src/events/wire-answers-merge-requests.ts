/** Responses about merge requests, for the OpenAPI document (reference events B4). */
import { AUTHOR } from "../accounts/wire-answers-author.ts";
import { moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import { pageAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { MERGE_REQUEST_STATES } from "./merge-request.ts";

const MERGE_REQUEST = record(
  "MergeRequest",
  {
    id: Type.Integer(),
    iid: Type.Integer(),
    project_id: Type.Integer(),
    title: nullable(Type.String()),
    description: Type.Null(),
    state: Type.Enum([...MERGE_REQUEST_STATES]),
    created_at: moment(),
    updated_at: moment(),
    merged_at: nullable(moment()),
    closed_at: nullable(moment()),
    author: nullable(AUTHOR),
    merged_by: nullable(AUTHOR),
    merge_user: nullable(AUTHOR),
    draft: Type.Boolean(),
    work_in_progress: Type.Boolean(),
    source_branch: Type.Null(),
    target_branch: Type.Null(),
    web_url: Type.Null(),
    reference: Type.String(),
    references: unnamed({ short: Type.String(), relative: Type.String(), full: Type.String() }),
  },
  "A merge request as known from events; members that no event provides are null.",
);

export const MERGE_REQUESTS_ANSWERS = pageAnswers(
  "A page of merge requests known from events",
  MERGE_REQUEST,
);
