/** The answers about projects, groups and namespaces, as the OpenAPI document describes them (contract §3). */
import { SEEN_USER } from "../accounts/wire-answers.ts";
import { day, moment, nullable, record, unnamed } from "../platform/answer-shapes.ts";
import {
  type Answers,
  pageAnswers,
  REFUSED,
  readAnswers,
  refusal,
  writeAnswers,
} from "../platform/answers.ts";
import Type from "../platform/schema.ts";
import { PLANS, VISIBILITIES } from "./project.ts";
import { ACCESS_LEVELS } from "./role.ts";

const KINDS = ["user", "group"] as const;
const visibility = Type.Enum([...VISIBILITIES]);
const goes = nullable(day("the day (UTC) on which it was; null: it is not"));

const access = nullable(
  unnamed(
    { access_level: Type.Enum([...ACCESS_LEVELS]), notification_level: Type.Integer() },
    "null: not a member",
  ),
);

const PROJECT = record("Project", {
  id: Type.Integer(),
  description: Type.String(),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: moment(),
  default_branch: Type.String(),
  tag_list: Type.Array(Type.String()),
  topics: Type.Array(Type.String()),
  ssh_url_to_repo: Type.String(),
  http_url_to_repo: Type.String(),
  web_url: Type.String(),
  readme_url: Type.Null(),
  avatar_url: Type.Null(),
  forks_count: Type.Integer(),
  star_count: Type.Integer(),
  last_activity_at: moment(),
  namespace: unnamed({
    id: Type.Integer(),
    name: Type.String(),
    path: Type.String(),
    kind: Type.Enum([...KINDS]),
    full_path: Type.String(),
    parent_id: nullable(Type.Integer()),
    avatar_url: Type.Null(),
    web_url: Type.String(),
  }),
  _links: unnamed({
    self: Type.String(),
    issues: Type.String(),
    merge_requests: Type.String(),
    labels: Type.String(),
    events: Type.String(),
    members: Type.String(),
  }),
  visibility,
  archived: Type.Boolean({ description: "by itself or with a group around it" }),
  marked_for_deletion_at: goes,
  marked_for_deletion_on: goes,
  event_retention_days: nullable(Type.Integer({ description: "null: two years, as everywhere" })),
  creator_id: nullable(Type.Integer()),
  import_status: Type.String(),
  empty_repo: Type.Boolean(),
  issues_enabled: Type.Boolean(),
  merge_requests_enabled: Type.Boolean(),
  wiki_enabled: Type.Boolean(),
  snippets_enabled: Type.Boolean(),
  issues_access_level: Type.String(),
  merge_requests_access_level: Type.String(),
  wiki_access_level: Type.String(),
  snippets_access_level: Type.String(),
  permissions: Type.Optional(
    unnamed({ project_access: access, group_access: access }, "of who calls; absent for nobody"),
  ),
});

const GROUP = record("Group", {
  id: Type.Integer(),
  web_url: Type.String(),
  name: Type.String(),
  path: Type.String(),
  description: Type.String(),
  visibility,
  avatar_url: Type.Null(),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: moment(),
  parent_id: nullable(Type.Integer()),
  archived: Type.Boolean({ description: "by itself or with a group around it" }),
  marked_for_deletion_on: goes,
});

/** For lists of projects. */
export const PROJECTS_ANSWERS = pageAnswers("Projects that the caller sees", PROJECT, REFUSED.caller);

/** For `GET /search`. */
export const SEARCH_ANSWERS = pageAnswers(
  "Projects, or users, that the caller finds",
  Type.Union([PROJECT, SEEN_USER]),
  REFUSED.caller,
);

/** For the projects of a group. */
export const GROUP_PROJECTS_ANSWERS = pageAnswers("Projects that the caller sees", PROJECT);

/** For the projects of a user. */
export const USER_PROJECTS_ANSWERS = pageAnswers(
  "Projects in the user's own namespace that the caller sees",
  PROJECT,
);

/** For `GET /projects/:id`. */
export const PROJECT_ANSWERS = readAnswers("The project", PROJECT);

/** For `PUT /projects/:id` and its transfer. */
export const CHANGED_PROJECT_ANSWERS = writeAnswers(200, "The project as it is now", PROJECT, REFUSED.place);

/** For `POST /projects`. */
export const NEW_PROJECT_ANSWERS = writeAnswers(201, "The project", PROJECT);

/** For `POST /projects/:id/restore`. */
export const RESTORED_PROJECT_ANSWERS = writeAnswers(201, "The project as it is now", PROJECT, REFUSED.place);

const CANNOT_REST: Answers = {
  ...REFUSED.place,
  422: refusal("It is marked for deletion, or rests with a group around it"),
};

/** For `POST /projects/:id/archive` and `/unarchive`. */
export const RESTING_PROJECT_ANSWERS = writeAnswers(201, "The project as it is now", PROJECT, CANNOT_REST);

/** For `DELETE /projects/:id` and `DELETE /groups/:id`. */
export const MARKED_ANSWERS = writeAnswers(
  202,
  "It is marked for deletion, or goes now",
  unnamed({ message: Type.Literal("202 Accepted") }),
);

/** For the list of groups. */
export const GROUPS_ANSWERS = pageAnswers("Groups that the caller sees", GROUP, REFUSED.caller);

/** For the direct subgroups of a group. */
export const SUBGROUPS_ANSWERS = pageAnswers("Groups that the caller sees", GROUP);

/** For `GET /groups/:id`. */
export const GROUP_ANSWERS = readAnswers("The group", GROUP);

/** For `PUT /groups/:id`. */
export const CHANGED_GROUP_ANSWERS = writeAnswers(200, "The group as it is now", GROUP, REFUSED.place);

/** For `POST /groups`. */
export const NEW_GROUP_ANSWERS = writeAnswers(201, "The group, which the caller owns", GROUP);

/** For `POST /groups/:id/transfer` and `/restore`. */
export const MOVED_GROUP_ANSWERS = writeAnswers(201, "The group as it is now", GROUP, REFUSED.place);

/** For `POST /groups/:id/archive` and `/unarchive`. */
export const RESTING_GROUP_ANSWERS = writeAnswers(200, "The group as it is now", GROUP, CANNOT_REST);

const NAMESPACE = record("Namespace", {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Type.Enum([...KINDS]),
  full_path: Type.String(),
  parent_id: nullable(Type.Integer()),
  avatar_url: nullable(Type.String({ description: "groups have none" })),
  web_url: Type.String(),
  plan: Type.Enum([...PLANS]),
});

/** For the list of namespaces. */
export const NAMESPACES_ANSWERS = pageAnswers(
  "The caller's own namespace and those of the groups in which they have a role; to administrators all",
  NAMESPACE,
  REFUSED.caller,
);

/** For `GET /namespaces/:id`. */
export const NAMESPACE_ANSWERS = readAnswers("The namespace", NAMESPACE);

/** For `PUT /namespaces/:id`. */
export const CHANGED_NAMESPACE_ANSWERS = writeAnswers(200, "The namespace as it is now", NAMESPACE, {
  ...REFUSED.place,
  422: refusal("It is a subgroup, whose plan stands at the top"),
});
