/** What may be asked of projects, groups, members and environments. */
import Type, { type Static } from "typebox";
import { pageParameters } from "../platform/pagination.ts";
import { ENVIRONMENT_STATES } from "./environment.ts";
import { MOST_DAYS, VISIBILITIES } from "./project.ts";
import { ACCESS_LEVELS } from "./role.ts";

const name = () => Type.String({ minLength: 1, maxLength: 255 });
const visibility = () => Type.Optional(Type.Enum([...VISIBILITIES]));
const words = () => Type.Optional(Type.String({ maxLength: 2000 }));
const search = () => Type.Optional(Type.String({ maxLength: 255 }));
const level = () => Type.Enum([...ACCESS_LEVELS]);
/** An id or a path. */
const reference = () => Type.Union([Type.Integer({ minimum: 1 }), Type.String()]);

export const NewProjectBody = Type.Object({
  name: Type.Optional(name()),
  path: Type.Optional(name()),
  namespace_id: Type.Optional(Type.Union([reference(), Type.Null()])),
  description: Type.Optional(Type.Union([Type.String({ maxLength: 2000 }), Type.Null()])),
  visibility: visibility(),
  default_branch: Type.Optional(name()),
});
export type NewProjectBody = Static<typeof NewProjectBody>;

export const ProjectBody = Type.Object({
  name: Type.Optional(name()),
  path: Type.Optional(name()),
  description: words(),
  visibility: visibility(),
  default_branch: Type.Optional(name()),
  event_retention_days: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: MOST_DAYS }), Type.Null()]),
  ),
});
export type ProjectBody = Static<typeof ProjectBody>;

export const ProjectsQuery = Type.Object({
  search: search(),
  membership: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  visibility: visibility(),
  min_access_level: Type.Optional(Type.Integer({ minimum: 0, maximum: 50 })),
  ...pageParameters,
});
export type ProjectsQuery = Static<typeof ProjectsQuery>;

export const GroupProjectsQuery = Type.Object({
  ...ProjectsQuery.properties,
  include_subgroups: Type.Optional(Type.Boolean()),
});
export type GroupProjectsQuery = Static<typeof GroupProjectsQuery>;

export const NewGroupBody = Type.Object({
  name: name(),
  path: name(),
  parent_id: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  description: words(),
  visibility: visibility(),
});
export type NewGroupBody = Static<typeof NewGroupBody>;

export const GroupBody = Type.Object({
  name: Type.Optional(name()),
  path: Type.Optional(name()),
  description: words(),
  visibility: visibility(),
});
export type GroupBody = Static<typeof GroupBody>;

/** What `DELETE /projects/:id` and `DELETE /groups/:id` are asked with, in the query or the body as clients send it. */
export const Removal = Type.Optional(
  Type.Object({
    permanently_remove: Type.Optional(
      Type.Union([Type.Boolean(), Type.Enum(["true", "false"])], {
        description: "what is marked for deletion goes now; needs `full_path`",
      }),
    ),
    full_path: Type.Optional(Type.String({ maxLength: 2000 })),
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

/** Needed in one of the two. */
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
  search: search(),
  owned: Type.Optional(Type.Boolean()),
  archived: Type.Optional(Type.Boolean()),
  min_access_level: Type.Optional(Type.Integer({ minimum: 0, maximum: 50 })),
  ...pageParameters,
});
export type GroupsQuery = Static<typeof GroupsQuery>;

export const PlanBody = Type.Object({ plan: Type.Enum(["premium", "free"]) });
export type PlanBody = Static<typeof PlanBody>;

export const MembersQuery = Type.Object({
  query: search(),
  user_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 100 })),
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
        // A statement is asked for each.
        Type.String({ pattern: "^\\d{1,15}(,\\d{1,15}){0,99}$" }),
      ],
      { description: "an id, or up to 100 separated by commas" },
    ),
  ),
  username: Type.Optional(Type.String({ maxLength: 255 })),
  access_level: level(),
  expires_at: expiry(),
});
export type NewMemberBody = Static<typeof NewMemberBody>;

export const MemberBody = Type.Object({ access_level: level(), expires_at: expiry() });
export type MemberBody = Static<typeof MemberBody>;

const externalUrl = () => Type.Optional(Type.Union([Type.String({ maxLength: 2000 }), Type.Null()]));

export const NewEnvironmentBody = Type.Object({ name: name(), external_url: externalUrl() });
export type NewEnvironmentBody = Static<typeof NewEnvironmentBody>;

export const EnvironmentBody = Type.Object({ name: Type.Optional(name()), external_url: externalUrl() });
export type EnvironmentBody = Static<typeof EnvironmentBody>;

export const EnvironmentsQuery = Type.Object({
  name: search(),
  search: search(),
  states: Type.Optional(Type.Enum([...ENVIRONMENT_STATES])),
  ...pageParameters,
});
export type EnvironmentsQuery = Static<typeof EnvironmentsQuery>;
