/** The query parameters and bodies of requests about projects, groups, members and environments. */
import { pageParameters } from "../platform/pagination.ts";
import { flag, numbers, timeBound } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { ENVIRONMENT_STATES } from "./environment.ts";
import { GROUP_ORDERS } from "./group.ts";
import { MOST_DAYS, PROJECT_ORDERS, VISIBILITIES } from "./project.ts";
import { ACCESS_LEVELS, roleName } from "./role.ts";

const name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });
const TITLE = "what it is called on pages";
const PATH = "last part of its address: letters, digits, '_', '-' and '.'";
const visibility = (description: string) => Type.Optional(Type.Enum([...VISIBILITIES], { description }));
const SEEN_BY = "private: by members, internal: by whoever is signed in, public: by all";
const words = () => Type.Optional(Type.String({ maxLength: 2000, description: "what it is, in words" }));
const search = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }));
const LEVELS = ACCESS_LEVELS.map((level) => `${level} ${roleName(level)}`).join(", ");
const level = () => Type.Enum([...ACCESS_LEVELS], { description: LEVELS });
/** An id or a path. */
const reference = () => Type.Union([Type.Integer({ minimum: 1 }), Type.String()]);

export const NewProjectBody = Type.Object({
  name: Type.Optional(name(`${TITLE}; default: \`path\`, and one of the two is needed`)),
  path: Type.Optional(name(`${PATH}; default: made of \`name\``)),
  namespace_id: Type.Optional(
    Type.Union([reference(), Type.Null()], {
      description:
        "number or full path of the group or namespace that it is in; default: one's own namespace",
    }),
  ),
  description: Type.Optional(
    Type.Union([Type.String({ maxLength: 2000 }), Type.Null()], { description: "what it is, in words" }),
  ),
  visibility: visibility(`${SEEN_BY}; no more than its group; default: private`),
  default_branch: Type.Optional(name("name of its main branch; default: main")),
});
export type NewProjectBody = Static<typeof NewProjectBody>;

export const ProjectBody = Type.Object({
  name: Type.Optional(name(TITLE)),
  path: Type.Optional(name(`${PATH}; the old address leads on to the new one`)),
  description: words(),
  visibility: visibility(`${SEEN_BY}; no more than its group`),
  default_branch: Type.Optional(name("name of its main branch")),
  event_retention_days: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: MOST_DAYS }), Type.Null()], {
      description: "how many days of 24 hours events are kept; null: two years, as everywhere",
    }),
  ),
});
export type ProjectBody = Static<typeof ProjectBody>;

const archived = () =>
  flag("only those that are archived, by themselves or with a group around, or only the others");
const active = () =>
  flag(
    "only those that are neither archived nor marked for deletion, by themselves or with a group around; false: only the others",
  );
const sort = (order: "asc" | "desc") =>
  Type.Optional(
    Type.Enum(["asc", "desc"], {
      description: `default: ${order}, the ${order === "asc" ? "smallest" : "greatest"} first`,
    }),
  );
const leastLevel = (which: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 50, description: `${which}: ${LEVELS}` }));

/** Orders that clients of GitLab ask for, and that do not exist here. */
const ORDERS_OF_GITLAB = ["similarity", "star_count"] as const;

export const ProjectsQuery = Type.Object({
  search: search("part of the full path or name, in any case"),
  membership: Type.Optional(Type.Boolean({ description: "only those in which one has a role; false: all" })),
  owned: Type.Optional(Type.Boolean({ description: "only those that one owns; false: all" })),
  archived: archived(),
  visibility: visibility("only those of this visibility"),
  min_access_level: leastLevel("only those in which one has at least this level"),
  id_after: Type.Optional(Type.Integer({ minimum: 0, description: "only those with a greater number" })),
  id_before: Type.Optional(Type.Integer({ minimum: 0, description: "only those with a smaller number" })),
  order_by: Type.Optional(
    Type.Enum([...PROJECT_ORDERS, ...ORDERS_OF_GITLAB], {
      description: `what they go by; default: last_activity_at, as which ${ORDERS_OF_GITLAB.join(" and ")} count`,
    }),
  ),
  sort: sort("desc"),
  active: active(),
  last_activity_after: timeBound("only those in which something happened after this moment"),
  last_activity_before: timeBound("only those in which nothing happened from this moment on"),
  updated_after: timeBound("only those that were changed after this moment"),
  updated_before: timeBound("only those that were not changed from this moment on"),
  topic: Type.Optional(Type.String({ maxLength: 2000, description: "only those about it: none here" })),
  starred: flag("only those that one has starred: none here; false: all"),
  imported: flag("only those that were imported: none here; false: all"),
  ...pageParameters,
});
export type ProjectsQuery = Static<typeof ProjectsQuery>;

export const GroupProjectsQuery = Type.Object({
  ...ProjectsQuery.properties,
  include_subgroups: Type.Optional(
    Type.Boolean({ description: "those in the groups below it too; default: only those right in it" }),
  ),
});
export type GroupProjectsQuery = Static<typeof GroupProjectsQuery>;

export const NewGroupBody = Type.Object({
  name: name(TITLE),
  path: name(PATH),
  parent_id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: "number of the group that it is in; default: none, it is at the top",
    }),
  ),
  description: words(),
  visibility: visibility(`${SEEN_BY}; no more than the group around it; default: private`),
});
export type NewGroupBody = Static<typeof NewGroupBody>;

export const GroupBody = Type.Object({
  name: Type.Optional(name(TITLE)),
  path: Type.Optional(name(`${PATH}; the old address leads on to the new one`)),
  description: words(),
  visibility: visibility(`${SEEN_BY}; no more than the group around it, no less than what is in it`),
});
export type GroupBody = Static<typeof GroupBody>;

/** The parameters of `DELETE /projects/:id` and `DELETE /groups/:id`, in the query or the body, as clients send them. */
export const Removal = Type.Optional(
  Type.Object({
    permanently_remove: Type.Optional(
      Type.Union([Type.Boolean(), Type.Enum(["true", "false"])], {
        description: "what is marked for deletion goes now; needs `full_path`",
      }),
    ),
    full_path: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: "the whole path of what goes, to be sure; with `permanently_remove`",
      }),
    ),
  }),
);
export type Removal = Static<typeof Removal>;

/** In the body or the query, as clients of the GitLab v4 API send it. */
export const GroupMove = Type.Optional(
  Type.Object({
    group_id: Type.Optional(
      Type.Union([reference(), Type.Null()], { description: "into which group; without it, to the top" }),
    ),
  }),
);
export type GroupMove = Static<typeof GroupMove>;

/** Required in the body or the query. */
export const ProjectMove = Type.Optional(
  Type.Object({
    namespace: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.String({ maxLength: 2000 })], {
        description: "needed; the number or path of a group, or of one's own namespace",
      }),
    ),
  }),
);
export type ProjectMove = Static<typeof ProjectMove>;

export const GroupsQuery = Type.Object({
  search: search("part of the full path or name, in any case"),
  owned: flag("only those that one owns oneself; false: all"),
  archived: archived(),
  active: active(),
  min_access_level: leastLevel("only those in which one has at least this level oneself"),
  all_available: flag("false: only those in which one has a role; default: all that one sees"),
  top_level_only: flag("only those that are in no other; false: all"),
  visibility: visibility("only those of this visibility"),
  skip_groups: numbers("not these: numbers of groups"),
  order_by: Type.Optional(
    Type.Enum([...GROUP_ORDERS, "similarity"], {
      description: "what they go by; default: the whole path, as which similarity counts",
    }),
  ),
  sort: sort("asc"),
  ...pageParameters,
});
export type GroupsQuery = Static<typeof GroupsQuery>;

export const NamespacesQuery = Type.Object({
  search: search("part of the full path or name, in any case"),
  owned_only: flag("only those that one owns, one's own among them; false: all"),
  top_level_only: flag("only those that are in no other; false: all"),
  ...pageParameters,
});
export type NamespacesQuery = Static<typeof NamespacesQuery>;

export const PlanBody = Type.Object({
  plan: Type.Enum(["premium", "free"], {
    description: "what the alerts of all projects in it can do; set at the top alone",
  }),
});
export type PlanBody = Static<typeof PlanBody>;

export const MembersQuery = Type.Object({
  query: search("part of the username or name, in any case"),
  user_ids: numbers("only these: numbers of users"),
  skip_users: numbers("not these: numbers of users"),
  state: Type.Optional(
    Type.Enum(["active", "awaiting"], { description: "only members in this state: all are active" }),
  ),
  ...pageParameters,
});
export type MembersQuery = Static<typeof MembersQuery>;

const expiry = () =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
      description: "a day, YYYY-MM-DD, at whose beginning (UTC) it ends, or an ISO 8601 timestamp",
    }),
  );

export const NewMemberBody = Type.Object({
  user_id: Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 1 }),
        // Each id takes a statement.
        Type.String({ pattern: "^\\d{1,15}(,\\d{1,15}){0,99}$" }),
      ],
      { description: "an id, or up to 100 separated by commas" },
    ),
  ),
  username: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        "in place of `user_id`, one of which is needed: a username, or several separated by commas",
    }),
  ),
  access_level: level(),
  expires_at: expiry(),
});
export type NewMemberBody = Static<typeof NewMemberBody>;

export const MemberBody = Type.Object({ access_level: level(), expires_at: expiry() });
export type MemberBody = Static<typeof MemberBody>;

const externalUrl = () =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 2000 }), Type.Null()], {
      description: "http or https address where it runs, at most 255 characters; empty or null: none",
    }),
  );
const environmentName = () => name("by which alerts name it: letters, digits, spaces and - _ / $ { } . ( )");

export const NewEnvironmentBody = Type.Object({ name: environmentName(), external_url: externalUrl() });
export type NewEnvironmentBody = Static<typeof NewEnvironmentBody>;

export const EnvironmentBody = Type.Object({
  name: Type.Optional(environmentName()),
  external_url: externalUrl(),
});
export type EnvironmentBody = Static<typeof EnvironmentBody>;

export const EnvironmentsQuery = Type.Object({
  name: search("the whole of its name"),
  search: search("part of the name, in any case"),
  states: Type.Optional(Type.Enum([...ENVIRONMENT_STATES], { description: "only those in this state" })),
  ...pageParameters,
});
export type EnvironmentsQuery = Static<typeof EnvironmentsQuery>;

/** The scopes of `GET /search`. */
const SEARCH_SCOPES = ["projects", "users"] as const;

export const SearchQuery = Type.Object({
  scope: Type.Enum([...SEARCH_SCOPES], {
    description: "what is searched",
    badValue: `does not have a valid value: ${SEARCH_SCOPES.join(" and ")} can be searched`,
  }),
  search: Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      "in any case: of projects a part of the full path or name; of users a part of the username or name, or a whole mail address",
  }),
  order_by: Type.Optional(
    Type.Enum(["created_at"], { description: "what they go by; there is nothing else" }),
  ),
  sort: sort("desc"),
  ...pageParameters,
});
export type SearchQuery = Static<typeof SearchQuery>;
