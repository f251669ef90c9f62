/** Renames a passkey. */
import type { Db } from "../platform/db.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { passkeyNameFault } from "./passkey.ts";
import { updatePasskeyName } from "./store-passkeys.ts";

/** @throws FieldProblem: the name; Problem not_found: this person has no such passkey */
export async function renamePasskey(db: Db, userId: number, passkeyId: number, name: string): Promise<void> {
  const fault = passkeyNameFault(name);
  if (fault) throw new FieldProblem({ name: [fault] });
  if ((await updatePasskeyName(db, userId, passkeyId, name)) === 0)
    throw new Problem("not_found", "404 Not Found");
}
