/** Finds the fields that an edit changes: those that it names with another value than they have. */

/** Fields that the edit leaves out or keeps are not written, since somebody else may have changed them meanwhile. */
export function changedFields<E extends object>(edit: E, now: object): Partial<E> {
  const held = now as Readonly<Record<string, unknown>>;
  const changed = Object.entries(edit).filter(
    ([field, value]) => value !== undefined && value !== held[field],
  );
  return Object.fromEntries(changed) as Partial<E>;
}
