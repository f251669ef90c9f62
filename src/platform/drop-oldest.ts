/** Keeps a map within its bounds. */

/** Removes the entry that was added first, if there is one. */
export function dropOldest<Key>(map: Map<Key, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
