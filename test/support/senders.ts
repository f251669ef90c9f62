/** Real monitoring programs in tests: on a free port, with their own directory, stopped at the end. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenDone } from "./cleanup.ts";
import { until } from "./until.ts";
import { freePort } from "./world.ts";

const MANAGER = "/usr/bin/prometheus-alertmanager";
const PROMETHEUS = "/usr/bin/prometheus";

/** A running Alertmanager. */
export interface Manager {
  url: string;
  /** The address for cluster peers; undefined without a cluster. */
  peer: string | undefined;
  /** Sends it alerts, as Prometheus would. */
  tell(alerts: readonly Record<string, unknown>[]): Promise<void>;
}

/** Starts an Alertmanager; with `peers`, as a member of their cluster. */
export async function startManager(config: string, peers?: readonly string[]): Promise<Manager> {
  const port = await freePort();
  const peer = peers ? `127.0.0.1:${await freePort()}` : undefined;
  const directory = run(MANAGER, "prometheus-alertmanager", { "am.yml": config }, (at) => [
    `--config.file=${join(at, "am.yml")}`,
    `--storage.path=${join(at, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    `--cluster.listen-address=${peer ?? ""}`,
    // Peers on one machine find each other at once, so the timeouts are short.
    ...(peers ? ["--cluster.peer-timeout=1s", "--cluster.settle-timeout=1s"] : []),
    ...(peers ?? []).map((other) => `--cluster.peer=${other}`),
    "--log.level=error",
  ]);
  assert.ok(directory);
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok);
  return {
    url,
    peer,
    tell: async (alerts) => {
      const reply = await fetch(`${url}/api/v2/alerts`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(alerts),
      });
      assert.equal(reply.status, 200, await reply.text());
    },
  };
}

/** Starts a Prometheus with rules; returns its address, and a function that changes the rules. */
export async function startPrometheus(config: string, rules: string) {
  const port = await freePort();
  const directory = run(PROMETHEUS, "prometheus", { "prometheus.yml": config, "rules.yml": rules }, (at) => [
    `--config.file=${join(at, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(at, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--web.enable-lifecycle",
    "--rules.alert.resend-delay=1s",
    "--log.level=error",
  ]);
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok);
  return {
    url,
    changeRules: async (changed: string) => {
      writeFileSync(join(directory, "rules.yml"), changed);
      assert.equal((await fetch(`${url}/-/reload`, { method: "POST" })).status, 200);
    },
  };
}

function run(
  binary: string,
  debian: string,
  files: Readonly<Record<string, string>>,
  argumentsIn: (directory: string) => string[],
): string {
  assert.ok(existsSync(binary), `${binary} is missing; install it: apt-get install ${debian}`);
  const directory = mkdtempSync(join(tmpdir(), "gatehouse-sender-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const child = spawn(binary, argumentsIn(directory), {
    cwd: directory,
    stdio: ["ignore", "ignore", "inherit"],
  });
  whenDone(async () => {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
    await rm(directory, { recursive: true, force: true });
  });
  return directory;
}
