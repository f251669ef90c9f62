/** Puts the master key of a backup where the service reads its own. */
import { copyFile, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../platform/config.ts";
import { openDataDirectory } from "../platform/data-directory.ts";
import { Problem } from "../platform/problem.ts";
import { serviceRuns } from "../platform/service-address.ts";

/**
 * Writes `master.key` (mode 0600) where no service runs, which would go on with the key that it has read. A key that is there and differs belonged to an empty database; it is kept beside, as
 * `master.key.before-restore`.
 * @throws Problem conflict when the environment sets another key, which would be read instead, or a service runs with one
 */
export async function keepMasterKey(
  config: Pick<Config, "masterKey" | "dataDir">,
  masterKey: Buffer,
): Promise<void> {
  const hex = masterKey.toString("hex");
  if (config.masterKey) {
    if (config.masterKey.toLowerCase() === hex) return;
    throw new Problem(
      "conflict",
      "GATEHOUSE_MASTER_KEY is not the key of this backup. Unset it, and the key of the backup is put into the data directory; or set the key that the service had when the backup was made.",
    );
  }
  await openDataDirectory(config.dataDir, false);
  const path = join(config.dataDir, "master.key");
  const before = await readFile(path, "utf8").catch(() => undefined);
  if (before?.trim().toLowerCase() === hex) return;
  if (await serviceRuns(config)) {
    throw new Problem(
      "conflict",
      "A service runs on this data directory, with a master key of its own. Stop it, and restore again.",
    );
  }
  const fresh = `${path}.restored`;
  const file = await open(fresh, "w", 0o600);
  try {
    await file.writeFile(`${hex}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // Copied, since a start that found no key between two renames would make another one.
  if (before !== undefined) await copyFile(path, `${path}.before-restore`);
  await rename(fresh, path);
}
