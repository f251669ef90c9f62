/** Processes of the service that stand still, run out of file descriptors, or run out of memory, under load. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { AlertLoad, AlertReceiver } from "../support/alert-receiver.ts";
import { addressOf, freshDatabase } from "../support/database.ts";
import { newInstallation, startService } from "../support/installation.ts";
import { freeze, workersOf } from "../support/processes.ts";
import { startReceiver } from "../support/receivers.ts";
import { until } from "../support/until.ts";

/** Enough to start with; the migrations alone are read at once. */
const DESCRIPTORS = 200;

test("while one process stands still another serves, what was accepted stays, and each event is told under one id (reference reliability F7)", async () => {
  const target = await startReceiver();
  const receiver = await AlertReceiver.start({
    DATABASE_URL: addressOf(await freshDatabase()),
    GATEHOUSE_MASTER_KEY: "cd".repeat(32),
    GATEHOUSE_ALLOW_PRIVATE_TARGETS: new URL(target.url).host,
  });
  const before = await receiver.eventIds();
  await receiver.addHook(`${target.url}/events`);
  const other = await newInstallation(receiver.installation.environment);
  other.environment.PORT = new URL(other.url).port;
  await startService(other);
  const [still, going] = [new AlertLoad(receiver), new AlertLoad(receiver, { at: other })];
  await Promise.all([still.goesOn(), going.goesOn()]);
  const goOn = freeze([receiver.service.process.pid ?? 0]);
  // Rows that it has locked are free when the server ends its transaction.
  await going.goesOn();
  goOn();
  await Promise.all([still.goesOn(), going.goesOn()]);
  await Promise.all([still.end(), going.end()]);
  await still.assertKept();
  await going.assertKept();
  const ids = (await receiver.eventIds()).filter((id) => !before.includes(id));
  // What the process was sending when it stopped may have been sent again, with the id of the first time.
  const told = () =>
    new Map(
      target.requests.map(({ headers, body }) => [headers["webhook-id"], JSON.parse(body).data.id as number]),
    );
  await until(async () => told().size >= ids.length);
  assert.deepEqual(
    [...told().values()].sort((a, b) => a - b),
    ids,
  );
});

test("a process without a free file descriptor lives, and serves again when there are some (reference reliability F28)", async () => {
  const database = addressOf(await freshDatabase());
  const receiver = await AlertReceiver.start({ DATABASE_URL: database }, `-n ${DESCRIPTORS}`);
  const { pid } = receiver.service.process;
  const load = new AlertLoad(receiver);
  await load.goesOn();
  const { port } = new URL(receiver.installation.url);
  const sockets: Socket[] = [];
  // Those that are too many are closed at once.
  await until(async () => {
    for (let n = 0; n < 20; n++) sockets.push(connect(Number(port), "localhost").on("error", () => {}));
    return readdirSync(`/proc/${pid}/fd`).length >= DESCRIPTORS - 1;
  });
  await load.goesOn();
  for (const socket of sockets) socket.destroy();
  await receiver.isReady();
  await load.goesOn();
  assert.equal(receiver.service.process.exitCode, null);
  await load.assertKept();
});

/** Loaded into each process of the service: at SIGUSR2 it takes memory until there is none. */
const FILLS_ITS_HEAP = `process.on("SIGUSR2", () => {
  const kept = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
});`;

test("a worker that runs out of memory is replaced, and nothing accepted is lost (reference reliability F29)", async () => {
  const receiver = await AlertReceiver.start(
    {
      DATABASE_URL: addressOf(await freshDatabase()),
      GATEHOUSE_WORKERS: "2",
      NODE_OPTIONS: `--max-old-space-size=128 --import=data:text/javascript,${encodeURIComponent(FILLS_ITS_HEAP)}`,
    },
    "-c 0",
  );
  const load = new AlertLoad(receiver);
  await load.goesOn();
  const [victim = 0] = workersOf(receiver.service);
  process.kill(victim, "SIGUSR2");
  await until(async () => {
    const workers = workersOf(receiver.service);
    return workers.length === 2 && !workers.includes(victim);
  });
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
});
