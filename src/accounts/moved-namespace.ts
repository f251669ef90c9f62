/** Finds the person or group that had a path before. */
import type { Queries } from "../platform/db.ts";
import { mayBePath } from "./namespace.ts";
import { findMovedNamespace } from "./store-namespaces.ts";

/** Returns the person or group whose namespace had this path before, and its current path (decision 0122). */
export async function movedNamespace(db: Queries, path: string) {
  if (!mayBePath(path)) return undefined;
  return findMovedNamespace(db, path);
}
