/**
 * Makes something happen in the middle of something else: a transaction that holds its locks until somebody waits for them.
 */
import pg from "pg";
import type { Queries } from "../../src/platform/db.ts";
import { Sql, sql } from "../../src/platform/sql.ts";
import { until } from "./until.ts";
import type { World } from "./world.ts";

/**
 * Runs the statements in a transaction, starts `work`, and commits once `work` waits for one of their rows, so that what
 * `work` has read before is outdated. Returns the result of `work`.
 */
export async function meanwhile<T>(
  { connection }: Pick<World, "connection">,
  statements: readonly (readonly [string, ...unknown[]])[],
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query("begin");
    for (const [statement, ...values] of statements) await client.query(statement, values);
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const working = work();
    // It may be rejected right after the commit, before it is awaited here.
    working.catch(() => {});
    await someoneWaitsFor(connection, rows[0]?.pid ?? 0);
    await client.query("commit");
    return await working;
  } finally {
    await client.end();
  }
}

/** Whether somebody waits for this transaction; other files have their own waits on the same server. */
export async function isWaitedFor(tx: Queries): Promise<boolean> {
  return (await tx.run(sql`select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid))`)) > 0;
}

/** Like `meanwhile`, with application code in the transaction; also commits if `work` ends without waiting. */
export async function whileDoing<F, T>(
  { platform: { db } }: Pick<World, "platform">,
  first: (tx: Queries) => Promise<F>,
  work: () => Promise<T>,
): Promise<{ first: F; worked: T }> {
  const { done, working } = await db.transaction(async (tx) => {
    const done = await first(tx);
    let hasEnded = false;
    const working = work().finally(() => {
      hasEnded = true;
    });
    // A failure before the commit is reported after it.
    working.catch(() => {});
    await until(async () => hasEnded || (await isWaitedFor(tx)));
    return { done, working };
  });
  return { first: done, worked: await working };
}

/** Ends Dev's role in the project rocket while `work`, already authorized, waits to read this table. */
export async function whileDevLeaves<T>(
  world: World,
  table: "alerts" | "events",
  work: () => Promise<T>,
): Promise<T> {
  const leave = async (tx: Queries) => {
    await tx.run(new Sql([`lock table ${table} in access exclusive mode`], []));
    await tx.run(
      sql`delete from members where project_id = ${world.rocket.id} and user_id = ${world.ids.dev}`,
    );
  };
  return (await whileDoing(world, leave, work)).worked;
}

/**
 * Runs `work` while a transaction holds the rows of the statements; `work` gets a function that tells whether somebody waits
 * for them, and a client for other statements.
 */
export async function whileHeld<T>(
  { connection }: Pick<World, "connection">,
  statements: readonly (readonly [string, ...unknown[]])[],
  work: (isWaitedFor: () => Promise<boolean>, watcher: pg.Client) => Promise<T>,
): Promise<T> {
  const [client, watcher] = [new pg.Client(connection), new pg.Client(connection)];
  await Promise.all([client.connect(), watcher.connect()]);
  try {
    await client.query("begin");
    for (const [statement, ...values] of statements) await client.query(statement, values);
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const isWaitedFor = async () =>
      (
        await watcher.query("select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", [
          rows[0]?.pid,
        ])
      ).rowCount !== 0;
    const done = await work(isWaitedFor, watcher);
    await client.query("commit");
    return done;
  } finally {
    await Promise.all([client.end(), watcher.end()]);
  }
}

/** Cancels the service's statements that wait for a lock, as their timeout would. */
export async function endWaiting({ platform: { db } }: Pick<World, "platform">): Promise<void> {
  await db.pooled.run(
    sql`select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  );
}

async function someoneWaitsFor(connection: World["connection"], pid: number): Promise<void> {
  const watcher = new pg.Client(connection);
  await watcher.connect();
  try {
    const waiting = "select 1 from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
    await until(async () => (await watcher.query(waiting, [pid])).rowCount);
  } finally {
    await watcher.end();
  }
}
