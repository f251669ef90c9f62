/** A member: a user with a role in a project or group, directly or inherited. */
import { USER_STATES, type User } from "../accounts/user.ts";
import { instant, integer, jsonb, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";

/** The person who added a member, as far as it is known. */
type Creator = { id: number; username: string; name: string; state: User["state"] };

export const MemberRow = row({
  userId: integer,
  username: text,
  name: text,
  state: oneOf(USER_STATES),
  accessLevel: integer,
  expiresAt: nullable(instant),
  createdAt: instant,
  creator: nullable(jsonb<Creator>()),
});
export type Member = RowOf<typeof MemberRow>;

/** How the GitLab v4 API calls the places of memberships. */
export const SOURCE_TYPES = ["Project", "Namespace"] as const;

/** What a user was added to, and the level there. */
export const MembershipRow = row({
  sourceId: integer,
  sourceName: text,
  sourceType: oneOf(SOURCE_TYPES),
  accessLevel: integer,
});
export type Membership = RowOf<typeof MembershipRow>;

/** What members belong to: a project or a group. */
export type MemberSource =
  | { projectId: number; namespaceId?: never }
  | { namespaceId: number; projectId?: never };

/** A place with members, and the level of the asker there. */
export interface MemberPlace {
  source: MemberSource;
  access: number;
}
