/** Variables of the environment: how each is read, and what it is where it is not set. */

/** One variable; whatever `read` throws is what is wrong with it, in words that follow its name. */
export interface Variable<T> {
  read(given: string): T;
  default: T | undefined;
  /** What it is for. */
  desc: string;
}

type Rest<T> = Omit<Variable<T>, "read">;

/** A kind of variable. */
export function makeVariable<T>(read: (given: string) => T): (rest: Rest<T>) => Variable<T> {
  return (rest) => ({ read, ...rest });
}

/** Any text, or one of some words. */
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

/** All of them by name; one that is wrong is undefined and told among the faults, so that all faults are found. */
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
