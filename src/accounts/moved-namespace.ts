/** Finds who bore a name before. */
import type { Queries } from "../platform/db.ts";
import { findMovedNamespace } from "./store-namespaces.ts";

/** The person or group whose namespace stood at this path before, and where it stands now (decision 0122). */
export async function movedNamespace(db: Queries, path: string) {
  if (path.includes("\0") || path.length > 2000) return undefined;
  return findMovedNamespace(db, path);
}
