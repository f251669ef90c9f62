/** The passphrase of backups: from the environment or a file, never from the command line. */
import { readFileSync } from "node:fs";
import { ConfigError } from "../platform/config.ts";
import { errorCode } from "../platform/error-code.ts";
import { SHORTEST_PASSPHRASE } from "./backup-file.ts";

const NAME = "GATEHOUSE_BACKUP_PASSPHRASE";

/**
 * Reads `GATEHOUSE_BACKUP_PASSPHRASE`, or the file named by `GATEHOUSE_BACKUP_PASSPHRASE_FILE`.
 * @throws ConfigError when it is missing, too short or cannot be read
 */
export function readPassphrase(environment: Readonly<Record<string, string | undefined>>): string {
  const path = environment[`${NAME}_FILE`];
  let passphrase = environment[NAME];
  if (path) {
    try {
      passphrase = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      throw new ConfigError([`${NAME}_FILE cannot be read: ${errorCode(error)}`]);
    }
  }
  if (!passphrase) {
    throw new ConfigError([
      `${NAME} (or ${NAME}_FILE) is missing: a backup contains keys and is encrypted with it`,
    ]);
  }
  if (passphrase.length < SHORTEST_PASSPHRASE) {
    throw new ConfigError([`${NAME} has fewer than ${SHORTEST_PASSPHRASE} characters`]);
  }
  return passphrase;
}
