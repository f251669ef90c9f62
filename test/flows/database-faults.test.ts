/** A database that stands still, loses a process, or has no connection left: refusals are clear, and nothing accepted is lost. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { AlertLoad, AlertReceiver } from "../support/alert-receiver.ts";
import { whenDone } from "../support/cleanup.ts";
import { addressOf } from "../support/database.ts";
import { childrenOf, freeze, postmasterOf } from "../support/processes.ts";
import { until } from "../support/until.ts";

const SENDERS = 8;
const OF_SERVICE = "application_name = 'gatehouse'";

let dataDir: string;
let postgres: EmbeddedPostgres;
let receiver: AlertReceiver;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "gatehouse-database-"));
  whenDone(() => rm(dataDir, { recursive: true, force: true }));
  postgres = await startEmbeddedPostgres({ dataDir, settings: { max_connections: "30" }, log: () => {} });
  whenDone(() => postgres.stop());
  // The driver takes its time limit from the address; that of the service is twenty seconds.
  receiver = await AlertReceiver.start({
    DATABASE_URL: `${addressOf(postgres.connection)}&query_timeout=2000`,
  });
});

async function aClient(): Promise<pg.Client> {
  const client = new pg.Client(postgres.connection);
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** What the service's connections are served by. */
async function backends(): Promise<number[]> {
  const client = await aClient();
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where ${OF_SERVICE}`,
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

test("while PostgreSQL stands still requests get 503 and the service lives; when it goes on, everything accepted is there (reference reliability F6)", async () => {
  const load = new AlertLoad(receiver, { senders: SENDERS });
  await load.goesOn();
  const postmaster = postmasterOf(dataDir);
  const goOn = freeze([postmaster, ...childrenOf(postmaster)]);
  // Those of each sender that were under way, and some that began afterwards.
  await load.isRefused(SENDERS + 4);
  assert.equal(await receiver.statusOf("/-/liveness"), 200);
  assert.equal(await receiver.statusOf("/-/readiness"), 503);
  goOn();
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
});

test("when the process behind one connection is killed and PostgreSQL restarts the others, nothing accepted is lost (reference reliability F4)", async () => {
  const load = new AlertLoad(receiver, { senders: SENDERS });
  await load.goesOn();
  const [victim = 0] = await backends();
  process.kill(victim, "SIGKILL");
  await until(async () => (await backends().catch(() => [victim])).includes(victim) === false);
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
});

test("while other clients hold all connections requests get 503, and they are served again when some are free (reference reliability F5, F26)", async () => {
  const load = new AlertLoad(receiver, { senders: SENDERS });
  await load.goesOn();
  const killer = await aClient();
  const others = [killer];
  const takeAll = async () => {
    for (let client = await aClientOrNone(); client; client = await aClientOrNone()) others.push(client);
  };
  const refused = load.refusals.length;
  // The service keeps the connections that it has, and is quick to take those that become free.
  await until(async () => {
    await takeAll();
    await killer.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${OF_SERVICE}`);
    await takeAll();
    return load.refusals.length >= refused + SENDERS && (await receiver.statusOf("/-/readiness")) === 503;
  });
  assert.equal(await receiver.statusOf("/-/liveness"), 200);
  for (const client of others) await client.end();
  await receiver.isReady();
  await load.goesOn();
  await load.assertKept();
});

/** Undefined if there is no connection left. */
async function aClientOrNone(): Promise<pg.Client | undefined> {
  return aClient().catch((error) => {
    assert.equal(error.code, "53300");
    return undefined;
  });
}
