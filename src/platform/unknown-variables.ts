/** Finds environment variables that look like settings but are not: a misspelt one would be ignored silently. */
import { SECRETS, variables } from "./config.ts";

/** Those of `bin/node`, of `gatehouse backup` and `gatehouse restore`, and variables that the program sets for itself. */
const OTHERS = [
  "GATEHOUSE_NODE",
  "GATEHOUSE_NOHUP",
  "GATEHOUSE_WORKER_CONNECTION",
  "GATEHOUSE_BACKUP_PASSPHRASE",
  "GATEHOUSE_BACKUP_PASSPHRASE_FILE",
];

const KNOWN = new Set([...Object.keys(variables), ...SECRETS.map((name) => `${name}_FILE`), ...OTHERS]);

/** Returns the names of variables that begin with `GATEHOUSE_` and that the service does not know. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter((name) => name.startsWith("GATEHOUSE_") && !KNOWN.has(name));
}
