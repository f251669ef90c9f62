/** Starts the bundled PostgreSQL, or joins the server that already runs in the data directory. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isGone } from "./db-errors.ts";
import {
  findPostgresBinaries,
  postgresPackageVersion,
  preparePostgresBinaries,
} from "./embedded-postgres-binaries.ts";
import {
  type Cluster,
  ensureCluster,
  findHolder,
  OWNER_ROLE,
  type Passwords,
  placeCluster,
  readPasswords,
  SERVICE_ROLE,
} from "./embedded-postgres-cluster.ts";
import { holdServer, type LetGo, waitForGuests } from "./embedded-postgres-guests.ts";
import {
  type DataDirectoryLock,
  lastDataDirectoryOwner,
  takeDataDirectoryLock,
} from "./embedded-postgres-lock.ts";
import { endLeftoverPostmaster, findReadyPostmaster } from "./embedded-postgres-postmaster.ts";
import {
  chooseServerIdentity,
  type RootMode,
  runAs,
  type ServerIdentity,
} from "./embedded-postgres-privileges.ts";
import { runServer } from "./embedded-postgres-server.ts";

export interface EmbeddedPostgresOptions {
  /** GATEHOUSE_DATA_DIR; created with mode 0700. The cluster is its subdirectory `postgres`. */
  dataDir: string;
  /** More server settings, such as `fsync: "off"` for throw-away data; they override the built-in ones. */
  settings?: Record<string, string>;
  /** Takes one line for the operator at a time: warnings and worse, and the launcher's own actions. */
  log: (line: string) => void;
  /** How to give up the privileges of root; `auto` is the default. */
  rootMode?: RootMode;
  /** The directory with `bin`, `lib` and `share`, instead of that of the installed package. */
  binaries?: string;
  /** For a command: if it owns the server, it stops it only when no process that joined holds it. */
  isBrief?: boolean;
}

/** Connection settings for `pg`, which stay the same across restarts. `host` is the directory of a Unix socket. */
export interface EmbeddedConnection {
  host: string;
  port: number;
  user: string;
  database: string;
  password: string;
}

export interface EmbeddedPostgres {
  /** Connects as the role that owns the database. */
  readonly connection: EmbeddedConnection;
  /** Connects as the role that owns nothing; undefined if the running server was set up by a version without it. */
  readonly service: { connection: EmbeddedConnection; role: string } | undefined;
  /** True while another process owns the server. */
  readonly joined: boolean;
  /** Releases the hold on a joined server, e.g. of a service that has started: it takes over when the owner stops. */
  letGo: LetGo;
  /** Ends the server if this process owns it, and waits at most about 40 s. Safe to call twice. */
  stop(): Promise<void>;
  /** Calls `listener` each time the server has died by itself and is being restarted. */
  onExit(listener: () => void): void;
}

const JOIN_PATIENCE_MS = 60_000;
const JOIN_POLL_MS = 100;
/** How many times a server may disappear while it is joined, before that is an error: its socket may never be visible here. */
const MAX_LOST = 5;
const TAKE_OVER_POLL_MS = 300;
const TAKE_OVER_RETRY_MS = 2_000;

/**
 * Starts PostgreSQL, at the first start with a new cluster, and returns when it accepts connections. If another process owns the
 * server of this data directory, joins that server, holds it, and starts a new one when that process ends (decision 0003). A
 * server left by a killed process is ended first.
 * @throws Error that says what to do when it cannot.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await placeCluster(options.dataDir);
  const listeners: (() => void)[] = [];
  const died = () => {
    for (const listener of listeners) listener();
  };
  const onExit = (listener: () => void) => void listeners.push(listener);
  const deadline = Date.now() + JOIN_PATIENCE_MS;
  let lost = 0;
  for (;;) {
    const lock = takeDataDirectoryLock(cluster.dataDir);
    if (lock) {
      const { passwords, stop } = await startOwned(cluster, options, lock, died);
      const letGo = async () => {};
      return { ...connectionsTo(cluster.socketDir, passwords), joined: false, letGo, stop, onExit };
    }
    const found = await findReadyPostmaster(cluster.directory, cluster.name);
    const { owner, service } = await readPasswords(cluster.dataDir);
    if (found && owner !== undefined) {
      const connections = connectionsTo(found.socketDir, { owner, service });
      const letGo = await holdServer(connections.connection).catch((error) => {
        if (!isGone(error) || ++lost >= MAX_LOST) throw error;
        return undefined;
      });
      if (letGo) {
        const stop = takeOverLater({ ...cluster, socketDir: found.socketDir }, options, died, letGo);
        return { ...connections, joined: true, letGo, stop, onExit };
      }
    }
    if (Date.now() > deadline) {
      const owner = lastDataDirectoryOwner(cluster.dataDir);
      throw new Error(
        `the data directory ${cluster.dataDir} is in use by process ${owner}, which has no database running`,
      );
    }
    await sleep(JOIN_POLL_MS);
  }
}

interface Ownership {
  passwords: Passwords;
  stop(): Promise<void>;
}

async function startOwned(
  cluster: Cluster,
  options: EmbeddedPostgresOptions,
  lock: DataDirectoryLock,
  died: () => void,
): Promise<Ownership> {
  const { log, settings = {}, isBrief = false } = options;
  try {
    const holder = await findHolder(cluster.directory);
    const identity = await chooseServerIdentity(options.rootMode ?? "auto", holder);
    const native = await runnableBinaries(options.binaries ?? findPostgresBinaries(), cluster, identity);
    await endLeftoverPostmaster(cluster.directory, cluster.name, log);
    const passwords = await ensureCluster(cluster, native, identity);
    const server = await runServer({ cluster, native, identity, settings, log, died });
    let stopped: Promise<void> | undefined;
    const end = async () => {
      if (isBrief) await waitForGuests(connectionsTo(cluster.socketDir, passwords).connection, log);
      await server.stop();
    };
    const stop = () => {
      stopped ??= end().finally(lock.release);
      return stopped;
    };
    return { passwords, stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function runnableBinaries(native: string, cluster: Cluster, identity: ServerIdentity): Promise<string> {
  const failure = async (place: string) => {
    const { ok, output } = await runAs(identity, [join(place, "bin", "postgres"), "--version"], { cwd: "/" });
    return ok ? undefined : output;
  };
  // The user that PostgreSQL runs as instead of root cannot read the data directory.
  const places =
    identity.spawnOptions.uid === undefined ? [cluster.dataDir] : ["/var/lib/gatehouse", tmpdir()];
  const name = `gatehouse-postgresql-${postgresPackageVersion(native)}`;
  const copies = places.map((place) => join(place, name));
  return preparePostgresBinaries(native, copies, failure);
}

/** Waits until the owner of the server is gone, then starts a server in its place, at the same socket. */
function takeOverLater(
  cluster: Cluster,
  options: EmbeddedPostgresOptions,
  died: () => void,
  letGo: LetGo,
): () => Promise<void> {
  const stopping = new AbortController();
  let owned: Ownership | undefined;
  const pause = (ms: number) =>
    sleep(ms, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);

  const watch = async () => {
    while (!owned && !stopping.signal.aborted) {
      await pause(TAKE_OVER_POLL_MS);
      if (stopping.signal.aborted) return;
      try {
        const lock = takeDataDirectoryLock(cluster.dataDir);
        if (!lock) continue;
        options.log("the process that ran PostgreSQL ended; running it here");
        died();
        owned = await startOwned(cluster, options, lock, died);
      } catch (error) {
        options.log(error instanceof Error ? error.message : String(error));
        await pause(TAKE_OVER_RETRY_MS);
      }
    }
  };
  const watching = watch();
  return async () => {
    stopping.abort();
    await letGo();
    await watching;
    await owned?.stop();
  };
}

function connectionsTo(
  host: string,
  { owner, service }: { owner: string; service: string | undefined },
): Pick<EmbeddedPostgres, "connection" | "service"> {
  const place = { host, port: 5432, database: OWNER_ROLE };
  return {
    connection: { ...place, user: OWNER_ROLE, password: owner },
    service: service
      ? { connection: { ...place, user: SERVICE_ROLE, password: service }, role: SERVICE_ROLE }
      : undefined,
  };
}
