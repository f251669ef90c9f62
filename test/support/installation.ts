/** An installation as a process: `npm start` and commands on their own data directory. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { whenDone } from "./cleanup.ts";
import { freePort } from "./world.ts";

const ROOT = join(import.meta.dirname, "../..");
const COMMAND = join(ROOT, "bin/gatehouse");

export interface Installation {
  dataDir: string;
  url: string;
  environment: Record<string, string>;
}

/** An empty data directory and a free port; the directory is removed when the file's tests are done. */
export async function newInstallation(more: Record<string, string> = {}): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), "gatehouse-service-"));
  whenDone(() => rm(dataDir, { recursive: true, force: true }));
  const port = await freePort();
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    PORT: String(port),
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LOG_LEVEL: "warn",
    ...more,
  };
  return { dataDir, environment, url: `http://localhost:${port}` };
}

/** In words, or with `--json`. */
const SAYS_READY = /Gatehouse serves at |\{"url":/;

export interface Service {
  process: ChildProcess;
  /** Everything that it has printed. */
  output(): string;
  /** Sends SIGTERM and waits; returns the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts `gatehouse serve` and waits until it is ready and has said so, after which commands find it. @throws AssertionError
 * with its output if that takes eight minutes
 * @param limits what `ulimit` limits it to, such as `-n 64`
 */
export async function startService(
  installation: Installation,
  options: readonly string[] = [],
  limits?: string,
): Promise<Service> {
  const limited = limits === undefined ? [] : ["-c", `ulimit ${limits} && exec sh "$0" "$@"`];
  const words = [...limited, COMMAND, "serve", ...options];
  const child = spawn("sh", words, { cwd: ROOT, env: installation.environment });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const exited = once(child, "exit");
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    const [code] = await exited;
    return code as number | null;
  };
  whenDone(async () => {
    await stop();
  });
  const deadline = Date.now() + 480_000;
  while (Date.now() < deadline && child.exitCode === null) {
    const ready = await fetch(`${installation.url}/-/readiness`).then(
      (reply) => reply.status === 200,
      () => false,
    );
    if (ready && SAYS_READY.test(output)) return { process: child, output: () => output, stop };
    await sleep(50);
  }
  return assert.fail(`The service is not ready:\n${output}`);
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export function runGatehouse(installation: Installation, args: readonly string[], input = ""): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: installation.environment };
    const child = execFile("sh", [COMMAND, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
    // A command that fails early reads no more of it.
    child.stdin?.on("error", () => {}).end(input);
  });
}

/** Processes that work in the data directory or were started for it; on Linux, from /proc. */
export function processesOn({ dataDir }: Installation): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const cwd = readlinkSync(`/proc/${pid}/cwd`);
        return cwd.startsWith(dataDir) || readFileSync(`/proc/${pid}/environ`, "utf8").includes(dataDir);
      } catch {
        return false;
      }
    });
}
