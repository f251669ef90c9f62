/** `gatehouse restore`: restores a backup into a new, empty installation, or only verifies it. */
import { resolve } from "node:path";
import { checkNoService, keepMasterKeys } from "../operations/keep-master-keys.ts";
import { readPassphrase } from "../operations/passphrase.ts";
import { type Restored, restoreBackup, verifyBackup } from "../operations/restore-backup.ts";
import { checkServer } from "../platform/check-server.ts";
import type { Config } from "../platform/config.ts";
import { Problem } from "../platform/problem.ts";
import { type Answer, readArguments, runCommand } from "./command.ts";

const USAGE = `Usage: gatehouse restore FILE [--verify] [--json]

Restores a backup into an empty database and writes its master key to the data directory. Either everything is restored or
nothing: every table is read back and compared with the checksums in the file before the transaction is committed. A backup of
an older version is restored as it is and then migrated. The passphrase of the backup is read from
GATEHOUSE_BACKUP_PASSPHRASE or from the file named by GATEHOUSE_BACKUP_PASSPHRASE_FILE.

  --verify   read and check the whole file without changing anything
  --json     print one JSON object: made_at, version, rows, tables[], upgraded[]

Exit codes: 0 done, 1 refused or failed, 64 wrong usage, 78 wrong configuration.
For example: GATEHOUSE_DATA_DIR=/srv/new gatehouse restore /var/backups/gatehouse.backup
`;

export async function restoreCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  if (args.includes("--verify")) return verify(args);
  let passphrase = "";
  // Read first: a missing passphrase must not start a database.
  const checkedConfig = () => {
    const config = readConfig();
    passphrase = readPassphrase(process.env);
    return config;
  };
  const shape = { usage: USAGE, options: {}, positionals: 1, preparesNothing: true, anyKey: true };
  await runCommand(shape, args, checkedConfig, ({ positionals }) => async ({ platform, connection }) => {
    const path = resolve(positionals[0] ?? "");
    const { databaseUrl, databaseOwnerUrl } = platform.config;
    // What no start would take is not filled.
    if (databaseUrl) await checkServer(connection, databaseOwnerUrl ? "DATABASE_OWNER_URL" : "DATABASE_URL");
    const restored = await restoreBackup(connection, path, passphrase, {
      beforeFill: () => checkNoService(platform.config),
      beforeCommit: ({ masterKeys }) => keepMasterKeys(platform.config, masterKeys),
    });
    return answerOf(restored, `Restored ${path}`);
  });
}

/** Needs no database, so that a backup can be verified on any machine. */
async function verify(args: readonly string[]): Promise<void> {
  const given = readArguments(
    { usage: USAGE, options: { verify: { type: "boolean" } }, positionals: 1 },
    args,
  );
  if (!given) return;
  try {
    const path = resolve(given.positionals[0] ?? "");
    const answer = answerOf(
      await verifyBackup(path, readPassphrase(process.env)),
      `${path} is complete and undamaged`,
    );
    process.stdout.write(given.json ? `${JSON.stringify(answer.json)}\n` : answer.text);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function answerOf({ start, sums, upgraded }: Restored, done: string): Answer {
  const rows = sums.reduce((sum, table) => sum + table.rows, 0);
  const later = upgraded.length > 0 ? ` Then ${upgraded.length} newer migrations were applied.` : "";
  return {
    text: `${done}: ${rows} rows of ${sums.length} tables, as of ${start.madeAt}, by Gatehouse ${start.version}.${later}\n`,
    json: { made_at: start.madeAt, version: start.version, rows, tables: sums, upgraded },
  };
}
