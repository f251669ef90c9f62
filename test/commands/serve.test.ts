/** Process hardening, and how the service ends after an uncaught error or a failed start. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { sql } from "../../src/platform/sql.ts";
import { addressOf } from "../support/database.ts";
import { newInstallation, runGatehouse, startService } from "../support/installation.ts";
import { isWaitedFor } from "../support/meanwhile.ts";
import { until } from "../support/until.ts";
import { startWorld } from "../support/world.ts";

/** An error that no code of the service catches. */
const FAULT = 'process.on("SIGUSR2",()=>{throw(Error("planted"))})';

/** Reports what accessing `__proto__` of an object does, in every process of the service. */
const ASKER = 'try{({}).__proto__;console.error("asked: open")}catch(e){console.error("asked: "+e.code)}';

/** The second worker never gets to serve, and dies just before the primary tells it to exit. */
const DYING = `import cluster from "node:cluster";
import { readFileSync } from "node:fs";
if (cluster.worker?.id === 2) await new Promise(() => setInterval(() => {}, 1000));
cluster.on("fork", ({ process: worker }) => {
  const { send } = worker;
  worker.send = function (message, ...more) {
    if (message === "exiting immediately") {
      worker.kill("SIGKILL");
      while (!readFileSync("/proc/" + worker.pid + "/stat", "utf8").includes(") Z ")) {}
      console.error("told a dead worker");
    }
    return send.call(this, message, ...more);
  };
});`;

/** The second worker tells who it is, and no later one can start. */
const FAILING = `import cluster from "node:cluster";
if (cluster.worker?.id === 2) console.error("the second worker is process " + process.pid);
if (cluster.worker?.id > 2) process.exit(6);`;

test("no process of the service can access __proto__ (CWE-1321; reference reliability S139)", async () => {
  const installation = await newInstallation({
    GATEHOUSE_WORKERS: "2",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ASKER)}`,
  });
  const service = await startService(installation);
  const told = () => service.output().match(/^asked: .*$/gm) ?? [];
  await until(async () => told().length >= 3);
  assert.deepEqual([...new Set(told())], ["asked: ERR_PROTO_ACCESS"]);
  assert.equal(await service.stop(), 0);
});

test("an uncaught error is logged, requests in progress are answered, and the process exits with 1 (reference reliability E, process)", async () => {
  const world = await startWorld();
  const { db } = world.platform;
  const installation = await newInstallation({
    DATABASE_URL: addressOf(world.connection),
    GATEHOUSE_MASTER_KEY: "07".repeat(32),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULT)}`,
  });
  const service = await startService(installation);
  const headers = { authorization: `Bearer ${await world.tokenOf("dev", "api")}` };
  const ended = once(service.process, "exit");
  let asked: Promise<Response> | undefined;
  await db.transaction(async (tx) => {
    await tx.run(sql`lock table access_tokens in access exclusive mode`);
    asked = fetch(`${installation.url}/api/v4/user`, { headers });
    await until(() => isWaitedFor(tx));
    service.process.kill("SIGUSR2");
    // Asks each time, since a transaction that is idle for too long is ended.
    await until(async () => (await isWaitedFor(tx)) && /planted/.test(service.output()));
  });
  assert.equal((await asked)?.status, 200);
  assert.deepEqual(await ended, [1, null]);
  const line = service
    .output()
    .split("\n")
    .find((each) => each.includes("planted"));
  const { level, err } = JSON.parse(line ?? "");
  assert.deepEqual([level, err.message], [60, "planted"]);
});

test("a worker that dies while the primary tells it to exit does not hide why the start failed (operations: When something is wrong)", async () => {
  const installation = await newInstallation({
    GATEHOUSE_WORKERS: "2",
    GATEHOUSE_ADMIN_USERNAME: "ada",
    GATEHOUSE_ADMIN_EMAIL: "ada@example.org",
    GATEHOUSE_ADMIN_PASSWORD: "correct horse battery staple",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DYING)}`,
  });
  const other = createServer().listen(Number(installation.environment.PORT), "127.0.0.1");
  await once(other, "listening");
  const { code, stderr } = await runGatehouse(installation, ["serve"]);
  other.close();
  assert.equal(code, 1, stderr);
  assert.match(stderr, /told a dead worker/);
  assert.match(stderr, /a worker ended before it was ready \(exit code 1\)/);
  assert.doesNotMatch(stderr, /EPIPE|uncaught/);
});

test("a worker that cannot start is tried again after longer and longer pauses, and the others serve (reference reliability E, process)", async () => {
  const installation = await newInstallation({
    GATEHOUSE_WORKERS: "2",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAILING)}`,
  });
  const service = await startService(installation);
  const [, second] = service.output().match(/the second worker is process (\d+)/) ?? [];
  process.kill(Number(second), "SIGKILL");
  const deaths = () =>
    service
      .output()
      .split("\n")
      .filter((line) => line.includes("a worker died"))
      .map((line) => JSON.parse(line));
  await until(async () => deaths().length >= 3);
  assert.deepEqual(
    deaths()
      .slice(0, 3)
      .map(({ code, signal, pauseSeconds }) => [code ?? signal, pauseSeconds]),
    [
      ["SIGKILL", 0.5],
      [6, 1],
      [6, 2],
    ],
  );
  assert.equal((await fetch(`${installation.url}/-/readiness`)).status, 200);
  assert.equal(await service.stop(), 0);
});
