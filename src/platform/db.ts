/** The one way to PostgreSQL: named statements, pipelined single ones, pooled transactions, checked rows. */
import pg from "pg";
import { isConflict, sqlStateOf, TAKES_NO_WRITES, unavailableOr, unconfirmedOr } from "./db-errors.ts";
import { Lane } from "./db-lane.ts";
import { type Answer, send, sendPooled } from "./db-query.ts";
import { beginSession, type Session } from "./db-session.ts";
import { checkRow, type RowShape } from "./row.ts";
import type { Sql } from "./sql.ts";
import { createTurns } from "./turns.ts";

/**
 * What stores send their statements by: the database itself, or the transaction that a verb owns.
 * @throws Problem from each: unavailable, the database cannot serve; invalid, a value is beyond what it can hold
 */
export interface Queries {
  /** All rows. */
  many<R>(shape: RowShape<R>, statement: Sql): Promise<R[]>;
  /** The row, or undefined when there is none. */
  find<R>(shape: RowShape<R>, statement: Sql): Promise<R | undefined>;
  /** The row that must be there, for instance of `insert … returning`. @throws Error there is none: a bug */
  one<R>(shape: RowShape<R>, statement: Sql): Promise<R>;
  /** Runs a statement; returns the number of rows it touched. */
  run(statement: Sql): Promise<number>;
}

/**
 * Single statements go over two pipelined connections (many requests share one round trip, and each statement
 * commits by itself); `transaction` and `pooled` take a connection of their own. Head-of-line blocking is why
 * slow statements belong to `pooled`. A single statement that lost a deadlock is sent again, three times in all.
 */
export interface Db extends Queries {
  /** On all but two of those connections at most: however many lists are read, alerts come in and tokens are handed out. */
  readonly pooled: Queries;
  /** The same on half of those connections at most, so that searches do not keep lists waiting either. */
  readonly searching: Queries;
  /**
   * Commits what `work` did, or nothing. After a serialization failure or a deadlock `work` runs anew, three times in all: what it
   * does besides its statements may happen more than once.
   */
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>;
  /** Connects for single statements, which the first of them would else wait for. @throws Problem unavailable */
  connect(): Promise<void>;
  /** How busy the connections are now. */
  load(): DbLoad;
  close(): Promise<void>;
}

/** How busy the connections of this process are. */
export interface DbLoad {
  /** Connections open for transactions and slow statements. */
  open: number;
  idle: number;
  /** Transactions and searches that wait for a connection, and pipelined statements that wait for their answer. */
  waiting: number;
  pipelined: number;
}

/** What may differ between the service, its commands and tests. */
export interface DbOptions {
  connection: pg.ClientConfig;
  /** Connections for transactions and slow statements. */
  poolSize?: number;
  /** How long a connection, or the turn for one, is waited for: people wait meanwhile, tests on a busy machine may. */
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
  // Statements are few and named: planning one over all months anew costs more than the list it reads, and pages of an
  // index are in memory (decision 0093). Compiling a statement of a millisecond takes many, and a server of one's own
  // would do it for every plan that avoids a scan at a price.
  plan_cache_mode: "force_generic_plan",
  random_page_cost: 1.1,
  jit: "off",
};

/** Connections that single statements leave free, if there are twice as many. */
const FOR_TRANSACTIONS = 2;
const PATIENCE_MS = 1500;
/** For the turn of a search, which keeps nothing from anybody while it waits. */
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
  // Of connections that are given up anyway nobody needs to hear.
  const onError = (error: Error) => {
    if (!closed) options.onError?.(error);
  };
  const pool = new pg.Pool({
    ...connection,
    pipeline: true,
    max: poolSize,
    idleTimeoutMillis: 60_000,
    onConnect: (client) => beginSession(client, SESSION),
  });
  pool.on("error", onError);
  // A client that is checked out reports its own loss; without a listener that would end the process.
  pool.on("connect", (client) => client.on("error", onError));
  const lanes = [new Lane(connection, SESSION, onError), new Lane(connection, SESSION, onError)] as const;
  const check = options.checkRows ?? false;
  const pipelined = queries(
    again((statement) => {
      const [a, b] = lanes;
      return (a.waiting <= b.waiting ? a : b).query(statement);
    }),
    check,
  );
  // Whoever waits in the pool has its turn in the order of coming: a transaction would wait for all lists before it.
  const statements = createTurns(Math.max(Math.ceil(poolSize / 2), poolSize - FOR_TRANSACTIONS), patienceMs);
  const sendInTurn: Send = (statement) => statements.take(() => sendPooled(pool, statement));
  const pooled = queries(again(sendInTurn), check);
  const searches = createTurns(
    Math.max(1, Math.floor(poolSize / 2)),
    options.patienceMs ?? SEARCH_PATIENCE_MS,
  );
  const searching = queries(
    again((statement) => searches.take(() => sendInTurn(statement))),
    check,
  );

  return {
    ...pipelined,
    pooled,
    searching,
    transaction: (work) => inTransaction(pool, check, work),
    connect: async () => {
      await Promise.all(lanes.map((lane) => lane.open())).catch(unavailableOr);
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

function queries(ask: Send, check: boolean): Queries {
  const rows = async <R>(shape: RowShape<R>, statement: Sql): Promise<R[]> => {
    const found = (await ask(statement).catch(unavailableOr)).rows;
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
    run: async (statement) => (await ask(statement).catch(unavailableOr)).count,
  };
}

const RETRIES = 3;

/** A statement that commits by itself and was chosen to end a deadlock has done nothing: it is sent again. */
function again(ask: Send): Send {
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

function backOff(attempt: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.random() * 20 * attempt));
}

async function inTransaction<T>(
  pool: pg.Pool,
  check: boolean,
  work: (tx: Queries) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect().catch(unavailableOr);
    let broken: Error | undefined;
    try {
      // The first statement need not wait for the answer to this one.
      const begun = client.query("begin");
      begun.catch(() => {});
      const result = await work(queries((statement) => send(client, statement), check));
      await begun.catch(unavailableOr);
      await client.query("commit").catch(unconfirmedOr);
      return result;
    } catch (error) {
      await client.query("rollback").catch((failure: Error) => {
        broken = failure;
      });
      // The address may lead to the primary again, and a connection stays where it is.
      if (sqlStateOf(error) === TAKES_NO_WRITES) broken ??= error as Error;
      if (attempt >= RETRIES || !isConflict(error)) throw error;
      await backOff(attempt);
    } finally {
      client.release(broken);
    }
  }
}
