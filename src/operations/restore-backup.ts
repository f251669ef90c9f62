/** Restores a backup into an empty database atomically, and verifies what was written (decision 0072). */
import { createHash } from "node:crypto";
import { type Connection, type CopySession, copySession } from "../platform/copy.ts";
import type { JsonObject } from "../platform/json-object.ts";
import { migrate, readMigrations } from "../platform/migrate.ts";
import { Problem } from "../platform/problem.ts";
import { type MasterKeys, masterKeysIn } from "../platform/secret.ts";
import { type Frame, readBackup } from "./backup-file.ts";
import { sumOf, type TableSum } from "./make-backup.ts";
import {
  beginEpoch,
  copyInto,
  emptyTables,
  findServing,
  leaveGaps,
  listApplied,
  listFilled,
  listTables,
  lockTables,
  makeMonths,
  setTriggers,
  type Table,
  updateSequence,
} from "./store-catalog.ts";

/** The metadata at the beginning of a backup. */
export interface BackupStart {
  version: string;
  madeAt: string;
  oldestEvent: string | null;
  migrations: readonly { number: number; name: string; sha256: string }[];
  /** 32 bytes each. */
  masterKeys: MasterKeys;
  tables: readonly string[];
}

/** The result of reading or restoring a backup. */
export interface Restored {
  start: BackupStart;
  sums: readonly TableSum[];
  /** Migrations applied after the restore, because the backup is older than this program. */
  upgraded: readonly string[];
}

type Frames = AsyncIterator<Frame>;

/** What is asked of the caller meanwhile; if one throws, the restore is rolled back. */
interface Hurdles {
  /** Called once the database was found empty: to stop a service for a restore that is refused then would help nobody. */
  beforeFill?(): Promise<void>;
  /** Called with the metadata, after all was read again. */
  beforeCommit?(start: BackupStart): Promise<void>;
}

/**
 * Restores a backup. Creates the schema that the backup had, fills it, reads it again to compare it with the sums of the backup,
 * and only then commits and applies later migrations.
 * @throws Problem conflict: the database is not empty, or a service uses it; unprocessable: the backup is of a newer version;
 * invalid: the file is damaged or the passphrase is wrong
 */
export async function restoreBackup(
  connection: Connection,
  path: string,
  passphrase: string,
  { beforeFill, beforeCommit }: Hurdles = {},
): Promise<Restored> {
  const frames = readBackup(path, passphrase)[Symbol.asyncIterator]();
  try {
    const start = startOf(await nextMetadata(frames, "start"));
    await prepareSchema(connection, start);
    const tables = await copySession(connection, "read", listTables);
    const sums = await copySession(connection, "write", async (session) => {
      // Before any query: the snapshot is taken after the locks, and so contains what others committed meanwhile.
      await lockTables(session, tables);
      await checkEmpty(session, tables);
      await beforeFill?.();
      await checkUnserved(session);
      const filled = await fill(session, frames, start, tables);
      // Again: one that was started meanwhile has the master key of the database as it was.
      await checkUnserved(session);
      await beforeCommit?.(start);
      return filled;
    });
    return { start, sums, upgraded: await migrate(connection) };
  } finally {
    await frames.return?.(undefined);
  }
}

/** Reads a backup to its end and checks all sums, without a database. @throws Problem invalid */
export async function verifyBackup(path: string, passphrase: string): Promise<Restored> {
  const frames = readBackup(path, passphrase)[Symbol.asyncIterator]();
  const start = startOf(await nextMetadata(frames, "start"));
  const sums: TableSum[] = [];
  for (const _ of start.tables) {
    await nextMetadata(frames, "table");
    const tally = createTally(frames);
    for await (const _rows of tally.pieces);
    sums.push(checkedSum(tally, tally.lines));
  }
  await nextMetadata(frames, "end");
  await checkEnd(frames);
  return { start, sums, upgraded: [] };
}

/** A service would go on with its old master key and with what it remembers. @throws Problem conflict: one uses the database */
async function checkUnserved(session: CopySession): Promise<void> {
  const { connections, hosts } = await findServing(session);
  if (connections === 0) return;
  const from = hosts.length > 0 ? ` from ${hosts.join(", ")}` : "";
  throw new Problem(
    "conflict",
    `A service uses this database (${connections} connections${from}). Stop it, then restore again.`,
  );
}

/** Creates the schema as it was when the backup was made. */
async function prepareSchema(connection: Connection, start: BackupStart): Promise<void> {
  const known = new Map((await readMigrations()).map((migration) => [migration.name, migration.sha256]));
  const strange = start.migrations.find(({ name, sha256 }) => known.get(name) !== sha256);
  if (strange) {
    throw new Problem(
      "unprocessable",
      `The backup was made by Gatehouse ${start.version}, and this version lacks its migration ${strange.name}. Restore it with that version or a newer one.`,
    );
  }
  const last = start.migrations.at(-1)?.number ?? 0;
  const applied = await copySession(connection, "read", listApplied);
  if ((applied.at(-1)?.number ?? 0) > last) {
    throw new Problem(
      "conflict",
      "The schema of this database is newer than the backup. Restore into a new database, which is then upgraded.",
    );
  }
  await migrate(connection, last);
}

/** @throws Problem conflict */
async function checkEmpty(session: CopySession, tables: readonly Table[]): Promise<void> {
  const filled = await listFilled(session, tables);
  if (filled.length === 0) return;
  throw new Problem("conflict", `The database is not empty (${filled.join(", ")}). Restore into a new one.`);
}

async function fill(
  session: CopySession,
  frames: Frames,
  start: BackupStart,
  tables: readonly Table[],
): Promise<TableSum[]> {
  if (start.oldestEvent) await makeMonths(session, start.oldestEvent);
  await setTriggers(session, tables, "disable");
  await emptyTables(session, tables);
  const sums: TableSum[] = [];
  for (const name of start.tables) {
    const said = await nextMetadata(frames, "table");
    const table = tables.find((one) => one.name === name);
    if (!table || said.name !== name) throw damaged();
    sums.push(await fillTable(session, frames, { ...table, columns: said.columns as string[] }));
  }
  const { sequences } = await nextMetadata(frames, "end");
  await checkEnd(frames);
  for (const { name, last } of sequences as { name: string; last: string }[]) {
    await updateSequence(session, name, last);
  }
  await leaveGaps(session);
  await setTriggers(session, tables, "enable");
  await beginEpoch(session);
  return sums;
}

/** Fills one table and reads it again: the database's content is compared, not what was sent. */
async function fillTable(session: CopySession, frames: Frames, table: Table): Promise<TableSum> {
  const tally = createTally(frames);
  const rows = await session.copyIn(copyInto(table), tally.pieces);
  const sum = checkedSum(tally, rows);
  const again = await sumOf(session, table);
  if (again.sha256 !== sum.sha256) throw new Error(`the table ${table.name} does not match its checksum`);
  return sum;
}

interface Tally {
  pieces: AsyncGenerator<Buffer>;
  hash: ReturnType<typeof createHash>;
  /** The recorded sum of the rows, once they were read. */
  said: Record<string, unknown>;
  /** Number of rows: COPY writes a line break within a value as two characters. */
  lines: number;
}

/** Returns the rows up to the next metadata frame, and hashes them. */
function createTally(frames: Frames): Tally {
  const tally: Omit<Tally, "pieces"> = { hash: createHash("sha256"), said: {}, lines: 0 };
  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const { value, done } = await frames.next();
      if (done) throw damaged();
      if (value.json) {
        tally.said = value.json;
        return;
      }
      tally.hash.update(value.rows);
      for (const byte of value.rows) if (byte === 0x0a) tally.lines++;
      yield value.rows;
    }
  }
  return Object.assign(tally, { pieces: pieces() });
}

function checkedSum({ said, hash }: Tally, rows: number): TableSum {
  const sum = { name: String(said.name), rows, sha256: hash.digest("hex") };
  if (said.kind !== "sum" || said.rows !== rows || said.sha256 !== sum.sha256) throw damaged();
  return sum;
}

async function nextMetadata(frames: Frames, kind: string): Promise<Record<string, unknown>> {
  const { value, done } = await frames.next();
  if (done || value.json?.kind !== kind) throw damaged();
  return value.json;
}

/** Only reaching the end authenticates the file. */
async function checkEnd(frames: Frames): Promise<void> {
  if (!(await frames.next()).done) throw damaged();
}

function startOf(said: JsonObject): BackupStart {
  return {
    version: String(said.version),
    madeAt: String(said.made_at),
    oldestEvent: (said.oldest_event as string | null) ?? null,
    migrations: said.migrations as BackupStart["migrations"],
    masterKeys: masterKeysIn(String(said.master_key)) ?? notKeys(),
    tables: said.tables as string[],
  };
}

function notKeys(): never {
  throw damaged();
}

function damaged(): Problem {
  return new Problem("invalid", "The backup is damaged: its parts are inconsistent.");
}
