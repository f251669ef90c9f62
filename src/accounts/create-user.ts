/** Makes a user, active and confirmed at once (contract §4, new users). */

import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Act } from "./audit.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { recordAudit } from "./record-audit.ts";
import { insertUser } from "./store.ts";
import { emailFault, nameFault, topLevelPathFault } from "./user.ts";

export interface UserFields {
  username: string;
  name: string;
  email: string;
  password: string;
  isAdmin?: boolean;
  privateProfile?: boolean;
  /** False: nobody knows whether the mail address is theirs (decision 0149). */
  isConfirmed?: boolean;
}

/**
 * Returns the new user's id. Without an act, as at the first start and for the demo, nothing stands in the audit log.
 * @throws FieldProblem invalid: what a field may not be; conflict: a username, path or mail address that is taken
 */
export async function createUser(
  platform: Platform,
  fields: UserFields,
  tx?: Queries,
  act?: Act,
): Promise<number> {
  const faults = {
    username: topLevelPathFault(fields.username),
    name: nameFault(fields.name),
    email: emailFault(fields.email),
    password: passwordFault(fields.password),
  };
  const wrong = Object.entries(faults).filter(([, fault]) => fault !== undefined);
  if (wrong.length > 0) {
    throw new FieldProblem(Object.fromEntries(wrong.map(([field, fault]) => [field, [fault as string]])));
  }
  const passwordHash = await hashPassword(fields.password);
  try {
    const write = (inside: Queries) => insertRecorded(inside, fields, passwordHash, act);
    return await (tx ? write(tx) : platform.db.transaction(write));
  } catch (error) {
    const taken = TAKEN[violatedConstraint(error) ?? ""];
    if (!taken) throw error;
    throw new FieldProblem({ [taken]: ["has already been taken"] }, "conflict");
  }
}

async function insertRecorded(
  tx: Queries,
  fields: UserFields,
  passwordHash: string,
  act: Act | undefined,
): Promise<number> {
  const { username, name, email, isAdmin = false, privateProfile = false, isConfirmed } = fields;
  const person = { username, name, email, passwordHash, isAdmin, privateProfile, isConfirmed };
  const userId = await insertUser(tx, { ...person, isPlaceholder: false });
  const details = { administrator: isAdmin ? "yes" : "no" };
  if (act) await recordAudit(tx, { ...act, action: "user_created", userId, details });
  return userId;
}

const TAKEN: Readonly<Record<string, string>> = {
  users_username_key: "username",
  users_email_key: "email",
  namespaces_full_path_key: "username",
};
