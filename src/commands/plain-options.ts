/** The options of commands that know `--json` and `--help` alone. */
import { parseArgs } from "node:util";

/** Undefined: not understood. An option that is left unread would seem to count. */
export function plainOptions(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({ args: [...args], options: { json: flag, help: flag }, strict: true }).values;
  } catch {
    return undefined;
  }
}
