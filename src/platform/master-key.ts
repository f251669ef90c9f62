/** The 32-byte key that seals stored secrets: from the environment, or made once in the data directory. */
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";

/**
 * Reads the master key, or makes it at first start (file mode 0600).
 * @throws Error when the file holds anything but 64 hexadecimal characters
 */
export async function readMasterKey(config: Pick<Config, "masterKey" | "dataDir">): Promise<Buffer> {
  if (config.masterKey) return Buffer.from(config.masterKey, "hex");
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await chmod(config.dataDir, 0o700);
  const path = join(config.dataDir, "master.key");
  try {
    // `wx`: of two first starts one makes the key, and both read the same.
    await writeFile(path, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const text = (await readFile(path, "utf8")).trim();
  if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error(`${path} does not hold a 32-byte key in hexadecimal`);
  return Buffer.from(text, "hex");
}
