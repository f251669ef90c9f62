/** Responses about projects, groups and namespaces, for the OpenAPI document (contract §3). */
import { PLANS, VISIBILITIES } from "../accounts/namespace.ts";
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
import { ACCESS_LEVELS } from "./role.ts";

const KINDS = ["user", "group"] as const;
const visibility = Type.Enum([...VISIBILITIES]);
const marked = nullable(day("day (UTC) on which it was marked for deletion; null: it is not marked"));

const access = nullable(
  unnamed(
    { access_level: Type.Enum([...ACCESS_LEVELS]), notification_level: Type.Integer() },
    "access of the caller; null: none",
  ),
);

export const PROJECT = record("Project", {
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
  archived: Type.Boolean({ description: "whether it is archived, by itself or with a parent group" }),
  marked_for_deletion_at: marked,
  marked_for_deletion_on: marked,
  event_retention_days: nullable(
    Type.Integer({ description: "number of days that events are kept; null: two years, the default" }),
  ),
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
    unnamed(
      { project_access: access, group_access: access },
      "access levels of the caller; absent without a token",
    ),
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
  archived: Type.Boolean({ description: "whether it is archived, by itself or with a parent group" }),
  marked_for_deletion_on: marked,
});

/** Responses of the list of projects. */
export const PROJECTS_ANSWERS = pageAnswers(
  "A page of projects visible to the caller",
  PROJECT,
  REFUSED.caller,
);

/** Responses of the list of a group's projects. */
export const GROUP_PROJECTS_ANSWERS = pageAnswers("A page of projects visible to the caller", PROJECT);

/** Responses of the list of a user's projects. */
export const USER_PROJECTS_ANSWERS = pageAnswers(
  "A page of projects in the user's personal namespace that are visible to the caller",
  PROJECT,
);

/** Responses of `GET /projects/:id`. */
export const PROJECT_ANSWERS = readAnswers("The project", PROJECT);

/** Responses of `PUT /projects/:id` and of the transfer of a project. */
export const CHANGED_PROJECT_ANSWERS = writeAnswers(200, "The updated project", PROJECT, REFUSED.place);

/** Responses of `POST /projects`. */
export const NEW_PROJECT_ANSWERS = writeAnswers(201, "The new project", PROJECT);

/** Responses of `POST /projects/:id/restore`. */
export const RESTORED_PROJECT_ANSWERS = writeAnswers(201, "The updated project", PROJECT, REFUSED.place);

const CANNOT_ARCHIVE: Answers = {
  ...REFUSED.place,
  422: refusal("It is marked for deletion, or archived with a parent group"),
};

/** Responses of `POST /projects/:id/archive` and `/unarchive`. */
export const ARCHIVED_PROJECT_ANSWERS = writeAnswers(201, "The updated project", PROJECT, CANNOT_ARCHIVE);

/** Responses of `DELETE /projects/:id` and `DELETE /groups/:id`. */
export const MARKED_ANSWERS = writeAnswers(
  202,
  "It was marked for deletion, or is being deleted",
  unnamed({ message: Type.Literal("202 Accepted") }),
);

/** Responses of the list of groups. */
export const GROUPS_ANSWERS = pageAnswers("A page of groups visible to the caller", GROUP, REFUSED.caller);

/** Responses of the list of a group's direct subgroups. */
export const SUBGROUPS_ANSWERS = pageAnswers("A page of groups visible to the caller", GROUP);

/** Responses of the list of the groups around a project. */
export const PROJECT_GROUPS_ANSWERS = pageAnswers(
  "A page of the groups that contain the project, the newest first",
  record("ProjectGroup", {
    id: Type.Integer(),
    web_url: Type.String(),
    name: Type.String(),
    avatar_url: Type.Null(),
    full_name: Type.String(),
    full_path: Type.String(),
  }),
);

/** Responses of `GET /groups/:id`. */
export const GROUP_ANSWERS = readAnswers("The group", GROUP);

/** Responses of `PUT /groups/:id`. */
export const CHANGED_GROUP_ANSWERS = writeAnswers(200, "The updated group", GROUP, REFUSED.place);

/** Responses of `POST /groups`. */
export const NEW_GROUP_ANSWERS = writeAnswers(201, "The new group, with the caller as Owner", GROUP);

/** Responses of `POST /groups/:id/transfer` and `/restore`. */
export const MOVED_GROUP_ANSWERS = writeAnswers(201, "The updated group", GROUP, REFUSED.place);

/** Responses of `POST /groups/:id/archive` and `/unarchive`. */
export const ARCHIVED_GROUP_ANSWERS = writeAnswers(200, "The updated group", GROUP, CANNOT_ARCHIVE);

const NAMESPACE = record("Namespace", {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  kind: Type.Enum([...KINDS]),
  full_path: Type.String(),
  parent_id: nullable(Type.Integer()),
  avatar_url: nullable(Type.String({ description: "avatar of the user; null for groups" })),
  web_url: Type.String(),
  plan: Type.Enum([...PLANS]),
});

/** Responses of the list of namespaces. */
export const NAMESPACES_ANSWERS = pageAnswers(
  "A page of namespaces: the caller's personal namespace and the groups in which they have a role; for administrators, all",
  NAMESPACE,
  REFUSED.caller,
);

/** Responses of `GET /namespaces/:id`. */
export const NAMESPACE_ANSWERS = readAnswers("The namespace", NAMESPACE);

/** Responses of `GET /namespaces/:id/exists`. */
export const NAMESPACE_EXISTS_ANSWERS = readAnswers(
  "Whether the path is taken",
  record("NamespaceExistence", {
    exists: Type.Boolean(),
    suggests: Type.Array(Type.String(), { description: "a similar path that is free, if this one is taken" }),
  }),
  { ...REFUSED.caller, 404: refusal("The path contains a NUL character") },
);

/** Responses of `PUT /namespaces/:id`. */
export const CHANGED_NAMESPACE_ANSWERS = writeAnswers(200, "The updated namespace", NAMESPACE, {
  ...REFUSED.place,
  422: refusal("The namespace is a subgroup; the plan is set on its top-level group"),
});
