/** Reads the 32-byte keys that encrypt stored secrets: from the environment, or from a file in the data directory. */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { chown, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "./config.ts";
import { openDataDirectory } from "./data-directory.ts";
import { errorCode } from "./error-code.ts";
import { type MasterKeys, masterKeysIn } from "./secret.ts";

/** How often, in milliseconds and tries, to look at a file that another process is still writing. */
const LOOK_EVERY_MS = 20;
const MAX_LOOKS = 100;

type Place = Pick<Config, "masterKey" | "dataDir">;

/**
 * Reads the master keys, or creates one at the first start (file mode 0600). Returns a function for the current keys: it reads
 * the file again after another process has replaced it, and keeps the known keys if it cannot be read.
 * @throws Error if the file contains anything but keys of 64 hexadecimal characters, or belongs to another user
 */
export async function readMasterKeys(
  config: Place & Partial<Pick<Config, "databaseUrl">>,
): Promise<() => MasterKeys> {
  if (config.masterKey) {
    const given = masterKeysIn(config.masterKey);
    if (given) return () => given;
  }
  await openDataDirectory(config.dataDir, config.databaseUrl === undefined);
  const path = masterKeyPath(config);
  try {
    // `wx`: of two concurrent first starts one creates the key, and both read the same one.
    await writeFile(path, textOf([randomBytes(32)]), { mode: 0o600, flag: "wx", flush: true });
    // Secrets encrypted with it are stored durably at once, so the key must be durable as well.
    await syncDirectory(dirname(path));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  return reloadedKeys(path, keysIn(path, await readOnceWritten(path)));
}

/** Another process may have created the file without having written to it yet. */
async function readOnceWritten(path: string): Promise<string> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const text = await readFile(path, "utf8");
    if (text !== "") return text;
    await pause(LOOK_EVERY_MS);
  }
  return "";
}

/**
 * Reads the master keys; undefined if there are none yet.
 * @throws Error if the file contains anything but keys of 64 hexadecimal characters
 */
export async function findMasterKeys(config: Place): Promise<MasterKeys | undefined> {
  if (config.masterKey) return masterKeysIn(config.masterKey);
  const path = masterKeyPath(config);
  try {
    return keysIn(path, await readFile(path, "utf8"));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns the path of the key file, used if no variable sets the key. */
export function masterKeyPath({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "master.key");
}

/** Replaces the keys in the file atomically, also in case of a crash; the file keeps its owner. */
export async function replaceMasterKeys(path: string, keys: MasterKeys): Promise<void> {
  const { uid, gid } = await stat(path);
  const fresh = `${path}.next`;
  await rm(fresh, { force: true });
  const file = await open(fresh, "wx", 0o600);
  try {
    await file.writeFile(textOf(keys));
    await file.sync();
  } finally {
    await file.close();
  }
  if (process.getuid?.() !== uid) await chown(fresh, uid, gid);
  await rename(fresh, path);
  await syncDirectory(dirname(path));
}

/** Makes directory entries durable, if the file system supports it. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } catch (error) {
    if (!["EINVAL", "EBADF"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await directory.close();
  }
}

/** The content of the file, one key per line. */
function textOf(keys: MasterKeys): string {
  return keys.map((key) => `${key.toString("hex")}\n`).join("");
}

/**
 * Checks the file at each use, which takes some microseconds: every process must be able to decrypt what another has encrypted.
 */
function reloadedKeys(path: string, read: MasterKeys): () => MasterKeys {
  let known = read;
  // Undefined: the file may have been replaced between reading it and checking its state.
  let seen: string | undefined;
  return () => {
    const state = stateOf(path);
    if (state === undefined || state === seen) return known;
    const now = masterKeysIn(textIn(path));
    if (!now) return known;
    seen = state;
    // The same keys stay the same array, so that nothing has to be derived from them again.
    if (textOf(now) !== textOf(known)) known = now;
    return known;
  };
}

function stateOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${size} ${mtimeNs}`;
  } catch {
    return undefined;
  }
}

function textIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function keysIn(path: string, text: string): MasterKeys {
  const keys = masterKeysIn(text);
  if (!keys) throw new Error(`${path} does not hold a 32-byte key in hexadecimal`);
  return keys;
}
