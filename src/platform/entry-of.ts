/** Looks up names that come from outside, without finding `constructor` and other members of the prototype. */

/** The entry of a table, or the member of an object, under an outside word; undefined: it has none of its own. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
