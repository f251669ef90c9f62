/** An invitation: a mail address that somebody may make an account with, and where that account will be a member. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { emailFault } from "./user.ts";

/** How long a link lives. */
export const INVITATION_SECONDS = 7 * 24 * 3600;
/** How many one person may send in a day. */
export const INVITATIONS_A_DAY = 100;

export const InvitationRow = row({
  id: integer,
  email: text,
  /** Null: they asked for an account themselves. */
  invitedBy: nullable(integer),
  inviterName: nullable(text),
  projectId: nullable(integer),
  namespaceId: nullable(integer),
  accessLevel: nullable(integer),
  memberUntil: nullable(instant),
  place: text,
  createdAt: instant,
  sentAt: instant,
  expiresAt: instant,
});
export type Invitation = RowOf<typeof InvitationRow>;

/** A project or group, and what somebody will be there. */
export interface InvitedPlace {
  source: { projectId: number; namespaceId?: never } | { namespaceId: number; projectId?: never };
  accessLevel: number;
  memberUntil: Date | null;
  /** Its full path. */
  path: string;
}

/** Makes the person a member of the place of the invitation; the room of projects knows how. */
export type Join = (tx: Queries, invitation: Invitation, userId: number) => Promise<void>;

/** Where the link leads; its origin is the configured one. */
export function invitationAddress(publicUrl: string, secret: string): string {
  return `${publicUrl}/users/invitations/${secret}`;
}

/** What is wrong with an address to sign up with, or undefined; no domains: all are fine. */
export function registrationFault(email: string, domains: readonly string[]): string | undefined {
  const fault = emailFault(email);
  if (fault || domains.length === 0) return fault;
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domains.includes(domain) ? undefined : `must end in ${domains.map((one) => `@${one}`).join(" or ")}`;
}
