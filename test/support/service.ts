/** The real service as a process, with its embedded database in a temporary directory. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenDone } from "./cleanup.ts";
import { freePort } from "./world.ts";

export interface Service {
  url: string;
  /** A token of the first administrator. */
  token: string;
  /** Starts or restarts it; resolves when it is ready. */
  start(): Promise<void>;
  /** Kills only the service process, as `kill -9` does. */
  kill(): Promise<void>;
}

/** A service that is not started yet; it and its database are removed when the file's tests are done. */
export async function aService(environment: Readonly<Record<string, string>> = {}): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), "gatehouse-service-"));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const token = "test-administrator-token";
  let process_: ChildProcess | undefined;
  const start = async () => {
    process_ = spawn("sh", ["bin/gatehouse", "serve"], {
      env: {
        ...process.env,
        HOST: "127.0.0.1",
        PORT: String(port),
        GATEHOUSE_DATA_DIR: dataDir,
        GATEHOUSE_ADMIN_USERNAME: "root",
        GATEHOUSE_ADMIN_EMAIL: "root@example.org",
        GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
        GATEHOUSE_ADMIN_TOKEN: token,
        GATEHOUSE_RATE_LIMITS: "off",
        GATEHOUSE_LOG_LEVEL: "error",
        ...environment,
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    await isReady(url, process_);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!process_ || process_.exitCode !== null || process_.signalCode !== null) return;
    const gone = once(process_, "exit");
    process_.kill(signal);
    await gone;
  };
  whenDone(async () => {
    await end("SIGTERM");
    await rm(dataDir, { recursive: true, force: true });
  });
  return { url, token, start, kill: () => end("SIGKILL") };
}

async function isReady(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 4800; tries++) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    const reply = await fetch(`${url}/-/readiness`).catch(() => undefined);
    if (reply?.ok) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("the service was not ready in eight minutes");
}
