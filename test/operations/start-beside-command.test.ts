/** A start on an embedded database that a command started and stops. */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { readConfig } from "../../src/platform/config.ts";
import { startEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { startPlatform } from "../../src/start-platform.ts";
import { newInstallation } from "../support/installation.ts";
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
