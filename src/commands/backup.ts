/** `gatehouse backup`: writes all data to an encrypted file, also while the service runs. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { makeBackup } from "../operations/make-backup.ts";
import { readPassphrase } from "../operations/passphrase.ts";
import type { Config } from "../platform/config.ts";
import { findMasterKeys } from "../platform/master-key.ts";
import { Problem } from "../platform/problem.ts";
import { VERSION } from "../platform/version.ts";
import { runCommand } from "./command.ts";

const USAGE = `Usage: gatehouse backup FILE [--json]

Writes a consistent snapshot of the whole database and the master key to FILE, compressed and encrypted with the passphrase in
GATEHOUSE_BACKUP_PASSPHRASE (or in the file named by GATEHOUSE_BACKUP_PASSPHRASE_FILE). Can be run while the service is running.
FILE must not exist yet. Keep the passphrase in another place: without it nobody can read the backup.

  --json   print one JSON object: file, bytes, rows, tables[]

Exit codes: 0 written, 1 failed, 64 wrong usage, 78 wrong configuration.
For example: GATEHOUSE_BACKUP_PASSPHRASE_FILE=/etc/gatehouse/passphrase gatehouse backup /var/backups/gatehouse.backup
`;

export function backupCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  const shape = { usage: USAGE, options: {}, positionals: 1, preparesNothing: true };
  // Read first: a missing passphrase must not start a database.
  let passphrase = "";
  const checkedConfig = () => {
    const config = readConfig();
    passphrase = readPassphrase(process.env);
    return config;
  };
  return runCommand(shape, args, checkedConfig, ({ positionals }) => async ({ platform, connection }) => {
    const path = resolve(positionals[0] ?? "");
    const masterKeys = async () => {
      const found = await findMasterKeys(platform.config);
      if (found) return found;
      const place = `in ${platform.config.dataDir} and no GATEHOUSE_MASTER_KEY`;
      throw new Problem(
        "not_found",
        `There is no master.key ${place}: a backup without it could not be used.`,
      );
    };
    const tables = await makeBackup(connection, { path, passphrase, masterKeys, version: VERSION });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const { size } = await stat(path);
    return {
      text: `Wrote ${rows} rows of ${tables.length} tables to ${path} (${size} bytes).\nVerify your backups regularly: gatehouse restore ${path} --verify\n`,
      json: { file: path, bytes: size, rows, tables },
    };
  });
}
