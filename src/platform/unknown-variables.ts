/** Variables that look like settings and are none: a misspelt one would be passed over in silence. */
import { SECRETS, variables } from "./config.ts";

/** What the program sets for itself, and what `gatehouse backup` and `gatehouse restore` read. */
const OTHERS = [
  "GATEHOUSE_NOHUP",
  "GATEHOUSE_WORKER_CONNECTION",
  "GATEHOUSE_BACKUP_PASSPHRASE",
  "GATEHOUSE_BACKUP_PASSPHRASE_FILE",
];

const KNOWN = new Set([...Object.keys(variables), ...SECRETS.map((name) => `${name}_FILE`), ...OTHERS]);

/** Names of variables that begin with `GATEHOUSE_` and that nothing here reads. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter((name) => name.startsWith("GATEHOUSE_") && !KNOWN.has(name));
}
