/** The access to PostgreSQL: named statements, pipelined if single, pooled in transactions, with checked rows. */
import pg from "pg";
import { DatabaseClient } from "./db-client.ts";
import {
  isConflict,
  isConnectTimeout,
  rethrowAsPerhapsStored,
  rethrowAsUnavailable,
  rethrowAsUnconfirmed,
  sqlStateOf,
  TAKES_NO_WRITES,
} from "./db-errors.ts";
import { Lane } from "./db-lane.ts";
import { type Answer, send, sendPooled } from "./db-query.ts";
import { beginSession, type Session } from "./db-session.ts";
import { checkRow, type RowShape } from "./row.ts";
import type { Sql } from "./sql.ts";
import { createTurns } from "./turns.ts";

/**
 * What stores send their statements through: the database itself, or a transaction.
 * @throws Problem from each method: unavailable, the database cannot serve; invalid, a value is beyond what it can store
 */
export interface Queries {
  /** All rows. */
  many<R>(shape: RowShape<R>, statement: Sql): Promise<R[]>;
  /** The row, or undefined when there is none. */
  find<R>(shape: RowShape<R>, statement: Sql): Promise<R | undefined>;
  /** The row that must be there, for instance of `insert … returning`. @throws Error there is none: a bug */
  one<R>(shape: RowShape<R>, statement: Sql): Promise<R>;
  /** Runs a statement; returns the number of rows it changed. */
  run(statement: Sql): Promise<number>;
}

/**
 * Single statements go over two pipelined connections (many requests share one round trip, and each statement commits by itself);
 * `transaction` and `pooled` take a connection of their own. Slow statements belong to `pooled`, since on a pipeline they would
 * block those behind them. A single statement that lost a deadlock is sent again, three times in all.
 */
export interface Db extends Queries {
  /**
   * Uses at most all but two of the pooled connections, so that lists cannot block the receipt of alerts and the issue of tokens.
   */
  readonly pooled: Queries;
  /** The same with at most half of those connections, so that searches do not block lists either. */
  readonly searching: Queries;
  /**
   * Runs `work` in a transaction and commits it, or rolls it back. After a serialization failure or a deadlock `work` runs again,
   * three times in all, so its effects other than statements may happen more than once.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>;
  /**
   * Opens the connections for single statements and one for transactions, so that the first of them need not wait. Tries several
   * times if a connection takes longer than they would wait: at a start, nobody waits for an answer. @throws Problem unavailable
   */
  connect(): Promise<void>;
  /** How busy the connections are now. */
  load(): DbLoad;
  close(): Promise<void>;
}

/** The state of the connections of this process. */
export interface DbLoad {
  /** Open connections for transactions and slow statements. */
  open: number;
  idle: number;
  /** Transactions and slow statements that wait for a connection, and pipelined statements that wait for their result. */
  waiting: number;
  pipelined: number;
}

/** What differs between the service, its commands and tests. */
export interface DbOptions {
  connection: pg.ClientConfig;
  /** Number of connections for transactions and slow statements. */
  poolSize?: number;
  /** How long to wait for a connection, or for a turn to use one. */
  patienceMs?: number;
  /** Check every row against its shape (tests do). */
  checkRows?: boolean;
  onError?: (error: Error) => void;
}

const SESSION: Session = {
  timezone: "UTC",
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
  // Statements are few and named: planning one again over all monthly partitions costs more than the list that it reads, and
  // index pages are in memory (decision 0093). JIT compilation takes longer than a statement, and an external server would use
  // it for every plan with a high cost estimate.
  plan_cache_mode: "force_generic_plan",
  random_page_cost: 1.1,
  jit: "off",
};

/** Connections that pooled single statements leave free, if there are at least twice as many. */
const FOR_TRANSACTIONS = 2;
const PATIENCE_MS = 1500;
/** How long a search waits for its turn; it blocks nobody meanwhile. */
const SEARCH_PATIENCE_MS = 10_000;

/** Opens the database; connections are made on first use. */
export function openDb(options: DbOptions): Db {
  const { patienceMs = PATIENCE_MS, poolSize = 8 } = options;
  const connection: pg.ClientConfig = {
    application_name: "gatehouse",
    ...options.connection,
    connectionTimeoutMillis: patienceMs,
    query_timeout: 20_000,
  };
  let closed = false;
  // Errors of connections that are being closed are of no interest.
  const onError = (error: Error) => {
    if (!closed) options.onError?.(error);
  };
  const pool = new pg.Pool({
    ...connection,
    Client: DatabaseClient,
    pipeline: true,
    max: poolSize,
    idleTimeoutMillis: 60_000,
    onConnect: (client) => beginSession(client, SESSION),
  });
  pool.on("error", onError);
  // A client that is checked out reports its own loss; without a listener the error event would end the process.
  pool.on("connect", (client) => client.on("error", onError));
  const lanes = [new Lane(connection, SESSION, onError), new Lane(connection, SESSION, onError)] as const;
  const check = options.checkRows ?? false;
  const pipelined = queries(
    withRetries((statement) => {
      const [a, b] = lanes;
      return (a.waiting <= b.waiting ? a : b).query(statement);
    }),
    check,
    rethrowAsPerhapsStored,
  );
  // The pool serves in order of arrival: without turns, a transaction would wait for all lists queued before it.
  const statements = createTurns(Math.max(Math.ceil(poolSize / 2), poolSize - FOR_TRANSACTIONS), patienceMs);
  const sendInTurn: Send = (statement) => statements.take(() => sendPooled(pool, statement));
  const pooled = queries(withRetries(sendInTurn), check, rethrowAsPerhapsStored);
  const searches = createTurns(
    Math.max(1, Math.floor(poolSize / 2)),
    options.patienceMs ?? SEARCH_PATIENCE_MS,
  );
  const searching = queries(
    withRetries((statement) => searches.take(() => sendInTurn(statement))),
    check,
    rethrowAsPerhapsStored,
  );

  return {
    ...pipelined,
    pooled,
    searching,
    transaction: (work) => inTransaction(pool, check, work),
    connect: async () => {
      const one = async () => (await pool.connect()).release();
      await patiently(() => Promise.all([...lanes.map((lane) => lane.open()), one()])).catch(
        rethrowAsUnavailable,
      );
    },
    load: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + statements.waiting() + searches.waiting(),
      pipelined: lanes[0].waiting + lanes[1].waiting,
    }),
    close: async () => {
      closed = true;
      await Promise.all([pool.end(), ...lanes.map((lane) => lane.close())]);
    },
  };
}

type Send = (statement: Sql) => Promise<Answer>;

/** @param rethrow what is made of a failure of the statement with this text; in a transaction, it has stored nothing */
function queries(
  ask: Send,
  check: boolean,
  rethrow: (error: unknown, statement: string) => never = rethrowAsUnavailable,
): Queries {
  const answer = (statement: Sql) =>
    ask(statement).catch((error) => rethrow(error, statement.statement.text));
  const rows = async <R>(shape: RowShape<R>, statement: Sql): Promise<R[]> => {
    const found = (await answer(statement)).rows;
    if (check) for (const row of found) checkRow(shape, row, statement.statement.text);
    return found as R[];
  };
  return {
    many: rows,
    find: async (shape, statement) => (await rows(shape, statement))[0],
    one: async (shape, statement) => {
      const [first] = await rows(shape, statement);
      if (first === undefined) throw new Error(`no row from: ${statement.statement.text}`);
      return first;
    },
    run: async (statement) => (await answer(statement)).count,
  };
}

const RETRIES = 3;

/** Retries: a statement that commits by itself and was cancelled because of a conflict has changed nothing. */
function withRetries(ask: Send): Send {
  const attempt = async (statement: Sql, number: number): Promise<Answer> => {
    try {
      return await ask(statement);
    } catch (error) {
      if (number >= RETRIES || !isConflict(error)) throw error;
      await backOff(number);
      return attempt(statement, number + 1);
    }
  };
  return (statement) => attempt(statement, 1);
}

/** How often connections that take too long are tried: with the patience of a service for fifteen seconds. */
const CONNECTING_TRIES = 10;

async function patiently<T>(connect: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      if (attempt >= CONNECTING_TRIES || !isConnectTimeout(error)) throw error;
    }
  }
}

function backOff(attempt: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.random() * 20 * attempt));
}

async function inTransaction<T>(
  pool: pg.Pool,
  check: boolean,
  work: (tx: Queries) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect().catch(rethrowAsUnavailable);
    let broken: Error | undefined;
    try {
      // The first statement need not wait for the result of this one.
      const begun = client.query("begin");
      begun.catch(() => {});
      const result = await work(queries((statement) => send(client, statement), check));
      await begun.catch(rethrowAsUnavailable);
      await client.query("commit").catch(rethrowAsUnconfirmed);
      return result;
    } catch (error) {
      await client.query("rollback").catch((failure: Error) => {
        broken = failure;
      });
      // The address may lead to the primary by now, but an open connection stays with its server.
      if (sqlStateOf(error) === TAKES_NO_WRITES) broken ??= error as Error;
      if (attempt >= RETRIES || !isConflict(error)) throw error;
      await backOff(attempt);
    } finally {
      client.release(broken);
    }
  }
}
