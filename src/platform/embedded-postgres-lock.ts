/** The lock by which one process at a time owns the embedded PostgreSQL of a data directory. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const LOCKED = 5; // SQLITE_BUSY

export interface DataDirectoryLock {
  release(): void;
}

/**
 * Takes the lock, or returns undefined if another process holds it. The kernel keeps it (an exclusive lock on an empty SQLite
 * file) and releases it when the process dies, so there are no stale locks to detect by process id.
 * @throws Error when the directory cannot be written; the lock is not held then
 */
export function takeDataDirectoryLock(dataDir: string): DataDirectoryLock | undefined {
  const database = new DatabaseSync(join(dataDir, "postgres.lock"), { timeout: 0 });
  try {
    database.exec("begin exclusive");
    writeFileSync(ownerFile(dataDir), `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    // Also if the disk has no room for the note: this process could never take the lock again while it holds it unknowingly.
    database.close();
    if ((error as { errcode?: number }).errcode === LOCKED) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

/** The id of the process that took the lock last, for messages only. */
export function lastDataDirectoryOwner(dataDir: string): string {
  try {
    return readFileSync(ownerFile(dataDir), "utf8").trim();
  } catch {
    return "unknown";
  }
}

function ownerFile(dataDir: string): string {
  return join(dataDir, "postgres.owner");
}
