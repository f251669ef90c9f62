/** Finds the server process of a cluster, and ends it without ever signalling an unrelated process. */
import { execFile } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { errorCode } from "./error-code.ts";

const run = promisify(execFile);

/** What a running PostgreSQL writes to `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  socketDir: string;
  /** True when it accepts connections. */
  ready: boolean;
  /** When the file was written, in milliseconds; distinguishes it from that of a former server with the same process id. */
  writtenAt: number;
}

/** Reads `postmaster.pid`; undefined if there is none, or it is not complete yet. */
export async function readPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  const path = join(clusterDir, "postmaster.pid");
  const [text, file] = await Promise.all([
    readFile(path, "utf8").catch(() => ""),
    stat(path).catch(() => undefined),
  ]);
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  return { pid, socketDir: lines[4] ?? "", ready: lines[7] === "ready", writtenAt: file?.mtimeMs ?? 0 };
}

/** The running server of this cluster, if Gatehouse started it and it accepts connections. */
export async function findReadyPostmaster(
  clusterDir: string,
  clusterName: string,
): Promise<Postmaster | undefined> {
  const found = await readPostmaster(clusterDir);
  return found?.ready && (await judge(found.pid, clusterDir, clusterName)) === "ours" ? found : undefined;
}

/**
 * Makes sure that no server serves this cluster: ends one that Gatehouse started and whose parent process died, and removes a
 * `postmaster.pid` that names another process or a zombie.
 * @throws Error when a PostgreSQL that Gatehouse did not start serves the cluster.
 */
export async function endLeftoverPostmaster(
  clusterDir: string,
  clusterName: string,
  log: (line: string) => void,
): Promise<void> {
  const found = await readPostmaster(clusterDir);
  if (!found) return;
  const verdict = await judge(found.pid, clusterDir, clusterName);
  if (verdict === "ours") {
    log(`ending PostgreSQL process ${found.pid}, left by a process that was killed`);
    await endPostmaster(found.pid);
  } else if (verdict === "unclear") {
    throw new Error(
      `a PostgreSQL that Gatehouse did not start (process ${found.pid}) seems to be running on ${clusterDir}; stop it first`,
    );
  } else if (verdict === "stale") {
    log(`ignoring a stale postmaster.pid: process ${found.pid} is not this PostgreSQL`);
    await rm(join(clusterDir, "postmaster.pid"), { force: true });
  }
}

/**
 * Ends a server and waits for its end: fast shutdown, after 30 s an immediate one, after 36 s SIGKILL.
 * @throws Error if it still runs after that
 */
export async function endPostmaster(pid: number): Promise<void> {
  for (const [signal, seconds] of [
    ["SIGINT", 30],
    ["SIGQUIT", 6],
    ["SIGKILL", 6],
  ] as const) {
    if (!signalled(pid, signal)) return;
    for (let waited = 0; waited < seconds * 50; waited++) {
      if (!(await isRunning(pid))) return;
      await sleep(20);
    }
  }
  throw new Error(`PostgreSQL process ${pid} does not end`);
}

type Verdict = "gone" | "stale" | "ours" | "unclear";

async function judge(pid: number, clusterDir: string, clusterName: string): Promise<Verdict> {
  // PostgreSQL itself ignores the file of a process that is gone, but takes a zombie for a running one.
  if (!(await isRunning(pid))) return signalled(pid, 0) ? "stale" : "gone";
  const command = await commandOf(pid);
  if (command.includes(`cluster_name=${clusterName} `)) return "ours";
  if (command.includes("cluster_name=gatehouse-") || !command.includes("postgres")) return "stale";
  const [its, here] = await Promise.all([
    stat(`/proc/${pid}/cwd`).catch(() => undefined),
    stat(clusterDir).catch(() => undefined),
  ]);
  return its && here && (its.ino !== here.ino || its.dev !== here.dev) ? "stale" : "unclear";
}

async function commandOf(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return words.replaceAll("\0", " ");
  }
  const { stdout } = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return `${stdout.trim()} `;
}

async function isRunning(pid: number): Promise<boolean> {
  if (!signalled(pid, 0)) return false;
  if (process.platform !== "linux") return true;
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/\) [ZX] /.test(status);
}

function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
