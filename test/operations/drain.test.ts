/** Graceful shutdown: the service reports that it is not ready, and finishes what it has begun. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import pg from "pg";
import { readConfig } from "../../src/platform/config.ts";
import { announceStop, checkReadiness } from "../../src/platform/readiness.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf, emptyDatabase } from "../support/database.ts";
import { startDrippingMailServer } from "../support/dripping-mail-server.ts";
import { type Installation, newInstallation, processesOn, startService } from "../support/installation.ts";
import { holdableNotice } from "../support/notice.ts";
import { until } from "../support/until.ts";
import { Visitor } from "../support/visitor.ts";
import { startWorld } from "../support/world.ts";

const COMMAND = join(import.meta.dirname, "../../bin/gatehouse");

test("a service about to stop is not ready, and still serves (reference reliability F8)", async () => {
  const world = await startWorld();
  assert.equal((await world.call("/-/readiness")).status, 200);
  announceStop(world.platform.db);
  const reply = await world.call("/-/readiness");
  assert.equal(reply.status, 503);
  assert.equal((await world.call("/-/liveness")).status, 200);
  assert.equal((await world.call("/api/v4/user", { as: "dev" })).status, 200);
  await assert.rejects(checkReadiness(world.platform.db), /stopping/);
});

for (const [signal, more] of [
  ["SIGTERM", {}],
  // Without a terminal, SIGINT comes from a supervisor (decision 0166).
  ["SIGINT", {}],
  ["SIGINT", { GATEHOUSE_WORKERS: "2" }],
  ["SIGHUP", {}],
] as const) {
  const workers = "GATEHOUSE_WORKERS" in more ? " of two workers" : "";
  test(`after ${signal} readiness${workers} answers 503 while requests are served, then the process exits with 0 (reference reliability F8)`, () =>
    leaves(signal, more));
}

async function leaves(signal: NodeJS.Signals, more: Record<string, string>): Promise<void> {
  const notice = await holdableNotice();
  const installation = await newInstallation({ ...more, ...notice.environment });
  const service = await startService(installation);
  const exited = once(service.process, "exit");
  const workers = Number(more.GATEHOUSE_WORKERS ?? 1);
  await notice.during(
    workers,
    () => service.process.kill(signal),
    async () => {
      assert.equal((await fetch(`${installation.url}/-/readiness`)).status, 503);
      assert.equal((await fetch(`${installation.url}/-/liveness`)).status, 200);
    },
  );
  assert.deepEqual(await exited, [0, null]);
  await assert.rejects(fetch(`${installation.url}/-/liveness`));
  assert.doesNotMatch(service.output(), /liveness|readiness/);
}

test("the response to a request in progress at the signal closes its connection (decision 0146)", async () => {
  const installation = await newInstallation();
  const service = await startService(installation);
  const { hostname, port } = new URL(installation.url);
  const sender = connect(Number(port), hostname);
  const said = text(sender);
  const form = "application/x-www-form-urlencoded";
  sender.write(
    `POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: ${form}\r\nContent-Length: 12\r\n\r\ngrant`,
  );
  // A later request is answered, so the first has been accepted.
  assert.equal((await fetch(`${installation.url}/-/liveness`)).status, 200);
  const exited = once(service.process, "exit");
  service.process.kill("SIGTERM");
  await until(async () => !(await fetch(`${installation.url}/-/liveness`).catch(() => undefined))?.ok);
  sender.write("_type=x");
  assert.match(await said, /^HTTP\/1\.1 400 .*\r\nconnection: close\r\n/is);
  assert.equal((await exited)[0], 0);
});

test("an idle connection does not delay the stop, and one with a request in progress gets its response (reference reliability F8)", async () => {
  const installation = await newInstallation();
  const service = await startService(installation);
  const { hostname, port } = new URL(installation.url);
  const silent = connect(Number(port), hostname);
  const begun = connect(Number(port), hostname);
  const said = text(begun);
  const ended = once(silent.resume(), "close");
  begun.write("GET /-/liveness HTTP/1.1\r\n");
  await until(async () => (await fetch(`${installation.url}/-/liveness`)).ok);
  const exited = once(service.process, "exit");
  service.process.kill("SIGTERM");
  // At the timeout both would be cut, and the second would get no response.
  await ended;
  begun.write("Host: x\r\n\r\n");
  assert.match(await said, /^HTTP\/1\.1 200 /);
  assert.equal((await exited)[0], 0);
});

test("a mail server that never ends its answer does not keep the service from stopping (decision 0316)", async () => {
  const server = await startDrippingMailServer();
  const installation = await newInstallation({
    GATEHOUSE_ADMIN_USERNAME: "ada",
    GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
    GATEHOUSE_SMTP_URL: server.url,
    GATEHOUSE_MAIL_FROM: "gatehouse@example.org",
  });
  const service = await startService(installation);
  await new Visitor(installation.url).submit("/users/password/new", { email: "ada@example.org" });
  await until(async () => server.lines() > 3);
  service.process.kill("SIGTERM");
  await until(async () => service.process.exitCode !== null).finally(server.end);
  assert.equal(service.process.exitCode, 0);
});

/** Starts a service below another program, and waits until it reports that it serves. */
async function servingBelow(program: string, args: readonly string[], installation: Installation) {
  const child = spawn(program, args, { env: installation.environment });
  const exited = once(child, "exit");
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  await until(async () => /serves at/.test(text));
  return { child, exited, output: () => text };
}

const atTerminal = (installation: Installation) =>
  servingBelow("/usr/bin/script", ["-qec", `exec sh ${COMMAND} serve`, "/dev/null"], installation);

test("closing the terminal stops the service and its workers gracefully (decision 0166)", async () => {
  const installation = await newInstallation({ GATEHOUSE_WORKERS: "2" });
  const { child: terminal, exited } = await atTerminal(installation);
  const notes = () => readdirSync(installation.dataDir).filter((name) => name.startsWith("service"));
  assert.equal(notes().length, 1);
  terminal.kill("SIGKILL");
  await exited;
  await until(async () => processesOn(installation).length === 0);
  assert.deepEqual(notes(), [], "the note of the running service is removed");
});

test("under nohup the service continues when its terminal closes (decision 0166)", async () => {
  const installation = await newInstallation();
  const { child: service, exited } = await servingBelow("nohup", ["sh", COMMAND, "serve"], installation);
  // The lower signal number is delivered first, so SIGHUP would end the process.
  service.kill("SIGHUP");
  service.kill("SIGTERM");
  assert.deepEqual(await exited, [0, null]);
});

test("after Ctrl-C at a terminal the process exits with 0 without a notice period (decision 0166)", async () => {
  const notice = await holdableNotice();
  for (const more of [{}, { GATEHOUSE_WORKERS: "2" }]) {
    const installation = await newInstallation({ ...more, ...notice.environment });
    const { child: terminal, exited, output } = await atTerminal(installation);
    terminal.stdin.write("\u0003");
    const [code] = await exited;
    assert.equal(code, 0, output());
    assert.equal(notice.given(), 0);
    assert.deepEqual(processesOn(installation), []);
  }
});

/** The advisory lock that every start takes (src/platform/migrate.ts). */
const MIGRATION_LOCK = 7_239_401;

test("SIGTERM ends a start that waits for another process to migrate the database (operations: Stop, crash, start)", async () => {
  const connection = await emptyDatabase();
  const other = new pg.Client(connection);
  await other.connect();
  try {
    await other.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const { environment } = await newInstallation({ DATABASE_URL: addressOf(connection) });
    const child = spawn("sh", [COMMAND, "serve"], { env: environment });
    whenDone(async () => void child.kill("SIGKILL"));
    const [said, exited] = [text(child.stderr), once(child, "exit")];
    child.stdout.resume();
    await until(async () => {
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";
      return (await other.query(waiting)).rowCount;
    });
    child.kill("SIGTERM");
    assert.deepEqual(await exited, [0, null]);
    assert.equal(await said, "");
  } finally {
    await other.end();
  }
});

test("a start that is stopped ends the embedded database that it started (operations: Stop, crash, start)", async () => {
  const installation = await newInstallation();
  const config = readConfig({ ...installation.environment, GATEHOUSE_LOG_LEVEL: "silent" });
  await assert.rejects(startPlatform(config, { signal: AbortSignal.abort() }), /the start was stopped/);
  const servers = processesOn(installation).filter((pid) => pid !== String(process.pid));
  assert.deepEqual(servers, []);
});
