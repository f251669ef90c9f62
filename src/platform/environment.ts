/** Reads environment variables by their type and default. */

/** One variable, of type `T`, or of the type `D` of its default; the message that `read` throws follows its name in the report. */
export interface Variable<T, D extends T | undefined> {
  read(given: string): T;
  default: D;
  /** What it is for. */
  desc: string;
}

type Variables = Readonly<Record<string, Variable<unknown, unknown>>>;

/** The value of each variable. */
export type ValuesOf<V> = { [N in keyof V]: V[N] extends Variable<infer T, infer D> ? T | D : never };

/** Makes a kind of variable from a function that reads its text. */
export function makeVariable<T>(read: (given: string) => T) {
  return <D extends T | undefined>(rest: Omit<Variable<T, D>, "read">): Variable<T, D> => ({ read, ...rest });
}

/**
 * Reads all variables. A wrong one is added to `faults`, so that all faults are reported at once; its value is missing, so nothing
 * may be used if there are faults.
 */
export function readVariables<V extends Variables>(
  variables: V,
  given: Readonly<Record<string, string | undefined>>,
  faults: string[],
): ValuesOf<V> {
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const text = given[name];
    try {
      values[name] = text === undefined ? variable.default : variable.read(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
    }
  }
  return values as ValuesOf<V>;
}
