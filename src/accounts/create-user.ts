/** Creates a user, active and confirmed at once (contract §4, new users). */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { accountRefusal } from "./account-refusal.ts";
import type { Act } from "./audit.ts";
import { holdActor } from "./hold-actor.ts";
import { type PreparedUser, prepareUser, type UserFields } from "./prepare-user.ts";
import { recordAudit } from "./record-audit.ts";
import { insertUser } from "./store.ts";
import { updateAbout, updateNote } from "./store-profiles.ts";

/**
 * Returns the new user's id. Without an act, as for the demo, nothing is recorded in the audit log.
 * @throws FieldProblem invalid: an invalid field; conflict: a username, path or mail address that is taken
 */
export async function createUser(
  platform: Platform,
  fields: UserFields | PreparedUser,
  tx?: Queries,
  act?: Act,
): Promise<number> {
  const person = "passwordHash" in fields ? fields : await prepareUser(fields);
  try {
    const write = (inside: Queries) => insertRecorded(inside, person, act);
    return await (tx ? write(tx) : platform.db.transaction(write));
  } catch (error) {
    throw accountRefusal(error) ?? error;
  }
}

async function insertRecorded(tx: Queries, prepared: PreparedUser, act: Act | undefined): Promise<number> {
  const { isAdmin = false, privateProfile = false, about = {}, note = "", ...rest } = prepared;
  if (act) await holdActor(tx, act);
  const userId = await insertUser(tx, { ...rest, isAdmin, privateProfile, isPlaceholder: false });
  if (Object.keys(about).length > 0) await updateAbout(tx, userId, about);
  if (note !== "") await updateNote(tx, userId, note);
  const details = { administrator: isAdmin ? "yes" : "no" };
  if (act) await recordAudit(tx, { ...act, action: "user_created", userId, details });
  return userId;
}
