/** Finds the fields that an edit changes: those that it names with another value than they have. */

/** So that what was not said is not written either: somebody else may have changed it meanwhile. */
export function changedFields<E extends object>(edit: E, now: object): Partial<E> {
  const held = now as Readonly<Record<string, unknown>>;
  const changed = Object.entries(edit).filter(
    ([field, value]) => value !== undefined && value !== held[field],
  );
  return Object.fromEntries(changed) as Partial<E>;
}
