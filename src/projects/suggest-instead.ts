/** Suggests a free path in place of one that is taken (GitLab v4 API, namespaces; decision 0293). */
import { pathFault, topLevelPathFault } from "../accounts/user.ts";
import type { Queries } from "../platform/db.ts";
import type { Asker } from "./asker.ts";
import { findVisibleGroup, listTaken } from "./store-groups.ts";

/** How many paths are tried, with these numbers at their end. */
const MAX_TRIED = 50;

/**
 * Returns a free path, if there is one among those tried; undefined if the path itself is not taken, as in a parent group that
 * the asker cannot see or that does not exist.
 */
export async function suggestInstead(
  db: Queries,
  asker: Asker,
  path: string,
  parentId: number | undefined,
): Promise<string[] | undefined> {
  if (path.includes("/")) return undefined;
  const parent = parentId === undefined ? undefined : await findVisibleGroup(db, asker, String(parentId));
  if (parentId !== undefined && !parent) return undefined;
  const others = Array.from({ length: MAX_TRIED }, (_, n) => `${path}${n + 1}`);
  const taken = new Set((await listTaken(db, asker, parent, [path, ...others])).map((each) => each.path));
  if (!taken.has(path)) return undefined;
  const fault = parent ? pathFault : topLevelPathFault;
  return others.filter((each) => !taken.has(each) && fault(each) === undefined).slice(0, 1);
}
