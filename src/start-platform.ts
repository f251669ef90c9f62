/** From configuration to a connected, migrated platform: the embedded database or one's own, and the keys. */
import { randomBytes } from "node:crypto";
import type { ClientConfig } from "pg";
import { checkServer } from "./platform/check-server.ts";
import { watchClock } from "./platform/clock-mark.ts";
import type { Config } from "./platform/config.ts";
import { openDb } from "./platform/db.ts";
import { isGone } from "./platform/db-errors.ts";
import { startEmbeddedPostgres } from "./platform/embedded-postgres.ts";
import { watchSpace } from "./platform/free-space.ts";
import { createLog } from "./platform/log.ts";
import { findMasterKeys, readMasterKeys } from "./platform/master-key.ts";
import { migrate } from "./platform/migrate.ts";
import type { Platform } from "./platform/platform.ts";
import { keysFrom, type MasterKeys } from "./platform/secret.ts";

export interface Started {
  platform: Platform;
  connection: ClientConfig;
  /** Names of the migrations that this start has applied. */
  applied: readonly string[];
  /** Closes the connections, then stops the embedded database if this process started it. */
  stop(): Promise<void>;
}

/** Set by a cluster's primary for its workers, which must neither start the database nor migrate. */
export const CONNECTION_VARIABLE = "GATEHOUSE_WORKER_CONNECTION";

/** Of those who open nothing. */
const STAND_IN: MasterKeys = [randomBytes(32)];

/** How often a start begins anew when the database that it had joined was ended under it. */
const ATTEMPTS = 5;

/** What a process opens at most: its pool and two pipelines, and those that listen or copy. */
const CONNECTIONS_A_PROCESS = 14;
/** Commands beside the service, and a second service that joined. */
const CONNECTIONS_BESIDE = 46;

/** Room in the embedded database for the workers and the process above them. */
function connectionsFor(workers: number): number {
  return CONNECTIONS_BESIDE + CONNECTIONS_A_PROCESS * (workers === 1 ? 1 : workers + 1);
}

/**
 * @param options.asItIs applies no migration and makes no key
 * @param options.isCommand leaves standard output to what is answered there: the log goes beside it
 * @throws Error when the database cannot be started, reached or migrated
 */
export async function startPlatform(
  config: Config,
  options: { asItIs?: boolean; isCommand?: boolean } = {},
): Promise<Started> {
  const log = createLog(config, options.isCommand ? process.stderr : undefined);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(config, options, log);
    } catch (error) {
      const isOver = error instanceof JoinedAndLost && attempt < ATTEMPTS;
      if (!isOver) throw error instanceof JoinedAndLost ? error.cause : error;
      log.warn({ err: error.cause }, "the process that ran the database ended it; starting anew");
    }
  }
}

/** The database that was joined ended with the process that had started it, such as a command that was done. */
class JoinedAndLost extends Error {}

async function startOnce(
  config: Config,
  options: { asItIs?: boolean },
  log: Platform["log"],
): Promise<Started> {
  const handed = process.env[CONNECTION_VARIABLE];
  let connection: ClientConfig;
  let stopDatabase = async () => {};
  let hasJoined = false;
  if (handed) {
    connection = JSON.parse(handed) as ClientConfig;
  } else if (config.databaseUrl) {
    connection = { connectionString: config.databaseUrl };
  } else {
    const postgres = await startEmbeddedPostgres({
      dataDir: config.dataDir,
      settings: { max_connections: String(connectionsFor(config.workers)) },
      log: (line) => log.warn({ from: "postgres" }, line),
    });
    connection = postgres.connection;
    stopDatabase = () => postgres.stop();
    hasJoined = postgres.joined;
  }
  try {
    if (config.databaseUrl && !handed && !options.asItIs) await checkServer(connection);
    const applied = handed || options.asItIs ? [] : await migrate(connection);
    if (applied.length > 0) log.info({ applied }, "migrated");
    // Who leaves all as it is opens nothing that is sealed, so a key of no use may stand in for one not made yet.
    const found = options.asItIs ? await findMasterKeys(config).catch(() => undefined) : undefined;
    const keys = keysFrom(options.asItIs ? () => found ?? STAND_IN : await readMasterKeys(config));
    const db = openDb({
      connection,
      checkRows: process.env.GATEHOUSE_CHECK_ROWS === "true",
      onError: (error) => log.warn({ err: error }, "lost a database connection"),
    });
    const stop = async () => {
      await db.close();
      await stopDatabase();
    };
    const space = config.databaseUrl ? {} : { isShortOfSpace: watchSpace(config.dataDir, tellSpace(log)) };
    const platform = { config, db, keys, log, ...space, isClockBehind: watchClock(db) };
    return { platform, connection, applied, stop };
  } catch (error) {
    await stopDatabase();
    throw hasJoined && isGone(error) ? new JoinedAndLost("lost while starting", { cause: error }) : error;
  }
}

function tellSpace(log: Platform["log"]) {
  return (short: boolean) => {
    if (short) log.error("the disk of the database is nearly full: no alerts and events are taken in");
    else log.warn("the disk of the database has room again");
  };
}
