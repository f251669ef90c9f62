/** The 32-byte key that seals stored secrets: from the environment, or made once in the data directory. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { openDataDirectory } from "./data-directory.ts";

/**
 * Reads the master key, or makes it at first start (file mode 0600).
 * @throws Error when the file holds anything but 64 hexadecimal characters, or belongs to somebody else
 */
export async function readMasterKey(
  config: Pick<Config, "masterKey" | "dataDir"> & Partial<Pick<Config, "databaseUrl">>,
): Promise<Buffer> {
  if (config.masterKey) return Buffer.from(config.masterKey, "hex");
  await openDataDirectory(config.dataDir, config.databaseUrl === undefined);
  try {
    // `wx`: of two first starts one makes the key, and both read the same.
    await writeFile(pathOf(config), `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return keyIn(pathOf(config));
}

/**
 * The master key as it is; undefined where none was made yet.
 * @throws Error when the file holds anything but 64 hexadecimal characters
 */
export async function findMasterKey(
  config: Pick<Config, "masterKey" | "dataDir">,
): Promise<Buffer | undefined> {
  if (config.masterKey) return Buffer.from(config.masterKey, "hex");
  try {
    return await keyIn(pathOf(config));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function pathOf({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "master.key");
}

async function keyIn(path: string): Promise<Buffer> {
  const text = (await readFile(path, "utf8")).trim();
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error(`${path} does not hold a 32-byte key in hexadecimal`);
  return Buffer.from(text, "hex");
}
