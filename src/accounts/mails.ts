/** The mails to people about their accounts. */
import { type MailMessage, OUTBOX_SEAL } from "../outbox/message.ts";
import { minuteUtc } from "../platform/minute-utc.ts";
import type { Keys } from "../platform/secret.ts";
import { type AuditAction, auditWords } from "./audit.ts";
import type { Notable } from "./store-audit.ts";
import type { EndingToken } from "./store-tokens.ts";

/** The parts of the platform that a mail with a secret link needs. */
interface Sender {
  /** Origin of every link; never taken from a request's host. */
  config: { publicUrl: string };
  keys: Pick<Keys, "seal">;
}

/** The part of the configuration that every other mail needs. */
type Origin = Sender["config"];

/** The mail address, and the secret link that the mail is about. */
interface LinkTo {
  to: string;
  link: string;
}

/** A link for a new password. */
export function resetMail(
  { config: { publicUrl }, keys }: Sender,
  { to, username, link }: LinkTo & { username: string },
): MailMessage {
  return withLink(keys, {
    purpose: "password_reset",
    to,
    link,
    subject: "Set a new password",
    text: `Somebody asked for a new password for @${username} at ${publicUrl}.

Open this address within an hour to set one:

{{link}}

The link works once, and setting a password ends every session of the account. If this was not you, do nothing: your password stays the same.`,
  });
}

/** A link for the first password of an account that an administrator created. */
export function firstPasswordMail(
  { config: { publicUrl }, keys }: Sender,
  { to, username, link }: LinkTo & { username: string },
): MailMessage {
  return withLink(keys, {
    purpose: "password_reset",
    to,
    link,
    subject: "Set your password",
    text: `An administrator created the account @${username} for you at ${publicUrl}.

Open this address within a day to set your password:

{{link}}

The link works once. If it has expired, request another one at ${publicUrl}/users/password/new.`,
  });
}

/** Invites somebody to the project or group at the path `place`; empty: to none. */
export function invitationMail(
  { config: { publicUrl }, keys }: Sender,
  { to, link, inviter, place }: LinkTo & { inviter: string; place: string },
): MailMessage {
  const where = place === "" ? `Gatehouse at ${publicUrl}` : `${place} on Gatehouse at ${publicUrl}`;
  return withLink(keys, {
    purpose: "invitation",
    to,
    link,
    subject: place === "" ? `${inviter} invites you to Gatehouse` : `${inviter} invites you to ${place}`,
    text: `${inviter} invites you to ${where}.

Open this address within seven days to accept:

{{link}}

The link works once. If you do not know what this is about, do nothing.`,
  });
}

/** The link by which somebody who signs up creates the account. */
export function registrationMail({ config, keys }: Sender, { to, link }: LinkTo): MailMessage {
  return withLink(keys, {
    purpose: "registration",
    to,
    link,
    subject: "Finish signing up",
    text: `Somebody, probably you, asked for an account with this address at ${config.publicUrl}.

Open this address within a day to choose a name and a password:

{{link}}

The link works once. If this was not you, do nothing, and no account is created.`,
  });
}

/** The link that confirms a new mail address; names the account, which may be somebody else's than the reader's. */
export function confirmationMail(
  { config, keys }: Sender,
  { to, username, link }: LinkTo & { username: string },
): MailMessage {
  return withLink(keys, {
    purpose: "email_change",
    to,
    link,
    subject: "Confirm your email address",
    text: `Somebody, probably you, asked to use this address for the account @${username} at ${config.publicUrl}.

Open this address within a day to confirm it:

{{link}}

If @${username} is not your account, do nothing, and nothing changes.`,
  });
}

/** Sent to the previous address; does not name the new one. */
export function emailChangedMail({ publicUrl }: Origin, to: string): MailMessage {
  return {
    channel: "mail",
    to,
    purpose: "security_notice",
    subject: "Your email address was changed",
    text: `This is no longer the address of your account at ${publicUrl}.

If this was you, there is nothing to do. If not, tell an administrator immediately.`,
  };
}

/** For somebody who signs up with the address of an existing account. */
export function alreadyHereMail(
  { publicUrl }: Origin,
  { to, username }: { to: string; username: string },
): MailMessage {
  return {
    channel: "mail",
    to,
    purpose: "registration",
    subject: "You have an account already",
    text: `Somebody, probably you, tried to sign up with this address at ${publicUrl}.

It belongs to the account @${username}. Sign in at ${publicUrl}/users/sign_in, or set a new password at
${publicUrl}/users/password/new. If this was not you, there is nothing to do.`,
  };
}

/** Actions of which the account's owner is notified by mail, with the text of each. */
export const NOTICES = {
  // Only with a new device or from a new network (decision 0193).
  sign_in: "A sign-in with a new device or from a new network",
  password_changed: "Your password was changed",
  username_changed: "Your username was changed",
  password_reset: "A new password was set",
  two_factor_on: "Two-factor sign-in was turned on",
  two_factor_off: "Two-factor sign-in was turned off",
  authenticator_added: "An authenticator app was added",
  authenticator_removed: "The authenticator app was removed",
  passkey_added: "A passkey was added",
  passkey_removed: "A passkey was removed",
  recovery_codes_renewed: "New recovery codes were created",
  token_created: "A personal access token was created",
  token_reuse_detected:
    "A personal access token was rotated twice, and the tokens that followed from it were ended",
  token_leaked: "A secret of yours was leaked and has been revoked",
  secret_leaked: "A secret that you manage was leaked and is still valid",
  deletion_mails_off: "Mails about projects and groups that are marked for deletion were turned off",
  admin_granted: "You are now an administrator",
  reuse_detected: "A code or refresh token of an application was used twice, and its access was revoked",
} as const satisfies Partial<Record<AuditAction, string>>;

/** Notifies a person of an action on their account. */
export function noticeMail({ publicUrl }: Origin, notice: Notable): MailMessage {
  const { id, at, action, actor, username, email, ip, device, leak } = notice;
  const what = NOTICES[action as keyof typeof NOTICES] ?? auditWords(action);
  const by = actor === "" ? "" : `\nBy: @${actor}`;
  const withWhat = device === "" ? "" : `\nDevice: ${device}`;
  const from =
    ip === ""
      ? ""
      : `\n${leak.what === undefined ? "From" : "Reported from"}: ${ip === "console" ? "the console of the service" : ip}`;
  return {
    channel: "mail",
    to: email,
    purpose: "security_notice",
    dedupeKey: `${id} ${email.toLowerCase()}`,
    subject: `${what}: @${username}`,
    text: `${what}.

Account: @${username} at ${publicUrl}
When: ${minuteUtc(at)}${by}${withWhat}${leakLines(leak)}${from}

${ADVICE[action]?.(publicUrl) ?? advice(publicUrl)}`,
  };
}

/** Names the secret and where it was found; the address was written by the reporter, who had the secret. */
function leakLines(leak: Notable["leak"]): string {
  const { what, name, application, project, sha256, found_at } = leak;
  if (what === undefined) return "";
  const of = [name, application, project].filter((one) => one !== undefined).join(", ");
  const where = found_at === undefined ? "" : `\nFound at: ${found_at}`;
  return `\nSecret: ${what}${of === "" ? "" : ` (${of})`}\nIts SHA-256 begins: ${sha256}${where}`;
}

/** Advice for actions with a text other than `advice`. */
const ADVICE: Readonly<Record<string, (publicUrl: string) => string>> = {
  reuse_detected: reuseAdvice,
  token_leaked: (
    publicUrl,
  ) => `Somebody found it where others can read it. It no longer works: programs that used it need a new one. Check the place
where it was found, remove the secret there, and check ${publicUrl}/profile/security_log for activity that you do
not recognize.`,
  secret_leaked:
    () => `Somebody found it where others can read it. It still works, so that nothing sent with it is lost: create a new one,
replace the old one with it, and revoke the old one. Check the place where it was found.`,
};

function advice(publicUrl: string): string {
  return `If this was you, there is nothing to do. If not, set a new password at ${publicUrl}/users/password/new, check
${publicUrl}/profile/security_log, and tell an administrator.`;
}

function reuseAdvice(publicUrl: string): string {
  return `The application may have lost a response, or somebody else may have a copy. It will ask for your consent again. See
which applications may act for you at ${publicUrl}/profile/applications, and what happened at ${publicUrl}/profile/security_log.`;
}

/** A personal access token expires within a week, or has expired; the mail names it but does not contain it. */
export function tokenEndMail({ publicUrl }: Origin, token: EndingToken): MailMessage {
  const { id, name, expiresAt, isOver, username, email } = token;
  const what = isOver ? "has expired" : "expires soon";
  return {
    channel: "mail",
    to: email,
    purpose: "token_end",
    // Not the words of the mail: a change of them would send it again.
    dedupeKey: `${id} ${isOver ? "has ended" : "ends soon"}`,
    subject: `Your personal access token ${what}: ${name}`,
    text: `A personal access token ${what}.

Token: ${name}
Account: @${username} at ${publicUrl}
${isOver ? "Expired" : "Expires"}: ${minuteUtc(expiresAt)}

${isOver ? "Programs that used it are refused now." : "Programs that use it are refused from then on."} Create a new one at
${publicUrl}/profile/personal_access_tokens and replace it there. If nothing needs it, there is nothing to do.`,
  };
}

/** A mail with a secret link, which is encrypted in the outbox. */
function withLink(
  keys: Sender["keys"],
  { purpose, to, link, subject, text }: LinkTo & { purpose: string; subject: string; text: string },
): MailMessage {
  const words = keys.seal(JSON.stringify({ link }), OUTBOX_SEAL);
  return { channel: "mail", to, purpose, subject, text, words };
}
