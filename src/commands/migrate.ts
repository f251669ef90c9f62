/** `gatehouse migrate`: applies missing migrations and prints their names. */
import type { Config } from "../platform/config.ts";
import { runCommand } from "./command.ts";

const USAGE = `Usage: gatehouse migrate [--json]

Brings the database schema up to date. The service does the same when it starts; run this first to detect a failure early.

  --json   print one JSON object: {"applied": ["0001-accounts.sql"]}

Exit codes: 0 up to date, 1 failed, 64 wrong usage, 78 wrong configuration.
For example: gatehouse migrate
`;

export function migrateCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  // It may run as a separate job without the master key.
  const shape = { usage: USAGE, options: {}, positionals: 0, anyKey: true };
  return runCommand(shape, args, readConfig, () => async ({ applied }) => ({
    text:
      applied.length > 0
        ? `Applied ${applied.length} migrations:\n${applied.map((name) => `  ${name}\n`).join("")}`
        : "The schema is up to date.\n",
    json: { applied },
  }));
}
