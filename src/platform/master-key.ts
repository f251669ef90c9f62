/** The 32-byte keys that seal stored secrets: from the environment, or made once in the data directory and renewed there. */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { chown, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "./config.ts";
import { openDataDirectory } from "./data-directory.ts";
import { type MasterKeys, masterKeysIn } from "./secret.ts";

/** How often, and how many times, a file is looked at that somebody else has begun. */
const LOOK_EVERY_MS = 20;
const MOST_LOOKS = 100;

type Place = Pick<Config, "masterKey" | "dataDir">;

/**
 * Reads the master keys, or makes one at first start (file mode 0600). What is returned answers those that count now: a
 * file that another process has written since is read again, and one that cannot be read leaves what was known.
 * @throws Error when the file holds anything but keys of 64 hexadecimal characters, or belongs to somebody else
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
    // `wx`: of two first starts one makes the key, and both read the same.
    await writeFile(path, textOf([randomBytes(32)]), { mode: 0o600, flag: "wx", flush: true });
    // What it seals is in the database for good at once, and so must the key be.
    await keepNames(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return watchedKeys(path, keysIn(path, await whatStandsIn(path)));
}

/** Whoever makes the file at this moment may not have written into it yet. */
async function whatStandsIn(path: string): Promise<string> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const text = await readFile(path, "utf8");
    if (text !== "") return text;
    await pause(LOOK_EVERY_MS);
  }
  return "";
}

/**
 * The master keys as they are; undefined where none was made yet.
 * @throws Error when the file holds anything but keys of 64 hexadecimal characters
 */
export async function findMasterKeys(config: Place): Promise<MasterKeys | undefined> {
  if (config.masterKey) return masterKeysIn(config.masterKey);
  const path = masterKeyPath(config);
  try {
    return keysIn(path, await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Where the key is kept that no variable gives. */
export function masterKeyPath({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "master.key");
}

/**
 * Puts these keys in the place of those in the file: whoever reads it, after a crash too, finds the ones or the others. It
 * stays its owner's.
 */
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
  await keepNames(dirname(path));
}

/** The names in a directory survive a loss of power from here on, as far as its file system lets itself be asked. */
async function keepNames(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } catch (error) {
    if (!["EINVAL", "EBADF"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await directory.close();
  }
}

/** As the file holds them, a line each. */
function textOf(keys: MasterKeys): string {
  return keys.map((key) => `${key.toString("hex")}\n`).join("");
}

/** Looks at the file at each use, which costs some microseconds: what one process seals every other must open. */
function watchedKeys(path: string, read: MasterKeys): () => MasterKeys {
  let known = read;
  // Nothing yet: between the reading and a first look at the state the file may have been replaced.
  let seen: string | undefined;
  return () => {
    const state = stateOf(path);
    if (state === undefined || state === seen) return known;
    const now = masterKeysIn(textIn(path));
    if (!now) return known;
    seen = state;
    // The same ones stay the same value, from which nothing has to be derived anew.
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
