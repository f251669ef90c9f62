/** Invitations on the API, in GitLab's shape. */
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import type { Invitation } from "./invitation.ts";

export const InvitationBody = Type.Object({
  email: Type.String({ minLength: 3, maxLength: 254, description: "mail address to invite" }),
});
export type InvitationBody = Static<typeof InvitationBody>;

export const InvitationParameters = Type.Object({
  id: Type.String({ description: "number of the invitation" }),
});

export const InvitationsQuery = Type.Object({ ...pageParameters });
export type InvitationsQuery = Static<typeof InvitationsQuery>;

/** `link` is set only if mail is off, and only in the response to the sender. */
export function invitationRecord(invitation: Invitation, link?: string | undefined) {
  return {
    id: invitation.id,
    invite_email: invitation.email,
    created_by_name: invitation.inviterName,
    created_at: invitation.createdAt,
    sent_at: invitation.sentAt,
    link_expires_at: invitation.expiresAt,
    project_id: invitation.projectId,
    group_id: invitation.namespaceId,
    access_level: invitation.accessLevel,
    expires_at: invitation.memberUntil,
    ...(link === undefined ? {} : { link }),
  };
}
