/** `gatehouse serve`: starts the service, prints its address, and stops it cleanly on SIGTERM, SIGINT and SIGHUP. */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";
import { administratorFaults } from "../accounts/administrator-faults.ts";
import { createSetupLink, ensureAdministrator, SETUP_LINK_SECONDS } from "../accounts/first-administrator.ts";
import { learnGivenTokens } from "../accounts/given-tokens.ts";
import { buildApp } from "../app.ts";
import { logoutSender } from "../oauth/send-logout-token.ts";
import { startOutbox } from "../outbox/start-outbox.ts";
import { compactAfterFloods, compactHeap } from "../platform/compact-heap.ts";
import type { AdministratorFaults, Config } from "../platform/config.ts";
import { leave } from "../platform/leave.ts";
import { createLog } from "../platform/log.ts";
import { watchOverload } from "../platform/overload.ts";
import { announceStop } from "../platform/readiness.ts";
import { restartPauseSeconds } from "../platform/restart-pause.ts";
import { forgetAddress, noteAddress } from "../platform/service-address.ts";
import { unknownVariables } from "../platform/unknown-variables.ts";
import { relayMetrics } from "../platform/worker-metrics.ts";
import { CONNECTION_VARIABLE, type Started, startPlatform } from "../start-platform.ts";
import { startSweeps } from "../sweeps.ts";
import { plainOptions } from "./plain-options.ts";

const USAGE = `Usage: gatehouse serve [--json]

Starts the service and, without DATABASE_URL, its embedded database; brings the schema up to date; prints its URL; and runs
until SIGTERM, SIGINT or, unless started with nohup, SIGHUP. While there is no administrator it prints a setup link to create
one. All configuration is done with environment variables (README.md, "Configure").

  --json   print both as lines of JSON, like the log: {"setup_url": "…", "expires_in": 1800}, {"url": "…", "workers": 1}

Exit codes: 0 stopped by a signal, 1 failed, 64 wrong usage, 78 wrong configuration.
For example: PORT=8080 gatehouse serve
`;

/** How long the service keeps serving after it reports that it is not ready, so that a load balancer notices. */
const NOTICE_SECONDS = 2;
/** How long requests, and messages that are being sent, may take to finish after a stop was requested. */
const DRAIN_SECONDS = 8;
/**
 * How long a start may take to end after a stop was requested, which includes that the embedded database stops; then the process
 * ends whatever it has begun.
 */
const START_END_SECONDS = 45;
/** How often idle connections without any request are closed then; data of a distant client arrives within that time. */
const SILENT_MS = 1000;
/** Time limit for all of that after an uncaught exception, which may have broken the shutdown too. */
const FAILED_SECONDS = 20;

/** Message of the primary to its workers when nobody has to be given notice. */
const LEAVE_AT_ONCE = "exiting immediately";

/** Undoes one step of the start. @param givesNotice whether load balancers need time to notice the stop */
type Closer = (givesNotice: boolean) => Promise<void>;

export async function serveCommand(
  args: readonly string[],
  readConfig: (adminFaults: AdministratorFaults) => Config,
): Promise<void> {
  const given = plainOptions(args, USAGE);
  if (given) await serve(readConfig(administratorFaults), given.json);
}

/** Serves until a signal; closes everything that was started, in reverse order, also if a later step fails. */
async function serve(config: Config, asJson: boolean): Promise<void> {
  // Saves memory: the heap is collected when it has grown by a tenth instead of fourfold, and Maglev, the compiler that needs the
  // most memory, is off (decisions 0052 and 0173), so TurboFan has to start early (decision 0213). The maximum size of the heap
  // is unchanged.
  setFlagsFromString("--heap-growing-percent=10");
  setFlagsFromString("--no-maglev");
  setFlagsFromString("--invocation-count-for-turbofan=200");
  setFlagsFromString("--minimum-invocations-after-ic-update=100");
  // A full disk below the log, or a closed pipe, must not end the service.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const closers: Closer[] = [];
  const abandoned = new AbortController();
  const starting = start(config, asJson, closers, abandoned.signal);
  let stopping = false;
  const stop = async (givesNotice: boolean, code = 0) => {
    // A second signal ends the process at once.
    if (stopping) leave(1);
    stopping = true;
    abandoned.abort();
    await Promise.race([starting.catch(() => {}), sleep(START_END_SECONDS * 1000)]);
    await closeAll(closers, givesNotice);
    leave(code);
  };
  const log = createLog(config);
  if (cluster.isPrimary) {
    for (const variable of unknownVariables(process.env)) log.warn({ variable }, "unknown setting");
  }
  // The state after an uncaught exception is unknown, so the process ends; but other requests are finished first (reference
  // reliability E).
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "an uncaught error ends the process");
    setTimeout(() => leave(1), FAILED_SECONDS * 1000);
    if (!stopping) void stop(true, 1);
  });
  process.on("SIGTERM", () => stop(true));
  // Ctrl-C comes from a person who waits; without a terminal SIGINT comes from a supervisor (decision 0166).
  if (cluster.isPrimary) process.on("SIGINT", () => stop(!isatty(0)));
  else {
    // A terminal sends SIGINT to the workers too; they stop when the primary tells them.
    process.on("SIGINT", () => {});
    process.on("message", (message) => message === LEAVE_AT_ONCE && stop(false));
  }
  // A closing terminal sends SIGHUP to all its processes, including workers, possibly twice.
  const stopsOnHangup = cluster.isPrimary && process.env.GATEHOUSE_NOHUP === undefined;
  process.on("SIGHUP", () => void (stopsOnHangup && !stopping && stop(true)));
  try {
    await starting;
  } catch (error) {
    if (stopping) return;
    await closeAll(closers, false);
    throw error;
  }
}

async function start(
  config: Config,
  asJson: boolean,
  closers: Closer[],
  abandoned: AbortSignal,
): Promise<void> {
  const started = await startPlatform(config, { signal: abandoned });
  closers.push(started.stop);
  if (cluster.isPrimary) await offerSetupLink(started, asJson);
  const supervises = cluster.isPrimary && config.workers > 1;
  closers.push(supervises ? await superviseWorkers(config, started) : await listen(started));
  if (!cluster.isPrimary) return;
  await noteAddress(config);
  await started.letGo();
  closers.push(async () => forgetAddress(config));
  const { publicUrl: url, workers } = config;
  const workerWords = supervises ? ` with ${workers} workers` : "";
  print(asJson, `Gatehouse serves at ${url}${workerWords}\n`, { url, workers });
  const stopSweeps = startSweeps(started.platform);
  closers.push(async () => stopSweeps());
}

/** A step that fails to close does not prevent the others. */
async function closeAll(closers: readonly Closer[], givesNotice: boolean): Promise<void> {
  for (const close of closers.toReversed()) {
    await close(givesNotice).catch((error) => void process.stderr.write(`${error?.stack ?? error}\n`));
  }
}

async function offerSetupLink({ platform }: Started, asJson: boolean): Promise<void> {
  if (await ensureAdministrator(platform)) return;
  // A start that finds the port in use must not invalidate the link of the service that runs there.
  await tryPort(platform.config);
  const link = await createSetupLink(platform);
  const text = `\n  No administrator yet. Within 30 minutes, open\n\n    ${link}\n\n`;
  print(asJson, text, { setup_url: link, expires_in: SETUP_LINK_SECONDS });
}

/** @throws Error when the port cannot be opened */
async function tryPort({ host, port }: Config): Promise<void> {
  const door = createServer().listen({ host, port });
  await once(door, "listening").catch((error) => notListening(error, host, port));
  door.close();
  await once(door, "close");
}

/** Adds the address, so that an unknown host name is not mistaken for that of the database. */
function notListening(error: Error, host: string, port: number): never {
  throw Object.assign(error, { listensAt: `${host}:${port}` });
}

function print(asJson: boolean, text: string, json: Readonly<Record<string, unknown>>): void {
  process.stdout.write(asJson ? `${JSON.stringify(json)}\n` : text);
}

async function listen({ platform }: Started): Promise<Closer> {
  await learnGivenTokens(platform);
  const overload = watchOverload((isOverloaded) => {
    if (isOverloaded) platform.log.error("the process is overloaded: requests are refused");
    else platform.log.warn("the process is no longer overloaded");
  });
  const app = await buildApp({ ...platform, isOverloaded: overload.isOverloaded });
  const { host, port } = platform.config;
  compactHeap();
  await app.listen({ host, port }).catch((error) => notListening(error, host, port));
  const underWay = new Set<ServerResponse>();
  app.server.on("request", (_request, answer: ServerResponse) => {
    underWay.add(answer);
    answer.once("close", () => underWay.delete(answer));
  });
  const connections = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  const stopOutbox = startOutbox(platform, { logout: logoutSender });
  const stopCompacting = compactAfterFloods();
  return async (givesNotice) => {
    announceStop(platform.db);
    stopCompacting();
    overload.stop();
    // Closes kept-alive connections with their next response, also one to an earlier request, so that no connection is cut while
    // a request is on its way.
    for (const answer of underWay) answer.shouldKeepAlive = false;
    app.server.prependListener("request", (_request, answer: ServerResponse) => {
      answer.shouldKeepAlive = false;
    });
    if (givesNotice) await sleep(NOTICE_SECONDS * 1000);
    const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_SECONDS * 1000);
    // The server would also wait for a request on connections without any.
    const ending = setInterval(() => {
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
    }, SILENT_MS);
    await Promise.all([app.close(), stopOutbox(DRAIN_SECONDS)]);
    clearTimeout(cut);
    clearInterval(ending);
  };
}

/** A message to a worker that has just died is lost, as its exit says; this must not end the primary, nor hide why a start failed. */
function throwUnlessGone(error: NodeJS.ErrnoException): void {
  if (!GONE.has(error.code ?? "")) throw error;
}
const GONE: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "ERR_IPC_CHANNEL_CLOSED"]);

/** Not `once` of node:events, which would fail with the error of a lost message. */
function exitOf(worker: Worker): Promise<void> {
  return new Promise((done) => void worker.once("exit", () => done()));
}

/**
 * Forks the workers and replaces each that dies; they share the port and the primary's database.
 * @throws Error if one ends before all serve: the same cause would keep the next one from starting
 */
async function superviseWorkers(config: Config, { serving: connection, platform }: Started): Promise<Closer> {
  let stopping = false;
  // Workers do not need the owner's address, and should not be able to leak it.
  const environment = {
    [CONNECTION_VARIABLE]: JSON.stringify(connection),
    DATABASE_OWNER_URL: undefined,
    DATABASE_OWNER_URL_FILE: undefined,
  };
  const starts = new Map<number, { at: number; pauseSeconds: number }>();
  const fork = (pauseSeconds: number) => {
    if (stopping) return;
    const { id } = cluster.fork(environment).on("error", throwUnlessGone);
    starts.set(id, { at: performance.now(), pauseSeconds });
  };
  const close: Closer = async (givesNotice) => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    for (const worker of workers) {
      if (givesNotice) worker.process.kill("SIGTERM");
      else if (worker.isConnected()) worker.send(LEAVE_AT_ONCE);
    }
    await Promise.all(workers.map((worker) => (worker.isDead() ? undefined : exitOf(worker))));
  };
  const serving = new Promise<void>((resolve, reject) => {
    let ready = 0;
    cluster.on("listening", () => {
      if (++ready === config.workers) resolve();
    });
    cluster.on("exit", (worker, code, signal) => {
      if (stopping) return;
      if (ready < config.workers) {
        const how = signal ?? `exit code ${code}`;
        return reject(new Error(`a worker ended before it was ready (${how}); see its messages above`));
      }
      const { at = 0, pauseSeconds: before = 0 } = starts.get(worker.id) ?? {};
      starts.delete(worker.id);
      const pauseSeconds = restartPauseSeconds({ before, livedSeconds: (performance.now() - at) / 1000 });
      platform.log.error({ worker: worker.id, code, signal, pauseSeconds }, "a worker died");
      setTimeout(fork, pauseSeconds * 1000, pauseSeconds);
    });
  });
  relayMetrics();
  for (let i = 0; i < config.workers; i++) fork(0);
  try {
    await serving;
  } catch (error) {
    await close(false);
    throw error;
  }
  return close;
}
