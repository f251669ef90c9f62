/** Bodies and records of invitations to projects and groups (shapes of GitLab's API). */
import type { Invitation } from "../accounts/invitation.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { MemberBody, userIds } from "./wire-queries.ts";

export const NewInvitationBody = Type.Object({
  email: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 2000,
      description: "mail address to invite, or up to 20, comma-separated; required unless `user_id` is given",
    }),
  ),
  user_id: userIds("email"),
  ...MemberBody.properties,
});
export type NewInvitationBody = Static<typeof NewInvitationBody>;

export const PlaceInvitationsQuery = Type.Object({
  query: Type.Optional(
    Type.String({ maxLength: 254, description: "only the invitation to exactly this mail address" }),
  ),
  ...pageParameters,
});
export type PlaceInvitationsQuery = Static<typeof PlaceInvitationsQuery>;

/** An invitation in the form of a future member. */
export function placeInvitationRecord(invitation: Invitation) {
  return {
    id: invitation.id,
    invite_email: invitation.email,
    created_at: invitation.createdAt,
    access_level: invitation.accessLevel,
    expires_at: invitation.memberUntil,
    user_name: null,
    created_by_name: invitation.inviterName,
  };
}
