/** Makes a user, active and confirmed at once (contract §4, new users). */

import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import { hashPassword, passwordFault } from "./password.ts";
import { insertUser } from "./store.ts";
import { emailFault, nameFault, topLevelPathFault } from "./user.ts";

export interface UserFields {
  username: string;
  name: string;
  email: string;
  password: string;
  isAdmin?: boolean;
  privateProfile?: boolean;
}

/**
 * Returns the new user's id.
 * @throws FieldProblem invalid: what a field may not be; conflict: a username, path or mail address that is taken
 */
export async function createUser(
  platform: Platform,
  fields: UserFields,
  tx: Queries = platform.db,
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
    return await insertUser(tx, {
      username: fields.username,
      name: fields.name,
      email: fields.email,
      passwordHash,
      isAdmin: fields.isAdmin ?? false,
      isPlaceholder: false,
      privateProfile: fields.privateProfile ?? false,
    });
  } catch (error) {
    const taken = TAKEN[violatedConstraint(error) ?? ""];
    if (!taken) throw error;
    throw new FieldProblem({ [taken]: ["has already been taken"] }, "conflict");
  }
}

const TAKEN: Readonly<Record<string, string>> = {
  users_username_key: "username",
  users_email_key: "email",
  namespaces_full_path_key: "username",
};
