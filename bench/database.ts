/** The throw-away database of the bench: the embedded PostgreSQL with its durable settings. */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type pg from "pg";
import { startEmbeddedPostgres } from "../src/platform/embedded-postgres.ts";
import { migrate } from "../src/platform/migrate.ts";
import type { Options } from "./options.ts";

export interface BenchDatabase {
  /** Connects as the owner of the tables. */
  connection: pg.ClientConfig;
  /** Connects as the service role. */
  serving: pg.ClientConfig;
  /** The server's main process, of which all others are descendants. */
  pid: number;
  /** A directory that `stop` deletes. */
  directory: string;
  stop(): Promise<void>;
}

/** Starts the database with empty tables; nothing of it remains after `stop`. */
export async function startBenchDatabase(
  options: Options,
  say: (line: string) => void,
): Promise<BenchDatabase> {
  const parent = resolve(options.directory);
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, "bench-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    // The bare servers and the service together need more connections than the service alone.
    const settings = { max_connections: "150" };
    const postgres = await startEmbeddedPostgres({ dataDir: directory, settings, log: say });
    const stop = () => postgres.stop().finally(remove);
    try {
      const { connection, service } = postgres;
      await migrate(connection);
      const file = await readFile(join(directory, "postgres", "postmaster.pid"), "utf8");
      const pid = Number(file.split("\n")[0]);
      return { connection, serving: service?.connection ?? connection, pid, directory, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}
