/** Restores a project or group that is marked for deletion (decision 0152). */
import type { Act } from "../accounts/audit.ts";
import { holdPeople } from "../accounts/hold-people.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { ownedPlace } from "./access.ts";
import type { Asker } from "./asker.ts";
import type { PlaceReference } from "./lifecycle.ts";
import { lockPlaces } from "./store-moves.ts";
import { updateRestored } from "./store-removal.ts";

/**
 * For owners, until its removal begins. Returns the id.
 * @throws Problem not_found, also once the removal has begun; forbidden: not theirs; invalid: it is not marked by itself
 */
export function restorePlace(
  db: Db,
  owner: Asker,
  act: Act,
  { kind, reference }: PlaceReference,
): Promise<number> {
  return db.transaction(async (tx) => {
    const held = await holdPeople(tx, owner, []);
    await lockPlaces(tx);
    const { id, fullPath } = await ownedPlace(tx, held, { kind, reference });
    if ((await updateRestored(tx, kind, id)) === 0) {
      const what = kind === "project" ? "Project" : "Group";
      throw new Problem("invalid", `${what} has not been marked for deletion`);
    }
    const details = { [kind]: fullPath };
    await recordAudit(tx, { ...act, action: `${kind}_restored`, userId: null, details });
    return id;
  });
}
