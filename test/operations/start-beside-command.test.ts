/** Starts and commands on an embedded database that a command started and stops. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { readConfig } from "../../src/platform/config.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { whenDone } from "../support/cleanup.ts";
import { type Installation, newInstallation } from "../support/installation.ts";
import { until } from "../support/until.ts";

// The advisory lock of migrations (src/platform/migrate.ts).
const LOCK = 7_239_401;

test("a start continues when the command whose embedded database it used has ended (operations: Stop, crash, start)", async () => {
  const { dataDir, environment } = await newInstallation();
  const command = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const client = new pg.Client(command.connection);
  client.on("error", () => {});
  await client.connect();
  await client.query("select pg_advisory_lock($1)", [LOCK]);
  const starting = startPlatform(readConfig({ ...environment, GATEHOUSE_LOG_LEVEL: "silent" }));
  starting.catch(() => {});
  await until(async () => {
    const { rows } = await client.query("select from pg_locks where locktype = 'advisory' and not granted");
    return rows.length === 1;
  });
  await command.stop();
  const started = await starting;
  assert.equal(started.applied[0], "0001-accounts.sql");
  await started.stop();
});

/** The database as a command runs it that is done when `end` is called; `hasEnded` tells whether the database has ended since. */
async function databaseOfCommand({ dataDir }: Installation) {
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, isBrief: true });
  let hasEnded = false;
  let ending: Promise<void> | undefined;
  const end = () => {
    ending ??= server.stop().then(() => {
      hasEnded = true;
    });
    return ending;
  };
  whenDone(end);
  return { server, end, hasEnded: () => hasEnded };
}

function begun({ environment }: Installation, args: readonly string[]) {
  const command = join(import.meta.dirname, "../../bin/gatehouse");
  const child = spawn("sh", [command, ...args], { env: environment });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  whenDone(async () => void child.kill());
  return { child, output: () => output };
}

test("a command whose database another one runs is done before that ends it (operations: Stop, crash, start)", async () => {
  const installation = await newInstallation();
  const { server, end, hasEnded } = await databaseOfCommand(installation);
  const { child, output } = begun(installation, ["events", "import", "-"]);
  const watcher = new pg.Client(server.connection);
  watcher.on("error", () => {});
  await watcher.connect();
  await until(async () => {
    const { rows } = await watcher.query(
      "select from pg_stat_activity where application_name = 'gatehouse command'",
    );
    return rows.length > 0;
  });
  const ending = end();
  await sleep(1000);
  assert.equal(hasEnded(), false);
  child.stdin.end();
  const [code] = await once(child, "exit");
  assert.equal(code, 0, output());
  await ending;
});

test("a service that starts on the database of a command serves before that ends it (operations: Stop, crash, start)", async () => {
  const installation = await newInstallation();
  const { end } = await databaseOfCommand(installation);
  const { child, output } = begun(installation, ["serve"]);
  await until(async () => child.exitCode !== null || /No administrator yet/.test(output()));
  await end();
  // Asked, as what it prints may be read later than the end of the database is noticed.
  const reply = await fetch(`${installation.url}/-/liveness`).catch(() => undefined);
  assert.equal(reply?.status, 200, output());
  await until(async () => {
    const reply = await fetch(`${installation.url}/-/readiness`).catch(() => undefined);
    return reply?.status === 200;
  });
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
});
