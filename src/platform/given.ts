/** Tells the members that a change names from those that it leaves out. */

/** Returns the members that are not undefined. */
export function given<T extends object>(members: T): { [N in keyof T]?: Exclude<T[N], undefined> } {
  const named = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as { [N in keyof T]?: Exclude<T[N], undefined> };
}

/** Applies `read` to the value, if there is one. */
export function ifGiven<V, R>(value: V | undefined, read: (value: V) => R): R | undefined {
  return value === undefined ? undefined : read(value);
}
