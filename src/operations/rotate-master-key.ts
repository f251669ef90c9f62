/** Replaces the master key while the service runs; the old key decrypts until nothing needs it (decision 0197). */
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { FROM_CONSOLE } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import { findMasterKeys, masterKeyPath, replaceMasterKeys } from "../platform/master-key.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { runAlone } from "../platform/schedule.ts";
import { keysFrom, type MasterKeys } from "../platform/secret.ts";
import { reseal, type Sealed } from "./reseal.ts";

export interface Rotation extends Sealed {
  /** Whether a key was created; false if an interrupted rotation goes on, or a variable sets the keys. */
  isNew: boolean;
  /** Number of older keys that are kept. */
  kept: number;
  /** Number of keys that were dropped. */
  dropped: number;
}

/** Both steps are recorded in the audit log, without anything of a key. */
const BY_COMMAND = { ...FROM_CONSOLE, userId: null };

/** After this time no request is left that has encrypted a value with the old key and not yet written it. */
const SETTLED_SECONDS = 60;

/**
 * Creates a key beside the old one, unless there are two already, and encrypts all values with it.
 * @throws Problem conflict: another rotation runs, or the environment sets a single key; not_found: there is no key
 */
export function rotateMasterKey(platform: Platform): Promise<Rotation> {
  return runExclusively(platform, async (config, found) => {
    const isNew = found.length === 1;
    if (isNew && config.masterKey) {
      throw new Problem(
        "conflict",
        "GATEHOUSE_MASTER_KEY contains one key. Append a new one after a comma and restart every process; then put the new one before the old one and restart again; then repeat this command.",
      );
    }
    const keys: MasterKeys = isNew ? [randomBytes(32), ...found] : found;
    if (isNew) await replaceMasterKeys(masterKeyPath(config), keys);
    // Recorded before anything is encrypted, so that an interrupted rotation is in the log too.
    if (isNew) await recordAudit(platform.db.pooled, { ...BY_COMMAND, action: "master_key_renewed" });
    const sealed = await reseal(
      platform.db,
      keysFrom(() => keys),
    );
    if (!isNew && sealed.earlier > 0) {
      const details = { resealed: sealed.earlier };
      await recordAudit(platform.db.pooled, { ...BY_COMMAND, action: "master_key_renewed", details });
    }
    return { isNew, ...sealed, kept: keys.length - 1, dropped: 0 };
  });
}

/**
 * Drops all keys but the current one, after encrypting the last of their values again.
 * @throws Problem conflict: another rotation runs, or the key is too new; not_found: there is no key
 */
export function dropOldMasterKeys(platform: Platform): Promise<Rotation> {
  return runExclusively(platform, async (config, found) => {
    const keys = keysFrom(() => found);
    if (found.length === 1 || config.masterKey) {
      return { isNew: false, ...(await reseal(platform.db, keys)), kept: found.length - 1, dropped: 0 };
    }
    const path = masterKeyPath(config);
    const age = (Date.now() - (await stat(path)).mtimeMs) / 1000;
    if (age < SETTLED_SECONDS) {
      throw new Problem(
        "conflict",
        "The new master key is less than a minute old, and running requests may still use the old one. Nothing was dropped: run this a day later, at the earliest after a minute.",
      );
    }
    const before = await reseal(platform.db, keys);
    await replaceMasterKeys(path, [found[0]]);
    const details = { keys: found.length - 1 };
    await recordAudit(platform.db.pooled, { ...BY_COMMAND, action: "master_key_dropped", details });
    // Values encrypted with the old key between the first pass and its removal would be lost otherwise.
    await reseal(platform.db, keys);
    return { isNew: false, ...before, kept: 0, dropped: found.length - 1 };
  });
}

async function runExclusively(
  { config, db }: Platform,
  work: (config: Platform["config"], found: MasterKeys) => Promise<Rotation>,
): Promise<Rotation> {
  const done = await runAlone(db, "master key", async () => {
    // Read under the lock: two processes that find one key would each create another.
    const found = await findMasterKeys(config);
    if (!found) throw new Problem("not_found", "There is no master key.");
    return work(config, found);
  });
  if (done) return done.result;
  throw new Problem(
    "conflict",
    "The master key is already being rotated. Wait until that has finished, then try again.",
  );
}
