/** Writes the master keys of a backup to where the service reads its own. */
import { copyFile, open, readFile, rename } from "node:fs/promises";
import type { Config } from "../platform/config.ts";
import { openDataDirectory } from "../platform/data-directory.ts";
import { masterKeyPath } from "../platform/master-key.ts";
import { Problem } from "../platform/problem.ts";
import { type MasterKeys, masterKeysIn } from "../platform/secret.ts";
import { serviceRuns } from "../platform/service-address.ts";

/** @throws Problem conflict: a service runs on the data directory */
export async function checkNoService(config: Pick<Config, "dataDir">): Promise<void> {
  if (!(await serviceRuns(config))) return;
  throw new Problem("conflict", "A service is running on this data directory. Stop it, then restore again.");
}

/**
 * Writes `master.key` (mode 0600). A present key that differs belonged to an empty database, and is kept as
 * `master.key.before-restore`.
 * @throws Problem conflict when the environment sets other keys, which would take precedence; or a service runs, which uses the
 *   present key and knows accounts of the empty database by their numbers
 */
export async function keepMasterKeys(
  config: Pick<Config, "masterKey" | "dataDir">,
  masterKeys: MasterKeys,
): Promise<void> {
  await checkNoService(config);
  const wanted = masterKeys.map((key) => key.toString("hex"));
  if (config.masterKey) {
    const given = new Set(hexOf(config.masterKey));
    if (wanted.every((key) => given.has(key))) return;
    throw new Problem(
      "conflict",
      "GATEHOUSE_MASTER_KEY is not the key of this backup. Unset it, so that the key of the backup is written to the data directory; or set the key that the service had when the backup was made.",
    );
  }
  await openDataDirectory(config.dataDir, false);
  const path = masterKeyPath(config);
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (before !== undefined && hexOf(before).join() === wanted.join()) return;
  const fresh = `${path}.restored`;
  const file = await open(fresh, "w", 0o600);
  try {
    await file.writeFile(wanted.map((key) => `${key}\n`).join(""));
    await file.sync();
  } finally {
    await file.close();
  }
  // Copied instead of renamed: a start that found no key in between would create another one.
  if (before !== undefined) await copyFile(path, `${path}.before-restore`);
  await rename(fresh, path);
}

function hexOf(text: string): string[] {
  return masterKeysIn(text)?.map((key) => key.toString("hex")) ?? [];
}
