/** Migrations next to other work: a start that waits, one that loses its connection, and tables in use. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate, readMigrations } from "../../src/platform/migrate.ts";
import { emptyDatabase, freshDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

/** The advisory lock that every start takes. */
const LOCK = 7_239_401;

/** Runs `work` with a connection of its own. */
async function beside<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Who waits for a table. */
const waiting = "select from pg_stat_activity where datname = current_database() and wait_event = 'relation'";

const waiter =
  "select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";

test("a start that loses its connection while it waits fails, and the process keeps running (reference reliability F3)", async () => {
  const connection = await emptyDatabase();
  await beside(connection, async (other) => {
    await other.query("select pg_advisory_lock($1)", [LOCK]);
    const refused = assert.rejects(migrate(connection), /terminating connection/);
    await until(async () => (await other.query(waiter)).rowCount === 1);
    await other.query(`select pg_terminate_backend(pid) from (${waiter}) w`);
    await refused;
  });
});

/** Within them the connection has to start. */
const IMPATIENT = "-c statement_timeout=1000 -c lock_timeout=1000 -c transaction_timeout=1000";

test("a start waits for another one as long as necessary, whatever timeouts its role has, and says so (reference reliability F38)", async () => {
  const connection = await emptyDatabase();
  const reasons: string[] = [];
  const impatient = { ...connection, options: IMPATIENT };
  const applied = await beside(connection, async (other) => {
    await other.query("select pg_advisory_lock($1)", [LOCK]);
    const migrating = migrate(impatient, 2, (reason) => reasons.push(reason));
    await until(async () => (await other.query(waiter)).rowCount === 1);
    await sleep(1500);
    await other.query("select pg_advisory_unlock($1)", [LOCK]);
    return migrating;
  });
  assert.equal(applied.length, 2);
  assert.deepEqual(reasons, ["another process migrates the database"]);
});

test("a migration that waits for a table does not block other queries, and is applied when the table is free (reference reliability F36)", async () => {
  const connection = await emptyDatabase();
  const migrations = await readMigrations();
  const reasons: string[] = [];
  const changing = migrations.find(({ text }) => /^alter table projects /m.test(text));
  await migrate(connection, (changing?.number ?? 0) - 1);
  await beside(connection, async (reader) => {
    await reader.query("begin; select * from projects");
    const migrating = migrate(connection, changing?.number, (reason) => reasons.push(reason));
    await beside(connection, async (other) => {
      await until(async () => (await other.query(waiting)).rowCount);
      // Behind a migration that waits without a limit, this would time out.
      await other.query("set statement_timeout = 30000");
      await other.query("select * from projects");
    });
    await reader.query("commit");
    assert.deepEqual(await migrating, [changing?.name]);
    assert.deepEqual(reasons, [`another session locks a table that migration ${changing?.name} changes`]);
  });
});

test("a start that has nothing to migrate does not wait for the end of a backup, which has read the list of migrations (decision 0163)", async () => {
  const connection = await freshDatabase();
  await beside(connection, async (backup) => {
    await backup.query("begin; select from schema_migrations");
    await beside(connection, async (other) => {
      const migrating = migrate(connection);
      const waited = until(async () => (await other.query(waiting)).rowCount).then(() => "waited");
      assert.deepEqual(await Promise.race([migrating, waited]), []);
    });
  });
});

test("a start that extends the list of migrations of an early version does not block its readers (reference reliability F36)", async () => {
  const connection = await freshDatabase();
  await beside(connection, async (backup) => {
    await backup.query("alter table schema_migrations drop column breaking");
    await backup.query("begin; select from schema_migrations");
    const migrating = migrate(connection);
    await beside(connection, async (other) => {
      await until(async () => (await other.query(waiting)).rowCount);
      // Behind a start that waits without a limit, this would time out.
      await other.query("set statement_timeout = 30000");
      await other.query("select from schema_migrations");
    });
    await backup.query("commit");
    assert.deepEqual(await migrating, []);
    assert.ok((await backup.query("select breaking from schema_migrations")).rowCount);
  });
});
