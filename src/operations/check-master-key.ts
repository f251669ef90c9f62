/** Checks that the master key belongs to the database: a process with another key must not change anything (decision 0211). */
import { FROM_CONSOLE } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { makeFirstSigningKey, replaceLostSigningKeys } from "../oauth/current-signing-key.ts";
import { ConfigError } from "../platform/config.ts";
import { type Connection, copySession } from "../platform/copy.ts";
import { findMasterKeys, masterKeyPath } from "../platform/master-key.ts";
import type { Platform } from "../platform/platform.ts";
import { keysFrom } from "../platform/secret.ts";
import { listNewestSealed } from "./store-sealed.ts";

/**
 * Checks that a master key decrypts the newest signing key of each algorithm. Runs before migrations, on a connection of its own,
 * so that a program started with the settings of another installation changes nothing. Returns whether there was a signing key.
 * @throws ConfigError naming the master key that does not fit
 */
export async function checkMasterKey(connection: Connection, config: Platform["config"]): Promise<boolean> {
  const sealed = await copySession(connection, "read", listNewestSealed);
  if (sealed.length === 0) return false;
  const found = await findMasterKeys(config);
  const keys = found && keysFrom(() => found);
  if (keys && sealed.every((one) => keys.keyOf(one.sealed, one.context) >= 0)) return true;
  throw new ConfigError([`${faultOf(config, found !== undefined)} ${LOST}`]);
}

/**
 * Creates a signing key for later starts to check. Of two concurrent first starts with different master keys one creates it, and
 * the other is refused.
 * @throws ConfigError as above
 */
export async function markMasterKey(platform: Platform, connection: Connection): Promise<void> {
  // The algorithm whose keys are created fastest.
  await makeFirstSigningKey(platform, "ES256");
  await checkMasterKey(connection, platform.config);
}

/** Accepts the present master key in place of a lost one. Returns whether it was a different key. */
export async function acceptMasterKey(platform: Platform): Promise<boolean> {
  const replaced = await replaceLostSigningKeys(platform);
  if (replaced === 0) return false;
  await recordAudit(platform.db.pooled, { ...FROM_CONSOLE, userId: null, action: "master_key_accepted" });
  return true;
}

/** The message contains nothing of a key, not even what would distinguish two keys. */
function faultOf({ masterKey, dataDir }: Platform["config"], isThere: boolean): string {
  const path = masterKeyPath({ dataDir });
  if (masterKey) {
    return `GATEHOUSE_MASTER_KEY is not the master key of this database: it decrypts none of the encrypted values. Set the key that the database was used with; if that is in ${path}, unset the variable.`;
  }
  const what = isThere
    ? `${path} is not the master key of this database: it decrypts none of the encrypted values.`
    : `${path} is missing, and this database already uses a master key.`;
  return `${what} Put the master.key of this database there, from the data directory it was used with or from a backup; or correct GATEHOUSE_DATA_DIR, GATEHOUSE_MASTER_KEY or DATABASE_URL.`;
}

const LOST =
  "Nothing was changed. Only if that key is lost for good, run gatehouse admin accept-key and then start again.";
