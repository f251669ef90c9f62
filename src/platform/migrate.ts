/** Applies the numbered SQL files of `migrations/`, each once, in order, under a lock. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { singleClient } from "./db-client.ts";
import { isLockTimeout } from "./db-errors.ts";
import { beginSession } from "./db-session.ts";

const DIRECTORY = new URL("../../migrations/", import.meta.url);
/** An arbitrary number that all processes of one database share. */
export const MIGRATION_LOCK = 7_239_401;

/** How long a migration waits for a lock, how long it then pauses, and how often: a minute in all. */
const LOCK_PATIENCE_MS = 200;
const PAUSE_MS = 400;
const ATTEMPTS = 100;
const BEGIN = `begin; set local lock_timeout = ${LOCK_PATIENCE_MS}`;

export interface Migration {
  number: number;
  name: string;
  text: string;
  sha256: string;
  /** The previous version of the service does not run on it: its first line begins with `-- breaking`. */
  breaking: boolean;
}

/** Reads the migrations in order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(DIRECTORY)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, DIRECTORY), "utf8");
      return {
        number: Number(name.slice(0, 4)),
        name,
        text,
        sha256: createHash("sha256").update(text).digest("hex"),
        breaking: text.startsWith("-- breaking"),
      };
    }),
  );
}

/** Called when a start has to wait, with the reason for its log. */
type OnWait = (reason: string) => void;

/**
 * Brings the schema up to date under an advisory lock; concurrent starters wait and then find nothing to do. Each file is one
 * transaction. A schema that is newer than this program is left as it is. Returns the names of the applied files.
 * @param upTo the number of the last migration to apply; all by default
 * @throws Error if an applied file was changed since, or this program does not run on the newer schema
 */
export async function migrate(
  connection: pg.ClientConfig,
  upTo = Number.POSITIVE_INFINITY,
  onWait: OnWait = () => {},
): Promise<string[]> {
  const client = singleClient(connection);
  await client.connect();
  try {
    // Waiting for another starter and migrating large tables may take long, so the role's timeouts are switched off.
    await beginSession(client, { timezone: "UTC", statement_timeout: 0, lock_timeout: 0 });
    await takeTurn(client, onWait);
    await prepareHistory(client, onWait);
    const { rows } = await client.query<Applied>(
      "select number, sha256, name, breaking from schema_migrations order by number",
    );
    const applied = new Map(rows.map((row) => [row.number, row]));
    const migrations = await readMigrations();
    const newest = migrations.at(-1)?.number ?? 0;
    const unknown = rows.find((row) => row.number > newest && row.breaking);
    if (unknown) {
      throw new Error(
        `the database has migration ${unknown.name}, which this version does not support: start the version that applied it, or restore an earlier backup`,
      );
    }
    const done: string[] = [];
    for (const migration of migrations) {
      const before = applied.get(migration.number);
      if (before && before.sha256 !== migration.sha256) {
        throw new Error(`migration ${migration.name} was changed after it had been applied`);
      }
      if (before || migration.number > upTo) continue;
      await withShortWaits(client, `migration ${migration.name}`, onWait, () => apply(client, migration));
      done.push(migration.name);
    }
    return done;
  } finally {
    await client.end();
  }
}

/** Takes the lock of migrations, which ends with the connection. */
async function takeTurn(client: pg.Client, onWait: OnWait): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
    MIGRATION_LOCK,
  ]);
  if (rows[0]?.taken) return;
  onWait("another process migrates the database");
  await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
}

interface Applied {
  number: number;
  sha256: string;
  name: string;
  breaking: boolean;
}

/** `breaking` is set when a migration is applied, and read by older versions of the program. */
async function prepareHistory(client: pg.Client, onWait: OnWait): Promise<void> {
  await client.query(
    `create table if not exists schema_migrations (
       number integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now(),
       breaking boolean not null default false)`,
  );
  // `add column if not exists` locks the table before it looks, and so would wait for the end of a backup, which has read it.
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'breaking'",
  );
  if (rowCount) return;
  await withShortWaits(client, "the preparation of migrations", onWait, () =>
    client.query(
      `${BEGIN}; alter table schema_migrations add column breaking boolean not null default false; commit`,
    ),
  );
}

/**
 * Runs a transaction that begins with `BEGIN`. Readers and writers queue behind one that waits for a table lock, so it gives up
 * soon and tries again (reliability F36).
 */
async function withShortWaits(
  client: pg.Client,
  name: string,
  onWait: OnWait,
  transaction: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await transaction();
      return;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      const isLocked = isLockTimeout(error);
      if (isLocked && attempt < ATTEMPTS) {
        if (attempt === 1) onWait(`another session locks a table that ${name} changes`);
        await sleep(PAUSE_MS);
        continue;
      }
      const advice = isLocked
        ? ": another session locks a table that it changes; look for long transactions"
        : "";
      throw new Error(`${name} failed: ${(error as Error).message}${advice}`, { cause: error });
    }
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(BEGIN);
  await client.query(
    "insert into schema_migrations (number, name, sha256, breaking) values ($1, $2, $3, $4)",
    [migration.number, migration.name, migration.sha256, migration.breaking],
  );
  await client.query(migration.text);
  await client.query("commit");
}
