/** Migrations beside others: a starter that waits, one that is cut off, and tables that are in use. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate, readMigrations } from "../../src/platform/migrate.ts";
import { emptyDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

/** The lock that all starters of a database take. */
const LOCK = 7_239_401;

/** Does something on a connection of its own. */
async function beside<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const waiter =
  "select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";

test("a starter whose connection is lost while it waits is told, and the process lives on (reference reliability F3)", async () => {
  const connection = await emptyDatabase();
  await beside(connection, async (other) => {
    await other.query("select pg_advisory_lock($1)", [LOCK]);
    const refused = assert.rejects(migrate(connection));
    await until(async () => (await other.query(waiter)).rowCount === 1);
    await other.query(`select pg_terminate_backend(pid) from (${waiter}) w`);
    await refused;
  });
});

test("a starter waits for another one however long that takes, whatever its role is set to (reference reliability F38)", async () => {
  const connection = await emptyDatabase();
  const impatient = { ...connection, options: "-c statement_timeout=200 -c lock_timeout=200" };
  const applied = await beside(connection, async (other) => {
    await other.query("select pg_advisory_lock($1)", [LOCK]);
    const migrating = migrate(impatient, 2);
    await until(async () => (await other.query(waiter)).rowCount === 1);
    await sleep(500);
    await other.query("select pg_advisory_unlock($1)", [LOCK]);
    return migrating;
  });
  assert.equal(applied.length, 2);
});

test("a migration that waits for a table lets others pass, and is applied when the table is free (reference reliability F36)", async () => {
  const connection = await emptyDatabase();
  const migrations = await readMigrations();
  const changing = migrations.find(({ text }) => /^alter table projects /m.test(text));
  await migrate(connection, (changing?.number ?? 0) - 1);
  await beside(connection, async (reader) => {
    await reader.query("begin; select * from projects");
    const migrating = migrate(connection, changing?.number);
    await beside(connection, async (other) => {
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event = 'relation'";
      await until(async () => (await other.query(waiting)).rowCount);
      // Behind a migration that waits as long as it takes, this would be given up.
      await other.query("set statement_timeout = 30000");
      await other.query("select * from projects");
    });
    await reader.query("commit");
    assert.deepEqual(await migrating, [changing?.name]);
  });
});
