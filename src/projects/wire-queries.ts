/** The query parameters and bodies of requests about projects, groups and members. */
import { PLANS, VISIBILITIES } from "../accounts/namespace.ts";
import { pageParameters } from "../platform/pagination.ts";
import { flag, numbers, timeBound } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { GROUP_ORDERS } from "./group.ts";
import { MAX_DAYS, PROJECT_ORDERS } from "./project.ts";
import { ACCESS_LEVELS, LEVEL_WORDS } from "./role.ts";

const name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const TITLE = "display name";
const PATH = "last segment of the full path: letters, digits, '_', '-' and '.'";
const visibility = (description: string) => Type.Optional(Type.Enum([...VISIBILITIES], { description }));
const SEEN_BY = "who can see it; private: members, internal: all signed-in users, public: everybody";
const words = () =>
  Type.Optional(Type.String({ maxLength: 2000, description: "description, at most 2000 characters" }));
const search = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));
const lacked = (description: string) => Type.Optional(Type.String({ maxLength: 2000, description }));
const level = () => Type.Enum([...ACCESS_LEVELS], { description: `access level: ${LEVEL_WORDS}` });
/** An id or a path. */
const reference = () => Type.Union([Type.Integer({ minimum: 1 }), Type.String()]);

export const NewProjectBody = Type.Object({
  name: Type.Optional(name(`${TITLE}; default: \`path\`; one of the two is required`)),
  path: Type.Optional(name(`${PATH}; default: derived from \`name\``)),
  namespace_id: Type.Optional(
    Type.Union([reference(), Type.Null()], {
      description:
        "number or full path of the group or namespace to create it in; default: the caller's personal namespace",
    }),
  ),
  description: Type.Optional(
    Type.Union([Type.String({ maxLength: 2000 }), Type.Null()], {
      description: "description, at most 2000 characters",
    }),
  ),
  visibility: visibility(`${SEEN_BY}; at most as visible as its group; default: private`),
  default_branch: Type.Optional(name("name of the default branch; default: main")),
});
export type NewProjectBody = Static<typeof NewProjectBody>;

export const ProjectBody = Type.Object({
  name: Type.Optional(name(TITLE)),
  path: Type.Optional(name(`${PATH}; the old path redirects to the new one`)),
  description: words(),
  visibility: visibility(`${SEEN_BY}; at most as visible as its group`),
  default_branch: Type.Optional(name("name of the default branch")),
  event_retention_days: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: MAX_DAYS }), Type.Null()], {
      description: "number of days (of 24 hours) that events are kept; null: two years, the default",
    }),
  ),
});
export type ProjectBody = Static<typeof ProjectBody>;

const archived = () =>
  flag(
    "true: only items that are archived, by themselves or with a parent group; false: only items that are not; default: both",
  );
const active = () =>
  flag(
    "true: only items that are neither archived nor marked for deletion, by themselves or with a parent group; false: only items that are; default: both",
  );
const markedOn = () =>
  Type.Optional(
    Type.String({
      format: "date",
      description:
        "only items marked for deletion on this day (UTC), by themselves or with a parent group, YYYY-MM-DD",
    }),
  );
const sort = (order: "asc" | "desc") =>
  Type.Optional(
    Type.Enum(["asc", "desc"], {
      description: `sort direction; default: ${order}`,
    }),
  );
const leastLevel = (which: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 50, description: `${which}; ${LEVEL_WORDS}` }));

/** Orders that clients of GitLab request but that do not exist here. */
const ORDERS_OF_GITLAB = ["similarity", "star_count"] as const;

export const ProjectsQuery = Type.Object({
  search: search("part of the full path or name, case-insensitive"),
  membership: Type.Optional(
    Type.Boolean({ description: "true: only projects in which the caller has a role; default: false" }),
  ),
  owned: Type.Optional(
    Type.Boolean({ description: "true: only projects in which the caller is Owner; default: false" }),
  ),
  archived: archived(),
  visibility: visibility("only items with this visibility"),
  min_access_level: leastLevel("only projects in which the caller has at least this access level"),
  id_after: Type.Optional(Type.Integer({ minimum: 0, description: "only projects with a greater id" })),
  id_before: Type.Optional(Type.Integer({ minimum: 0, description: "only projects with a smaller id" })),
  order_by: Type.Optional(
    Type.Enum([...PROJECT_ORDERS, ...ORDERS_OF_GITLAB], {
      description: `field to sort by; default: created_at, which also replaces ${ORDERS_OF_GITLAB.join(" and ")}`,
    }),
  ),
  sort: sort("desc"),
  active: active(),
  marked_for_deletion_on: markedOn(),
  last_activity_after: timeBound("only projects whose last activity was after this time (ISO 8601)"),
  last_activity_before: timeBound("only projects whose last activity was before this time (ISO 8601)"),
  updated_after: timeBound("only projects last updated after this time (ISO 8601)"),
  updated_before: timeBound("only projects last updated before this time (ISO 8601)"),
  topic: lacked("only projects with this topic; projects here have no topics, so the list is empty"),
  topic_id: lacked(
    "only projects with the topic of this id; projects here have no topics, so the list is empty",
  ),
  with_programming_language: lacked(
    "only projects in this programming language; none is known here, so the list is empty",
  ),
  starred: flag(
    "true: only projects that the caller starred; stars do not exist here, so the list is empty; default: false",
  ),
  imported: flag(
    "true: only imported projects, which do not exist here, so the list is empty; default: false",
  ),
  ...pageParameters,
});
export type ProjectsQuery = Static<typeof ProjectsQuery>;

export const GroupProjectsQuery = Type.Object({
  ...ProjectsQuery.properties,
  include_subgroups: Type.Optional(
    Type.Boolean({ description: "true: include projects in subgroups; default: false" }),
  ),
});
export type GroupProjectsQuery = Static<typeof GroupProjectsQuery>;

export const NewGroupBody = Type.Object({
  name: name(TITLE),
  path: name(PATH),
  parent_id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: "number of the parent group; default: none, which creates a top-level group",
    }),
  ),
  description: words(),
  visibility: visibility(`${SEEN_BY}; at most as visible as the parent group; default: private`),
});
export type NewGroupBody = Static<typeof NewGroupBody>;

export const GroupBody = Type.Object({
  name: Type.Optional(name(TITLE)),
  path: Type.Optional(name(`${PATH}; the old path redirects to the new one`)),
  description: words(),
  visibility: visibility(
    `${SEEN_BY}; at most as visible as the parent group, at least as visible as everything in the group`,
  ),
});
export type GroupBody = Static<typeof GroupBody>;

/** In the body or the query, as clients of the GitLab v4 API send it. */
export const GroupMove = Type.Optional(
  Type.Object({
    group_id: Type.Optional(
      Type.Union([reference(), Type.Null()], {
        description:
          "number or full path of the new parent group; default: none, which makes it a top-level group",
      }),
    ),
  }),
);
export type GroupMove = Static<typeof GroupMove>;

/** Required in the body or the query. */
export const ProjectMove = Type.Optional(
  Type.Object({
    namespace: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.String({ maxLength: 2000 })], {
        description:
          "number or full path of the target group, or of the caller's personal namespace; required",
      }),
    ),
  }),
);
export type ProjectMove = Static<typeof ProjectMove>;

export const GroupsQuery = Type.Object({
  search: search("part of the full path or name, case-insensitive"),
  owned: flag("true: only groups in which the caller is Owner; default: false"),
  archived: archived(),
  active: active(),
  marked_for_deletion_on: markedOn(),
  min_access_level: leastLevel("only groups in which the caller has at least this access level"),
  all_available: flag(
    "false: only groups in which the caller has a role; true: all groups visible to the caller; default: true",
  ),
  top_level_only: flag("true: leave out subgroups; default: false"),
  visibility: visibility("only items with this visibility"),
  skip_groups: numbers("leave out the groups with these ids"),
  order_by: Type.Optional(
    Type.Enum([...GROUP_ORDERS, "similarity"], {
      description: "field to sort by; default: the full path, which also replaces similarity",
    }),
  ),
  sort: sort("asc"),
  ...pageParameters,
});
export type GroupsQuery = Static<typeof GroupsQuery>;

export const NamespacesQuery = Type.Object({
  search: search("part of the full path or name, case-insensitive"),
  owned_only: flag(
    "true: only the caller's personal namespace and groups in which the caller is Owner; default: false",
  ),
  top_level_only: flag("true: leave out subgroups; default: false"),
  ...pageParameters,
});
export type NamespacesQuery = Static<typeof NamespacesQuery>;

export const ExistsQuery = Type.Object({
  parent_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "number of the parent group; default: none, which asks about the top level",
    }),
  ),
});
export type ExistsQuery = Static<typeof ExistsQuery>;

export const PlanBody = Type.Object({
  plan: Type.Enum([...PLANS], {
    description:
      "plan, which determines the alert features of all projects in the namespace; can be set only on a top-level group or a personal namespace",
  }),
});
export type PlanBody = Static<typeof PlanBody>;

export const MembersQuery = Type.Object({
  query: search("part of the username or name, case-insensitive"),
  user_ids: numbers("only the users with these ids"),
  skip_users: numbers("leave out the users with these ids"),
  state: Type.Optional(
    Type.Enum(["active", "awaiting"], {
      description: "only members in this state; all members are active, so `awaiting` matches none",
    }),
  ),
  ...pageParameters,
});
export type MembersQuery = Static<typeof MembersQuery>;

const expiry = () =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
      description:
        "end of the membership: a day, YYYY-MM-DD, at whose start (UTC) it ends, or an ISO 8601 timestamp; null: none",
    }),
  );

/** The ids of users to add; `other` can be given in place of them. */
export const userIds = (other: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 1 }),
        // Each id takes a statement.
        Type.String({ pattern: "^\\d{1,15}(,\\d{1,15}){0,99}$" }),
      ],
      {
        description: `id of the user to add, or up to 100 ids, comma-separated; required unless \`${other}\` is given`,
      },
    ),
  );

export const NewMemberBody = Type.Object({
  user_id: userIds("username"),
  username: Type.Optional(
    Type.String({
      maxLength: 255,
      description: "username of the user to add, or several, comma-separated; in place of `user_id`",
    }),
  ),
  access_level: level(),
  expires_at: expiry(),
});
export type NewMemberBody = Static<typeof NewMemberBody>;

export const MemberBody = Type.Object({ access_level: level(), expires_at: expiry() });
export type MemberBody = Static<typeof MemberBody>;

export const InvitationBody = Type.Object({ access_level: Type.Optional(level()), expires_at: expiry() });
export type InvitationBody = Static<typeof InvitationBody>;
