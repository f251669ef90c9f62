/** Changes a username; everything below it moves along, and the old name stays reserved for the person (decision 0122). */
import type { Db } from "../platform/db.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { accountRefusal } from "./account-refusal.ts";
import type { Act } from "./audit.ts";
import { holdActorOver } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { countFormerNames, updateUsername } from "./store-namespaces.ts";
import { topLevelPathFault, type User } from "./user.ts";

/** Prevents people from collecting names; administrators may go on. */
const MAX_FORMER_NAMES = 5;

/**
 * Renames the person.
 * @throws FieldProblem username: invalid, taken (also as another person's former name), or changed too often; Problem not_found:
 * the account was removed meanwhile; as `holdActor`
 */
export async function changeUsername(
  db: Db,
  user: Pick<User, "id" | "username">,
  username: string,
  act: Act,
): Promise<void> {
  const fault = topLevelPathFault(username);
  if (fault) throw new FieldProblem({ username: [fault] });
  if (username === user.username) return;
  try {
    await db.transaction(async (tx) => {
      await holdActorOver(tx, act, user.id, { endsAdministrator: false });
      const was = await updateUsername(tx, user.id, username);
      if (was === undefined) throw new Problem("not_found", "404 User Not Found");
      const isOwn = act.actorId === user.id;
      if (isOwn && (await countFormerNames(tx, user.id)) > MAX_FORMER_NAMES) {
        const words = `was changed ${MAX_FORMER_NAMES} times; an administrator can change it again`;
        throw new FieldProblem({ username: [words] });
      }
      const details = { from: was, to: username };
      await recordAudit(tx, { ...act, action: "username_changed", userId: user.id, details });
    });
  } catch (error) {
    throw accountRefusal(error) ?? error;
  }
}
