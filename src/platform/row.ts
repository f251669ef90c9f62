/** Row shapes: one declaration is the TypeScript type of a result row and, in tests, the check that the SQL matches it. */

/** Checks one column value. */
export interface Column<T> {
  readonly describe: string;
  readonly accepts: (value: unknown) => boolean;
  /** Carries the type only. */
  readonly type?: T;
}

export interface RowShape<R> {
  readonly columns: Readonly<Record<string, Column<unknown>>>;
  /** Carries the type only. */
  readonly type?: R;
}

/** The object type of a row shape: `type UserRow = RowOf<typeof UserRow>`. */
export type RowOf<S> = S extends RowShape<infer R> ? R : never;

type Columns = Readonly<Record<string, Column<unknown>>>;
type ColumnType<C> = C extends Column<infer T> ? T : never;

/** Declares a row by its camelCase columns; SQL's snake_case names are folded by `db.ts`. */
export function row<C extends Columns>(
  columns: C,
): RowShape<{ [K in keyof C]: ColumnType<C[K]> }> & { readonly columns: C } {
  return { columns };
}

function column<T>(describe: string, accepts: (value: unknown) => boolean): Column<T> {
  return { describe, accepts };
}

export const integer = column<number>("an integer", (v) => Number.isSafeInteger(v));
export const text = column<string>("text", (v) => typeof v === "string");
export const boolean = column<boolean>("a boolean", (v) => typeof v === "boolean");
export const instant = column<Date>("an instant", (v) => v instanceof Date);
export const bytes = column<Buffer>("bytes", (v) => Buffer.isBuffer(v));
/** A calendar day, `YYYY-MM-DD`. */
export const day = column<string>("a day", (v) => typeof v === "string" && /^\d{4}-\d\d-\d\d$/.test(v));

/** A column that may be null. */
export function nullable<T>(inner: Column<T>): Column<T | null> {
  return column(`${inner.describe} or null`, (v) => v === null || inner.accepts(v));
}

/** A PostgreSQL array. */
export function list<T>(inner: Column<T>): Column<T[]> {
  return column(`a list of ${inner.describe}`, (v) => Array.isArray(v) && v.every(inner.accepts));
}

/** One of a fixed list of words. */
export function oneOf<const W extends readonly string[]>(words: W): Column<W[number]> {
  return column(`one of ${words.join(", ")}`, (v) => typeof v === "string" && words.includes(v));
}

/** A json or jsonb column, whose inner shape is not checked. */
export function jsonb<T>(): Column<T> {
  return column("json", (v) => v !== undefined);
}

/** Returns which columns of a row differ from its shape: missing, unexpected or of another type. */
export function rowFaults(shape: RowShape<unknown>, row: Readonly<Record<string, unknown>>): string[] {
  const faults: string[] = [];
  for (const [name, { accepts, describe }] of Object.entries(shape.columns)) {
    if (!(name in row)) faults.push(`${name} is not selected`);
    else if (!accepts(row[name])) faults.push(`${name} is not ${describe}: ${String(row[name])}`);
  }
  for (const name of Object.keys(row)) if (!(name in shape.columns)) faults.push(`${name} is not declared`);
  return faults;
}

/** Checks a row against its shape. @throws Error if they differ */
export function checkRow(
  shape: RowShape<unknown>,
  row: Readonly<Record<string, unknown>>,
  text: string,
): void {
  const faults = rowFaults(shape, row);
  if (faults.length > 0) throw new Error(`${faults.join("; ")} in: ${text}`);
}
