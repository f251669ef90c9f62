/** The members that a change names; those that it does not name stay as they are. */

/** These members but for those that are undefined. */
export function given<T extends object>(members: T): { [N in keyof T]?: Exclude<T[N], undefined> } {
  const named = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as { [N in keyof T]?: Exclude<T[N], undefined> };
}

/** What is read from a value, where there is one. */
export function ifGiven<V, R>(value: V | undefined, read: (value: V) => R): R | undefined {
  return value === undefined ? undefined : read(value);
}
