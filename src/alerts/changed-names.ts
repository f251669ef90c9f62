/** Lists which fields of a record were changed, for the audit log. */

/** Returns the names of the fields whose values differ, as the API writes them: `group_by, strict`. */
export function changedNames<T extends object>(
  before: T,
  after: T,
  names: readonly (keyof T & string)[],
): string {
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .join(", ");
}
