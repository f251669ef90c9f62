/** The audit log: its actions, their texts on pages, and the hash chain of its entries. */
import { createHash } from "node:crypto";
import type { Queries } from "../platform/db.ts";
import { bytes, instant, integer, jsonb, nullable, type RowOf, row, text } from "../platform/row.ts";

/** All recorded actions, with their texts. */
export const AUDIT_ACTIONS = {
  sign_in: "Signed in",
  sign_out: "Signed out",
  password_refused: "Password refused",
  code_refused: "Two-factor code refused",
  passkey_refused: "Passkey refused",
  session_ended: "Ended a session",
  password_changed: "Changed the password",
  password_link_created: "Created a link for a new password",
  password_reset: "Set a new password",
  two_factor_on: "Turned two-factor sign-in on",
  two_factor_off: "Turned two-factor sign-in off",
  authenticator_added: "Added an authenticator app",
  authenticator_removed: "Removed the authenticator app",
  passkey_added: "Added a passkey",
  passkey_removed: "Removed a passkey",
  recovery_codes_renewed: "Created new recovery codes",
  token_created: "Created a personal access token",
  token_rotated: "Rotated a personal access token",
  token_revoked: "Revoked a personal access token",
  token_reuse_detected: "A personal access token was rotated twice; what followed from it ended",
  token_leaked: "Ended a secret that was reported as leaked",
  secret_leaked: "A secret that still counts was reported as leaked",
  email_changed: "Changed the email address",
  invitation_sent: "Sent an invitation",
  invitation_withdrawn: "Withdrew an invitation",
  invitation_accepted: "Accepted an invitation",
  user_created: "Created a user",
  user_changed: "Changed a profile",
  user_blocked: "Blocked a user",
  user_unblocked: "Unblocked a user",
  user_deleted: "Deleted a user",
  user_erased: "Erased a user",
  admin_granted: "Made somebody an administrator",
  admin_withdrawn: "Took the administrator’s role",
  application_created: "Registered an application",
  application_changed: "Changed an application",
  application_deleted: "Deleted an application",
  secret_renewed: "Renewed a client secret",
  keys_changed: "Changed the public keys of an application",
  access_granted: "Allowed an application",
  access_denied: "Denied an application",
  access_withdrawn: "Took access from an application",
  reuse_detected: "A code or refresh token was used twice; access ended",
  identity_claimed: "Claimed an outside identity",
  identity_granted: "Approved a claim of an outside identity",
  identity_refused: "Refused a claim of an outside identity",
  identity_taken_back: "Took an outside identity back",
  event_retention_changed: "Changed for how long a project keeps events",
  group_changed: "Changed a group",
  group_moved: "Moved a group",
  group_archived: "Archived a group",
  group_unarchived: "Unarchived a group",
  owner_kept: "Kept the last owner of a group, whose role would have ended",
  group_deletion_marked: "Marked a group for deletion",
  group_deletion_hastened: "Let a marked group go at once",
  group_restored: "Restored a group",
  group_removed: "Removed a group for good",
  project_changed: "Changed a project",
  project_moved: "Moved a project",
  project_archived: "Archived a project",
  project_unarchived: "Unarchived a project",
  project_deletion_marked: "Marked a project for deletion",
  project_deletion_hastened: "Let a marked project go at once",
  project_restored: "Restored a project",
  project_removed: "Removed a project for good",
  username_changed: "Changed the username",
  deletion_mails_off: "Turned mails about deletions off",
  deletion_mails_on: "Turned mails about deletions on",
  alert_settings_changed: "Changed what alerts do in a project",
  integration_created: "Created an alert integration",
  integration_changed: "Changed an alert integration",
  integration_key_renewed: "Gave an alert integration a new key",
  integration_removed: "Removed an alert integration",
  reading_rules_changed: "Changed how alerts of an integration are read",
  alert_channel_created: "Created a notification channel",
  alert_channel_changed: "Changed a notification channel",
  alert_channel_removed: "Removed a notification channel",
  heartbeat_created: "Created a heartbeat",
  heartbeat_changed: "Changed a heartbeat",
  heartbeat_key_renewed: "Gave a heartbeat a new key",
  heartbeat_removed: "Removed a heartbeat",
  silence_created: "Created a silence",
  silence_changed: "Changed a silence",
  silence_ended: "Ended a silence",
  incident_template_created: "Created an incident template",
  incident_template_changed: "Changed an incident template",
  incident_template_removed: "Removed an incident template",
  settings_changed: "Changed the settings of the instance",
  master_key_renewed: "Renewed the master key",
  master_key_dropped: "Dropped the master keys of before",
  master_key_accepted: "Accepted another master key in the place of a lost one",
} as const;
export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** Who acts, and from where. */
export interface Act {
  /** Null: nobody who is signed in, or the operator at the console. */
  actorId: number | null;
  /** A network address, `console`, or `service` for what the service does by itself. */
  ip: string;
  /** The session or token of the request, which must still be valid when `holdActor` is called; undefined: nothing that can end. */
  by?: ActedBy | undefined;
  /** Locks what else the act relies on, such as a role in a place, and checks it again; called by `holdActor`. */
  right?: ((tx: Queries) => Promise<void>) | undefined;
}

/**
 * The digest of a browser session, or the id of an API token; with `asAdministrator` for what only administrators may do. The
 * withdrawal of that role ends sessions, but not tokens.
 */
export type ActedBy = { session: Buffer } | { tokenId: number; asAdministrator: boolean };

/** An act from the command line. */
export const FROM_CONSOLE: Act = { actorId: null, ip: "console" };

/** An act of the service itself, such as a scheduled one. */
export const FROM_SERVICE: Act = { actorId: null, ip: "service" };

/** A new entry; never contains a secret, nor text from a stranger, except where a leaked secret was found (decision 0208). */
export interface AuditNote extends Act {
  action: AuditAction;
  /** The affected user; null: no known user. */
  userId: number | null;
  details?: Readonly<Record<string, string | number>>;
}

/** An entry as readers see it. */
export const AuditEntryRow = row({
  id: integer,
  at: instant,
  action: text,
  actorId: nullable(integer),
  actor: text,
  userId: nullable(integer),
  person: text,
  ip: text,
  details: jsonb<Readonly<Record<string, string | number>>>(),
});
export type AuditEntry = RowOf<typeof AuditEntryRow>;

/** A link of the hash chain: the text that was hashed, rebuilt from the columns, and the stored hash. */
export const ChainLinkRow = row({ id: integer, canonical: text, hash: bytes });
export type ChainLink = RowOf<typeof ChainLinkRow>;

/** Returns the hash of an entry: SHA-256 of the previous hash (nothing for the first) and its text (decision 0045). */
export function chainHash(previous: Buffer, canonical: string): Buffer {
  return createHash("sha256").update(previous).update(canonical).digest();
}

/** Returns the text of an action; one of a newer version stays as it is. */
export function auditWords(action: string): string {
  return (AUDIT_ACTIONS as Readonly<Record<string, string>>)[action] ?? action;
}

/** The actor of entries without a person, by what the entry has instead of a network address. */
const NOT_PEOPLE: Readonly<Record<string, string>> = { console: "Console", service: "The service" };

/** Returns the username of the actor at that time, or what acted without one. */
export function actorWords({ actor, ip }: Pick<AuditEntry, "actor" | "ip">): string {
  return actor || (NOT_PEOPLE[ip] ?? "Not signed in");
}
