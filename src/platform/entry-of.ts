/** Reads tables by words that come from outside: names such as `__proto__`, which the service refuses to read, or `constructor` are in none. */

/** The entry of a table, or the member of an object, under an outside word; undefined: it has none of its own. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
