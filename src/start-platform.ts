/** Makes a connected, migrated platform from the configuration: the embedded or an external database, and the master keys. */
import { randomBytes } from "node:crypto";
import type { ClientConfig } from "pg";
import { checkMasterKey, markMasterKey } from "./operations/check-master-key.ts";
import { mendEventNumbers } from "./operations/mend-event-numbers.ts";
import { checkServer } from "./platform/check-server.ts";
import { watchClock } from "./platform/clock-mark.ts";
import type { Config } from "./platform/config.ts";
import { connectionsFor } from "./platform/connections-for.ts";
import { type Db, openDb } from "./platform/db.ts";
import { isGone } from "./platform/db-errors.ts";
import { startEmbeddedPostgres } from "./platform/embedded-postgres.ts";
import { watchSpace } from "./platform/free-space.ts";
import { createLog } from "./platform/log.ts";
import { findMasterKeys, readMasterKeys } from "./platform/master-key.ts";
import { migrate } from "./platform/migrate.ts";
import type { Platform } from "./platform/platform.ts";
import { keysFrom, type MasterKeys } from "./platform/secret.ts";
import { allowService, findServiceRole, type ServiceAccess } from "./platform/service-role.ts";

export interface Started {
  platform: Platform;
  /** The connection as the owner of the tables. */
  connection: ClientConfig;
  /** The connection as the role that serves. */
  serving: ClientConfig;
  /** Names of the migrations that this start has applied. */
  applied: readonly string[];
  /** Releases the hold on a joined embedded database: from now on this process survives a short interruption. */
  letGo(): Promise<void>;
  /** Closes the connections, then stops the embedded database if this process started it. */
  stop(): Promise<void>;
}

/** Set by a cluster's primary for its workers, which must neither start the database nor migrate. */
export const CONNECTION_VARIABLE = "GATEHOUSE_WORKER_CONNECTION";

/** For processes that open nothing that is sealed. */
const STAND_IN: MasterKeys = [randomBytes(32)];

/** How often a start is repeated if the database that it joined was stopped meanwhile. */
const ATTEMPTS = 5;

/** Connections of the embedded database for commands beside the service, and for a second service that joined. */
const CONNECTIONS_BESIDE = 46;

interface Options {
  /** Applies no migration and makes no key. */
  preparesNothing?: boolean;
  /** Works even if the master key is not the one that the database was used with. */
  anyKey?: boolean;
  /**
   * Leaves standard output to the command's answer: the log goes to standard error. Ends an embedded database that it started
   * only once nobody else needs it.
   */
  isCommand?: boolean;
  /** When it is aborted, the start fails at once, whatever it is waiting for, and ends the database that it started. */
  signal?: AbortSignal;
}

/**
 * The service works as a role that cannot change tables, if there is one; commands work as the owner (decision 0210).
 * @throws Error when the database cannot be started, reached or migrated; ConfigError for a master key that is not its own
 */
export async function startPlatform(config: Config, options: Options = {}): Promise<Started> {
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

/** The database that was joined stopped with the process that had started it, such as a command that finished. */
class JoinedAndLost extends Error {}

async function startOnce(config: Config, options: Options, log: Platform["log"]): Promise<Started> {
  const access = await reachDatabase(config, log, options.isCommand);
  try {
    // It may wait for as long as another process migrates the database, and the work need not end well: the process ends.
    return await Promise.race([startWith(access, config, options, log), failsWith(options.signal)]);
  } catch (error) {
    await access.stop();
    throw access.hasJoined && isGone(error)
      ? new JoinedAndLost("lost while starting", { cause: error })
      : error;
  }
}

/** @throws Error when it is aborted */
function failsWith(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, fail) => {
    const stop = () => fail(new Error("the start was stopped"));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

async function startWith(
  access: DatabaseAccess,
  config: Config,
  options: Options,
  log: Platform["log"],
): Promise<Started> {
  const changes = !access.isWorker && !options.preparesNothing;
  if (config.databaseUrl && changes) await checkServers(access);
  const isKeyKnown = access.isWorker || options.anyKey || (await checkMasterKey(access.owner, config));
  const applied = changes ? await prepareDatabase(access, log) : [];
  if (applied.length > 0) log.info({ applied }, "migrated");
  // With `preparesNothing`, nothing sealed is opened, so a random key may replace one that has not been made yet.
  const found = options.preparesNothing ? await findMasterKeys(config).catch(() => undefined) : undefined;
  const keys = keysFrom(options.preparesNothing ? () => found ?? STAND_IN : await readMasterKeys(config));
  const { db, owner, serving, close } = openDatabase(access, options, log);
  const stop = async () => {
    await close();
    await access.stop();
  };
  const space = config.databaseUrl ? {} : { isShortOfSpace: watchSpace(config.dataDir, logSpace(log)) };
  const platform = {
    config,
    db,
    keys,
    log,
    isClockBehind: watchClock(db),
    ...(owner && { owner }),
    ...space,
  };
  try {
    if (!options.preparesNothing) await db.connect();
    if (!isKeyKnown && !options.preparesNothing) await markMasterKey(platform, access.owner);
    if (changes && !options.isCommand) await mendNumbers(platform, access);
  } catch (error) {
    await close();
    throw error;
  }
  return { platform, connection: access.owner, serving, applied, letGo: access.letGo, stop };
}

/** The database as the role that serves and, if that is another, as the owner. */
interface Opened {
  db: Db;
  owner: Db | undefined;
  /** The connection of `db`. */
  serving: ClientConfig;
  close(): Promise<unknown>;
}

function openDatabase(
  access: DatabaseAccess,
  { preparesNothing, isCommand }: Options,
  log: Platform["log"],
): Opened {
  const open = (connection: ClientConfig) =>
    openDb({
      connection,
      checkRows: process.env.GATEHOUSE_CHECK_ROWS === "true",
      onError: (error) => log.warn({ err: error }, "lost a database connection"),
    });
  // Commands are the operator's, who may do everything; and with `preparesNothing` the schema may not know another role yet.
  const service = preparesNothing || isCommand ? undefined : access.service;
  const serving = service?.connection ?? access.owner;
  // By their names a restore recognises services on this database.
  const db = open(isCommand ? { ...serving, application_name: "gatehouse command" } : serving);
  const owner = service ? open({ ...access.owner, application_name: "gatehouse owner" }) : undefined;
  return { db, owner, serving, close: () => Promise.all([db.close(), owner?.close()]) };
}

/** How the database is reached. */
interface DatabaseAccess {
  /** The connection as the owner of the tables; in a worker, as the role that serves. */
  owner: ClientConfig;
  /** The connection as a role that is not the owner; undefined: there is none. */
  service: ServiceAccess | undefined;
  isWorker: boolean;
  hasJoined: boolean;
  letGo(): Promise<void>;
  stop(): Promise<void>;
}

/** A connection by its address, without the name in it: by ours a restore recognises services. */
function connectionTo(address: string): ClientConfig {
  return { connectionString: address.replaceAll(/(?<=[?&])application_name=[^&]*&?/g, "") };
}

async function reachDatabase(
  config: Config,
  log: Platform["log"],
  isCommand = false,
): Promise<DatabaseAccess> {
  const nothing = async () => {};
  const access = { service: undefined, isWorker: false, hasJoined: false, letGo: nothing, stop: nothing };
  const handed = process.env[CONNECTION_VARIABLE];
  if (handed) return { ...access, owner: JSON.parse(handed) as ClientConfig, isWorker: true };
  if (config.databaseUrl) {
    const given = connectionTo(config.databaseUrl);
    if (!config.databaseOwnerUrl) return { ...access, owner: given };
    const owner = connectionTo(config.databaseOwnerUrl);
    return { ...access, owner, service: await findServiceRole(given, owner) };
  }
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    settings: { max_connections: String(CONNECTIONS_BESIDE + connectionsFor(config.workers)) },
    log: (line) => log.warn({ from: "postgres" }, line),
    isBrief: isCommand,
  });
  const { connection: owner, service, joined: hasJoined, letGo } = postgres;
  return { ...access, owner, service, hasJoined, letGo, stop: () => postgres.stop() };
}

/** @throws Error when the server is unfit */
async function checkServers({ owner, service }: DatabaseAccess): Promise<void> {
  if (service) await checkServer(service.connection);
  await checkServer(owner, service ? "DATABASE_OWNER_URL" : "DATABASE_URL");
}

/** Names of the migrations that were applied. @throws Error when the database cannot be migrated */
async function prepareDatabase({ owner, service }: DatabaseAccess, log: Platform["log"]): Promise<string[]> {
  const applied = await migrate(owner, undefined, (reason) => log.info(`waiting: ${reason}`));
  if (service) await allowService(owner, service);
  return applied;
}

/** What cannot be done now, as while a backup reads the events, does not keep a service from receiving alerts. */
async function mendNumbers({ db, log }: Platform, { owner }: DatabaseAccess): Promise<void> {
  try {
    const wereForeign = await mendEventNumbers(db.pooled, owner);
    if (wereForeign)
      log.warn("the events came from another server: cursors of the time before are refused from now on");
  } catch (err) {
    if (isGone(err)) throw err;
    log.error(
      { err },
      "the events came from another server and could not be renumbered: run gatehouse events new-epoch",
    );
  }
}

function logSpace(log: Platform["log"]) {
  return (short: boolean) => {
    if (short) log.error("the disk of the database is nearly full: no alerts and events are taken in");
    else log.warn("the disk of the database has room again");
  };
}
