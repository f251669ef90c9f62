/** Changes an account on behalf of an administrator, atomically (GitLab v4 API, `PUT /users/:id`). */
import { enqueue } from "../outbox/enqueue.ts";
import { mailIsOn } from "../outbox/send-mail.ts";
import { changedFields } from "../platform/changed-fields.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { checkFaults, Problem } from "../platform/problem.ts";
import { ABOUT_FIELDS, ABOUT_NAMES, type About, aboutChange, aboutFaults, noteFault } from "./about.ts";
import { accountRefusal } from "./account-refusal.ts";
import type { Act, AuditNote } from "./audit.ts";
import { holdActorOver } from "./hold-actor.ts";
import { emailChangedMail } from "./mails.ts";
import { nameFault } from "./name.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { updateUsername } from "./store-namespaces.ts";
import { updateAbout, updateEmail, updateNote, updateProfile } from "./store-profiles.ts";
import { updateAdministrator, updatePassword } from "./store-users.ts";
import { checkHoldsKeys, emailFault, topLevelPathFault, type User } from "./user.ts";

/** The changes; fields that are absent or equal stay. */
export interface UserEdit {
  username?: string | undefined;
  name?: string | undefined;
  /** Takes effect at once, as in a new account: the administrator's word confirms it. */
  email?: string | undefined;
  password?: string | undefined;
  isAdmin?: boolean | undefined;
  privateProfile?: boolean | undefined;
  /** The mail address of the account, or empty to show none. */
  publicEmail?: string | undefined;
  /** Empty fields are cleared. */
  about?: About | undefined;
  /** Visible to administrators only; empty: none. */
  note?: string | undefined;
}

/**
 * The old username stays reserved for the person (decision 0122), and they are notified by mail of the same changes as on the
 * pages.
 * @throws FieldProblem invalid: an invalid field; conflict: taken; Problem forbidden: one's own role or password; unprocessable:
 * an account that cannot have keys, or cannot be changed (decision 0139); conflict: the last administrator
 */
export async function changeUser(platform: Platform, user: User, edit: UserEdit, act: Act): Promise<void> {
  const change = changeOf(user, edit);
  checkPossible(user, change, act);
  checkFields(change, user);
  const { password } = change;
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  try {
    await platform.db.transaction((tx) => write(platform, tx, user, { ...change, passwordHash }, act));
  } catch (error) {
    throw accountRefusal(error) ?? error;
  }
}

/** Leaves out what is equal already; an unconfirmed mail address is confirmed by setting it again. */
function changeOf(user: User, { about, ...edit }: UserEdit): UserEdit {
  const now = { ...user, note: user.note ?? "", ...(user.confirmedAt ? {} : { email: undefined }) };
  const change = aboutChange(about ?? {}, user.about);
  return { ...changedFields(edit, now), ...(Object.keys(change).length > 0 ? { about: change } : {}) };
}

function checkPossible(user: User, { password, email, isAdmin }: UserEdit, act: Act): void {
  if (user.isPlaceholder && user.bot !== "application") {
    throw new Problem("unprocessable", "This user is a placeholder: it cannot be changed.");
  }
  if (password !== undefined || email !== undefined || isAdmin !== undefined) checkHoldsKeys(user);
  if (user.id !== act.actorId) return;
  if (isAdmin !== undefined)
    throw new Problem("forbidden", "403 Forbidden - You cannot change your own role.");
  if (password !== undefined) {
    throw new Problem(
      "forbidden",
      "403 Forbidden - Change your own password on its page: it asks for the old one.",
    );
  }
}

function checkFields(change: UserEdit, user: User): void {
  const { username, name, email, password, publicEmail, about = {}, note = "" } = change;
  const shown = publicEmail?.toLowerCase() ?? "";
  checkFaults({
    username: username === undefined ? undefined : topLevelPathFault(username),
    name: name === undefined ? undefined : nameFault(name),
    email: email === undefined ? undefined : emailFault(email),
    password: password === undefined ? undefined : passwordFault(password),
    public_email:
      shown === "" || shown === (email ?? user.email).toLowerCase()
        ? undefined
        : "is not the address of this account",
    note: noteFault(note),
    ...aboutFaults(about),
  });
}

async function write(
  { config }: Platform,
  tx: Queries,
  { id }: User,
  change: UserEdit & { passwordHash: string | undefined },
  act: Act,
): Promise<void> {
  const {
    username,
    name,
    email,
    isAdmin,
    privateProfile,
    publicEmail,
    about = {},
    note,
    passwordHash,
  } = change;
  await holdActorOver(tx, act, id, { endsAdministrator: isAdmin === false });
  const notes: Pick<AuditNote, "action" | "details">[] = [];
  if (username !== undefined) {
    const from = orNotFound(await updateUsername(tx, id, username));
    notes.push({ action: "username_changed", details: { from, to: username } });
  }
  const words = { name, private_profile: privateProfile, public_email: publicEmail, note };
  const fields = [
    ...Object.keys(words).filter((field) => words[field as keyof typeof words] !== undefined),
    ...ABOUT_NAMES.filter((field) => about[field] !== undefined).map((field) => ABOUT_FIELDS[field].wire),
  ];
  if (fields.length > 0) {
    const showsEmail = publicEmail === undefined ? undefined : publicEmail !== "";
    await updateProfile(tx, id, { name, privateProfile, showsEmail });
    if (Object.keys(about).length > 0) await updateAbout(tx, id, about);
    if (note !== undefined) await updateNote(tx, id, note);
    notes.push({ action: "user_changed", details: { changed: fields.join(", ") } });
  }
  if (isAdmin !== undefined) {
    if ((await updateAdministrator(tx, id, isAdmin)) === 0) {
      throw new Problem("conflict", "There must be another administrator who can sign in.");
    }
    notes.push({ action: isAdmin ? "admin_granted" : "admin_withdrawn" });
  }
  if (passwordHash !== undefined) {
    await updatePassword(tx, id, passwordHash);
    notes.push({ action: "password_reset" });
  }
  if (email !== undefined) {
    const was = orNotFound(await updateEmail(tx, id, email, true));
    if (mailIsOn(config)) await enqueue(tx, [emailChangedMail(config, was)]);
    notes.push({ action: "email_changed" });
  }
  // Last, since each entry waits for the lock on the entries before it.
  for (const note of notes) await recordAudit(tx, { ...act, ...note, userId: id });
}

/** @throws Problem not_found: the account was removed since it was looked up */
function orNotFound(was: string | undefined): string {
  if (was === undefined) throw new Problem("not_found", "404 User Not Found");
  return was;
}
