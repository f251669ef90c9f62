/** Writes all data of an installation to an encrypted file while the service runs (decision 0072). */
import { createHash } from "node:crypto";

import { type Connection, type CopySession, copySession } from "../platform/copy.ts";
import { Problem } from "../platform/problem.ts";
import type { MasterKeys } from "../platform/secret.ts";
import { writeBackup } from "./backup-file.ts";
import {
  copyOutOf,
  describeServer,
  listApplied,
  listSequences,
  listTables,
  type Table,
} from "./store-catalog.ts";

/** What a backup records about a table after its rows. */
export interface TableSum {
  name: string;
  rows: number;
  /** Digest of the rows as COPY writes them, in the order of their key. */
  sha256: string;
}

export interface BackupOptions {
  path: string;
  passphrase: string;
  /** Without these keys the encrypted values cannot be read. Read twice, since keys may be replaced meanwhile. */
  masterKeys: () => Promise<MasterKeys>;
  /** Version of this program. */
  version: string;
}

/** Rows are collected into chunks of this size. */
const PIECE_BYTES = 64 * 1024;

/**
 * Writes a backup of one snapshot of the database.
 * @throws Problem conflict: the file exists already; not_found: the database is empty
 */
export async function makeBackup(connection: Connection, options: BackupOptions): Promise<TableSum[]> {
  const { path, passphrase } = options;
  const before = await options.masterKeys();
  return copySession(connection, "read", async (session) => {
    const migrations = await listApplied(session);
    if (migrations.length === 0)
      throw new Problem("not_found", "This database is not a database of Gatehouse.");
    const tables = await listTables(session);
    const server = await describeServer(session);
    const sums: TableSum[] = [];
    // A key created after the first read, and used for a value in this snapshot, is in the second read; one that was dropped in
    // between was no longer used (decision 0197).
    const keys = new Set([...(await options.masterKeys()), ...before].map((key) => key.toString("hex")));
    await writeBackup(path, passphrase, async (write) => {
      await write({
        json: {
          kind: "start",
          version: options.version,
          made_at: server.now,
          oldest_event: server.oldestEvent,
          migrations,
          master_key: [...keys].join(" "),
          tables: tables.map(({ name }) => name),
        },
      });
      for (const table of tables) {
        await write({ json: { kind: "table", name: table.name, columns: table.columns } });
        const sum = await sumOf(session, table, (rows) => write({ rows }));
        await write({ json: { kind: "sum", ...sum } });
        sums.push(sum);
      }
      // Sequences are not transactional: read last, they are past every row above.
      await write({ json: { kind: "end", sequences: await listSequences(session) } });
    });
    return sums;
  });
}

/** Counts and hashes the rows of a table, and passes them on in chunks. */
export async function sumOf(
  session: CopySession,
  table: Table,
  hand: (rows: Buffer) => Promise<void> = async () => {},
): Promise<TableSum> {
  const hash = createHash("sha256");
  let gathered: Buffer[] = [];
  let size = 0;
  const flush = () => {
    const piece = Buffer.concat(gathered);
    gathered = [];
    size = 0;
    return hand(piece);
  };
  const rows = await session.copyOut(copyOutOf(table), (row) => {
    hash.update(row);
    gathered.push(row);
    size += row.length;
    return size >= PIECE_BYTES ? flush() : undefined;
  });
  if (size > 0) await flush();
  return { name: table.name, rows, sha256: hash.digest("hex") };
}
