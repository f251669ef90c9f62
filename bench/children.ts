/** The processes that the bench starts: each is ended with it, and no other process is ever signalled. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import type { BenchDatabase } from "./database.ts";
import type { Load, LoadResult } from "./load-plan.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const children = new Set<ChildProcess>();

/** A server that is measured. */
export interface Server {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** Ends all running children, and waits. */
export async function endChildren(): Promise<void> {
  await Promise.all([...children].map(end));
}

/** Starts a bare server or a peer of this folder, such as `bare/hello`. */
export async function startForked(name: string, connection: pg.ClientConfig): Promise<Server> {
  const child = fork(new URL(`./${name}.ts`, import.meta.url), {
    env: { ...process.env, BENCH_CONNECTION: JSON.stringify(connection) },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  keep(child);
  const [{ port }] = (await raced(once(child, "message"), child, name)) as [{ port: number }];
  return { port, pid: child.pid as number, stop: () => end(child) };
}

/** Starts the service on the bench database and waits until it is ready. */
export async function startService(
  { connection, serving }: Pick<BenchDatabase, "connection" | "serving">,
  environment: Readonly<Record<string, string>>,
): Promise<Server> {
  const port = await freePort();
  const given = {
    PORT: String(port),
    DATABASE_URL: urlOf(serving),
    DATABASE_OWNER_URL: urlOf(connection),
    GATEHOUSE_RATE_LIMITS: "off",
    GATEHOUSE_LOG_LEVEL: "warn",
    ...environment,
  };
  return startProgram("sh", ["bin/gatehouse", "serve"], {
    port,
    readyPath: "/-/readiness",
    name: "the service",
    environment: given,
  });
}

interface Program {
  port: number;
  /** Returns 200 once the program serves. */
  readyPath: string;
  name: string;
  environment?: Readonly<Record<string, string>>;
}

/** Starts a program and waits until it is ready. */
export async function startProgram(
  command: string,
  args: readonly string[],
  program: Program,
): Promise<Server> {
  const { port, readyPath, name, environment = {} } = program;
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  keep(child);
  await raced(untilReady(port, readyPath), child, name);
  return { port, pid: child.pid as number, stop: () => end(child) };
}

/** The process that sends the load. */
export interface Sender {
  /** Sends the load and returns its result. @throws Error when the connections cannot be made */
  send(load: Load, marked: (marker: "begin" | "end") => void): Promise<LoadResult>;
}

export function startSender(): Sender {
  const child = fork(new URL("./load-sender.ts", import.meta.url), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  keep(child);
  return {
    send: (load, marked) =>
      new Promise((resolve, reject) => {
        type Word = { marker?: "begin" | "end"; result?: LoadResult; error?: string };
        const listen = ({ marker, result, error }: Word) => {
          if (marker) return marked(marker);
          child.off("message", listen);
          child.off("exit", ended);
          if (result) resolve(result);
          else reject(new Error(error));
        };
        const ended = () => reject(new Error("the process that sends the load ended"));
        child.on("message", listen);
        child.once("exit", ended);
        child.send(load);
      }),
  };
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

function urlOf({ user, password, database, host, port }: pg.ClientConfig): string {
  const secret = encodeURIComponent(String(password));
  return `postgres://${user}:${secret}@/${database}?host=${encodeURIComponent(String(host))}&port=${port}`;
}

const READY_MS = 60_000;

async function untilReady(port: number, path: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    if (reply?.ok) return;
    await sleep(50);
  }
  throw new Error(`nothing became ready at port ${port}`);
}

function keep(child: ChildProcess): void {
  child.setMaxListeners(100);
  children.add(child);
  child.once("exit", () => children.delete(child));
}

async function raced<T>(wanted: Promise<T>, child: ChildProcess, name: string): Promise<T> {
  const ended = once(child, "exit").then(([code, signal]) => {
    throw new Error(`${name} ended at its start (${signal ?? `exit code ${code}`})`);
  });
  ended.catch(() => {});
  return Promise.race([wanted, ended]);
}

const PATIENCE_MS = 15_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const cut = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  await gone;
  clearTimeout(cut);
}
