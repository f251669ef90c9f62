/** Reads environment variables by their type and default. */

/** One variable; the message that `read` throws follows the variable's name in the report. */
export interface Variable<T> {
  read(given: string): T;
  default: T | undefined;
  /** What it is for. */
  desc: string;
}

type Rest<T> = Omit<Variable<T>, "read">;

/** Makes a kind of variable from a function that reads its text. */
export function makeVariable<T>(read: (given: string) => T): (rest: Rest<T>) => Variable<T> {
  return (rest) => ({ read, ...rest });
}

/** Any text, or one of `choices`. */
export function textVariable({
  choices,
  ...rest
}: Rest<string> & { choices?: readonly string[] }): Variable<string> {
  const read = (given: string) => {
    if (!choices || choices.includes(given)) return given;
    throw new Error(`must be one of ${choices.join(", ")}`);
  };
  return { read, ...rest };
}

/** Reads all variables. One that is wrong becomes undefined and is added to `faults`, so that all faults are reported at once. */
export function readVariables(
  variables: Readonly<Record<string, Variable<unknown>>>,
  given: Readonly<Record<string, string | undefined>>,
  faults: string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(variables)) {
    const text = given[name];
    try {
      values[name] = text === undefined ? variable.default : variable.read(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
    }
  }
  return values;
}
