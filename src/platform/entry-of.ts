/** Looks up names that come from outside, without finding `constructor` and other members of the prototype. */

/**
 * Returns the entry of a table, or the member of an object, by a name from outside; undefined if it has no own entry of that
 * name.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
