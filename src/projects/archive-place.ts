/** Archives or unarchives a project or group (decision 0153). */
import type { Act } from "../accounts/audit.ts";
import { holdPeople } from "../accounts/hold-people.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { ownedPlace } from "./access.ts";
import type { Asker } from "./asker.ts";
import type { PlaceReference } from "./lifecycle.ts";
import { updateArchived } from "./store-lifecycle.ts";
import { lockPlaces } from "./store-moves.ts";

/**
 * For owners. Everything in a group is archived with it. Repeating it changes nothing. Returns the id.
 * @throws Problem not_found; forbidden: not theirs; unprocessable: a group around it is archived, or it is marked for deletion
 */
export function archivePlace(
  db: Db,
  owner: Asker,
  act: Act,
  { kind, reference }: PlaceReference,
  isArchived: boolean,
): Promise<number> {
  return db.transaction(async (tx) => {
    const held = await holdPeople(tx, owner, []);
    await lockPlaces(tx);
    const place = await ownedPlace(tx, held, { kind, reference });
    const verb = isArchived ? "archive" : "unarchive";
    if (place.archivedWith !== null) {
      throw refusal(
        `Cannot ${verb} the ${kind}, since the group ${place.archivedWith} around it is archived.`,
      );
    }
    if (place.removalDueAt !== null) {
      throw refusal(`Cannot ${verb} the ${kind}, since it is marked for deletion. Restore it first.`);
    }
    if ((await updateArchived(tx, kind, place.id, isArchived)) === 0) return place.id;
    const details = { [kind]: place.fullPath };
    await recordAudit(tx, { ...act, action: `${kind}_${verb}d`, userId: null, details });
    return place.id;
  });
}

function refusal(words: string): Problem {
  return new Problem("unprocessable", words);
}
