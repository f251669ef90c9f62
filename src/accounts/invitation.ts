/** An invitation: a mail address for which an account may be created, and the place that it will be a member of. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { emailFault } from "./user.ts";

/** Lifetime of a link. */
export const INVITATION_SECONDS = 7 * 24 * 3600;
/** How many a person may send in a day. */
export const INVITATIONS_A_DAY = 100;

export const InvitationRow = row({
  id: integer,
  email: text,
  /** Null: the person asked for an account themselves. */
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

/** A project or group, and the role of the invited person in it. */
export interface InvitedPlace {
  source: { projectId: number; namespaceId?: never } | { namespaceId: number; projectId?: never };
  accessLevel: number;
  memberUntil: Date | null;
  /** Its full path. */
  path: string;
}

/** What somebody is in the place of an invitation: a member of it, with a role from a group around it only, or nothing. */
export type Joined = "member" | "inside" | "outside";

/** Adds the person to the place of the invitation, unless the membership would be over; provided by the room of projects. */
export type Join = (tx: Queries, invitation: Invitation, userId: number) => Promise<Joined>;

/** Returns the address of the link, at the configured origin. */
export function invitationAddress(publicUrl: string, secret: string): string {
  return `${publicUrl}/users/invitations/${secret}`;
}

/** Returns what is wrong with a mail address for signing up, or undefined; an empty list of domains allows all. */
export function registrationFault(email: string, domains: readonly string[]): string | undefined {
  const fault = emailFault(email);
  if (fault || domains.length === 0) return fault;
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domains.includes(domain) ? undefined : `must end in ${domains.map((one) => `@${one}`).join(" or ")}`;
}
