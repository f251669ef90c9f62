/** Runs one PostgreSQL server and restarts it whenever it dies. */
import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, clusterArgument, ensureSocketDirectory } from "./embedded-postgres-cluster.ts";
import { LOG_LINE_PREFIX, postgresLog } from "./embedded-postgres-log.ts";
import { endLeftoverPostmaster, endPostmaster, readPostmaster } from "./embedded-postgres-postmaster.ts";
import { type ServerIdentity, serverEnvironment } from "./embedded-postgres-privileges.ts";

/** Everything that a start needs. */
export interface ServerPlan {
  cluster: Cluster;
  native: string;
  identity: ServerIdentity;
  settings: Record<string, string>;
  log: (line: string) => void;
  /** Called each time the server ends unexpectedly. */
  died: () => void;
}

export interface RunningServer {
  stop(): Promise<void>;
}

const SETTINGS = {
  listen_addresses: "",
  port: "5432",
  unix_socket_permissions: "0700",
  max_connections: "60",
  shared_buffers: "128MB",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  logging_collector: "off",
  log_destination: "stderr",
  log_min_messages: "warning",
  log_checkpoints: "off",
  // Keeps statements and values of rows out of the log.
  log_error_verbosity: "terse",
  log_min_error_statement: "panic",
};

const FIRST_DELAY_MS = 200;
const LAST_DELAY_MS = 5_000;
// A server that ran this long is not in a crash loop.
const SETTLED_MS = 30_000;
// How long the processes of a killed server may take to notice and end.
const PATIENCE_MS = 30_000;
const LAST_WORDS_MS = 50;
// Errors that go away as soon as the last processes of the former server are gone.
const PASSING = /pre-existing shared memory block|lock file .* already exists/;

/**
 * Starts the server and returns when it accepts connections; from then on restarts it when it dies, after 0.2 s growing to 5 s.
 * The caller holds the lock of the data directory.
 * @throws Error with PostgreSQL's own words when it cannot be started at all.
 */
export async function runServer(plan: ServerPlan): Promise<RunningServer> {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let restarting = Promise.resolve();
  let delay = FIRST_DELAY_MS;

  const launch = async () => {
    await endLeftoverPostmaster(plan.cluster.directory, plan.cluster.name, plan.log);
    await ensureSocketDirectory(plan.cluster.socketDir, plan.identity);
    const former = await readPostmaster(plan.cluster.directory);
    stopping.signal.throwIfAborted();
    const server = spawnServer(plan);
    child = server.child;
    await untilReady(plan, server, former?.writtenAt);
    const since = Date.now();
    server.child.once("exit", (code, signal) => {
      if (stopping.signal.aborted) return;
      plan.log(`PostgreSQL ended (${signal ?? `exit code ${code}`}); starting it again`);
      if (Date.now() - since > SETTLED_MS) delay = FIRST_DELAY_MS;
      restarting = restart();
      plan.died();
    });
  };

  const restart = async () => {
    while (!stopping.signal.aborted) {
      try {
        await sleep(delay, undefined, { signal: stopping.signal });
        delay = Math.min(delay * 2, LAST_DELAY_MS);
        await launch();
        plan.log("PostgreSQL accepts connections again");
        return;
      } catch (error) {
        if (!stopping.signal.aborted) plan.log(messageOf(error));
      }
    }
  };

  // Where the system cannot tie the server's lifetime to this process, at least an orderly exit ends it.
  const onProcessExit = () => child?.kill("SIGINT");
  process.once("exit", onProcessExit);
  try {
    await launchPatiently(launch);
  } catch (error) {
    process.off("exit", onProcessExit);
    throw error;
  }
  return {
    async stop() {
      stopping.abort();
      if (child?.pid !== undefined && !hasExited(child)) await endPostmaster(child.pid);
      await restarting;
      await rm(plan.cluster.socketDir, { recursive: true, force: true });
      process.off("exit", onProcessExit);
    },
  };
}

async function launchPatiently(launch: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await launch();
    } catch (error) {
      if (!PASSING.test(messageOf(error)) || Date.now() > deadline) throw error;
      await sleep(FIRST_DELAY_MS);
    }
  }
}

interface SpawnedServer {
  child: ChildProcess;
  /** Why it ended; undefined while it runs. */
  failure(): string | undefined;
}

function spawnServer({ cluster, native, identity, settings, log }: ServerPlan): SpawnedServer {
  const all = {
    ...SETTINGS,
    ...settings,
    cluster_name: cluster.name,
    log_line_prefix: LOG_LINE_PREFIX,
    unix_socket_directories: `"${cluster.socketDir.replaceAll('"', '""')}"`,
  };
  const words = [
    ...identity.lifetimePrefix,
    join(native, "bin", "postgres"),
    ...["-D", clusterArgument(cluster.directory)],
    ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const [file, ...args] = words as [string, ...string[]];
  const child = spawn(file, args, {
    cwd: cluster.directory,
    ...identity.spawnOptions,
    env: serverEnvironment(),
    stdio: ["ignore", "ignore", "pipe"],
    // A separate process group: Ctrl-C in a terminal must reach the service alone, which drains first.
    detached: true,
  });
  const lines = postgresLog(log);
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => lines.write(chunk));
  let failure: string | undefined;
  child.once("error", (error) => {
    failure = error.message;
  });
  // Not "close", which waits for every process that still holds the pipe: the last lines arrive soon after the exit.
  child.once("exit", async () => {
    await sleep(LAST_WORDS_MS);
    failure ??= lines.recent() || "it ended without a message";
  });
  return { child, failure: () => failure };
}

async function untilReady(
  plan: ServerPlan,
  { child, failure }: SpawnedServer,
  formerlyWrittenAt: number | undefined,
): Promise<void> {
  for (let step = 1; ; step++) {
    const reason = failure();
    if (reason !== undefined) throw new Error(`PostgreSQL does not start: ${reason}`);
    const found = await readPostmaster(plan.cluster.directory);
    // In a container process ids repeat: the former server may have had this one.
    const isItsOwn = found?.pid === child.pid && found?.writtenAt !== formerlyWrittenAt;
    if (isItsOwn && found?.ready && !hasExited(child)) return;
    if (step % 500 === 0) plan.log("PostgreSQL is still starting (after a crash it replays its log first)");
    await sleep(20);
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
