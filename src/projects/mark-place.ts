/** Marks a project or group for deletion, or lets what is marked go at once (decision 0152). */
import type { Act } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db, Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { ownedPlace } from "./access.ts";
import type { Asker } from "./asker.ts";
import type { PlaceKind, Rest } from "./rest.ts";
import { lockPlaces } from "./store-moves.ts";
import { updateMarked, updateRemovalDue } from "./store-removal.ts";

/** What is asked for. */
export interface Marking {
  kind: PlaceKind;
  reference: string;
  /** After how many days it is removed. */
  days: number;
  /** What is marked goes now; with its whole path, so that no other does. */
  atOnce?: { fullPath: string | undefined } | undefined;
}

/**
 * For its owners. A group takes everything in it along; what is in one that is marked already stays as it is.
 * @throws Problem not_found; forbidden: not theirs; invalid, in the words of GitLab's API: marked already, not marked yet, not
 *   its path, or a group at the top, which never goes before its time
 */
export async function markPlace(
  db: Db,
  owner: Asker,
  act: Act,
  { kind, reference, days, atOnce }: Marking,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPlaces(tx);
    const place = await ownedPlace(tx, owner, kind, reference);
    const action = atOnce ? "hastened" : "marked";
    if (atOnce) await hasten(tx, kind, place, atOnce.fullPath);
    else if (!(await mark(tx, kind, place, days))) return;
    const details = { [kind]: place.fullPath, ...(atOnce ? {} : { days }) };
    await recordAudit(tx, { ...act, action: `${kind}_deletion_${action}`, userId: null, details });
  });
}

/** False: a group around it is marked, and takes it along. */
async function mark(tx: Queries, kind: PlaceKind, place: Rest & { id: number }, days: number) {
  if (place.isMarkedItself) throw refusal(kind, "has been already marked for deletion");
  if (place.markedWith !== null) return false;
  return (await updateMarked(tx, kind, place.id, days)) > 0;
}

async function hasten(
  tx: Queries,
  kind: PlaceKind,
  place: Rest & { id: number; fullPath: string },
  fullPath: string | undefined,
) {
  if (kind === "group" && !place.fullPath.includes("/")) {
    throw new Problem("invalid", "`permanently_remove` option is only available for subgroups.");
  }
  if (!place.isMarkedItself) throw refusal(kind, "must be marked for deletion first.");
  if (fullPath !== place.fullPath) {
    const what = kind === "group" ? "subgroup" : kind;
    throw new Problem(
      "invalid",
      `\`full_path\` is incorrect. You must enter the complete path for the ${what}.`,
    );
  }
  await updateRemovalDue(tx, kind, place.id);
}

function refusal(kind: PlaceKind, words: string): Problem {
  return new Problem("invalid", `${kind === "project" ? "Project" : "Group"} ${words}`);
}
