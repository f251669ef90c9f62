/** Removes projects and groups whose delay after the mark is over, in portions that keep nobody waiting (decision 0152). */
import { FROM_SERVICE } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { isAwayForAll } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import type { PlaceKind } from "./lifecycle.ts";
import {
  beginRemovals,
  deletePlace,
  deleteSomeOfProject,
  listGroupsInRemoval,
  listProjectsInRemoval,
} from "./store-removal.ts";

/** Rows per transaction. */
const PORTION = 2000;
/** Portions per round; the rest follows in the next one. */
const MAX_PORTIONS = 100;

/**
 * Removes about `most` rows of a group that other rooms keep and that may be many; returns how many, 0: none is left. Passed in
 * by `sweeps.ts`.
 */
export type RemoveSomeOfGroup = (platform: Platform, groupId: number, most: number) => Promise<number>;

/** One round; several processes may run it at once, and after an interruption the next round continues. */
export async function removePlaces(platform: Platform, removeSomeOfGroup: RemoveSomeOfGroup): Promise<void> {
  const { db, log } = platform;
  await beginRemovals(db.pooled);
  let portions = MAX_PORTIONS;
  const removed = async (kind: PlaceKind, id: number): Promise<boolean> => {
    while (portions > 0) {
      portions -= 1;
      const some =
        kind === "project"
          ? await deleteSomeOfProject(db.pooled, id, PORTION)
          : await removeSomeOfGroup(platform, id, PORTION);
      if (some === 0) return true;
    }
    return false;
  };
  const end = async (kind: PlaceKind, id: number): Promise<void> => {
    try {
      if (await removed(kind, id)) await endOf(db, kind, id);
    } catch (error) {
      if (isAwayForAll(error)) throw error;
      // One that cannot be removed does not stop the others.
      log.error({ err: error, kind, id }, "not removed");
    }
  };
  for (const { id } of await listProjectsInRemoval(db)) await end("project", id);
  for (const { id } of await listGroupsInRemoval(db)) await end("group", id);
}

async function endOf(db: Platform["db"], kind: PlaceKind, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    const freed = await deletePlace(tx, kind, id);
    if (freed === null) return;
    const details = { [kind]: freed };
    await recordAudit(tx, { ...FROM_SERVICE, action: `${kind}_removed`, userId: null, details });
  });
}
