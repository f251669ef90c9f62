/** One connection that streams rows out of and into tables by COPY, in one transaction. */
import { once } from "node:events";
import type pg from "pg";
import type { Queries } from "./db.ts";
import { singleClient } from "./db-client.ts";
import { send } from "./db-query.ts";
import { beginSession, type Session } from "./db-session.ts";
import { checkRow, type RowShape } from "./row.ts";
import type { Sql } from "./sql.ts";

/** Connection settings of a database. */
export type Connection = pg.ClientConfig;

/** A transaction that can stream rows. */
export interface CopySession {
  many<R>(shape: RowShape<R>, statement: Sql): Promise<R[]>;
  run(statement: Sql): Promise<void>;
  /** Passes the output of `copy … to stdout` to `take`, chunk by chunk; returns the number of rows. */
  copyOut(statement: Sql, take: (piece: Buffer) => Promise<void> | void): Promise<number>;
  /** Feeds `copy … from stdin`; returns the number of rows. */
  copyIn(statement: Sql, pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<number>;
}

/** Settings that write values in the same form on every server, and without a time limit. */
const WRITTEN_ALIKE: Session = {
  timezone: "UTC",
  bytea_output: "hex",
  extra_float_digits: 1,
  statement_timeout: 0,
};

/**
 * Runs `work` in one transaction with one snapshot of the database, and commits it or rolls it back. Values are written in the
 * same form whatever the settings of the server.
 */
export async function copySession<T>(
  connection: Connection,
  mode: "read" | "write",
  work: (session: CopySession) => Promise<T>,
): Promise<T> {
  const client = await connect(connection, WRITTEN_ALIKE);
  try {
    await client.query(
      `begin isolation level repeatable read ${mode === "read" ? "read only" : "read write"}`,
    );
    const result = await work(sessionOn(client));
    await client.query("commit");
    return result;
  } finally {
    // The server rolls back an uncommitted transaction when the connection ends.
    await client.end();
  }
}

async function connect(connection: Connection, session: Session): Promise<pg.Client> {
  const client = singleClient(connection, "gatehouse copy");
  await client.connect();
  try {
    await beginSession(client, session);
  } catch (error) {
    await client.end();
    throw error;
  }
  return client;
}

/** The statements of a transaction, and COPY into a table. */
export type CopyQueries = Queries & Pick<CopySession, "copyIn">;

/** A connection for a series of short transactions, each of which can stream rows in. */
export interface CopyLane {
  /** Commits `work`, or rolls it back. */
  transaction<T>(work: (tx: CopyQueries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the connection; its statements have no time limit. */
export async function openCopyLane(connection: Connection): Promise<CopyLane> {
  const client = await connect(connection, { timezone: "UTC", statement_timeout: 0 });
  const { many, copyIn } = sessionOn(client);
  const find: Queries["find"] = async (shape, statement) => (await many(shape, statement))[0];
  const queries: CopyQueries = {
    many,
    copyIn,
    find,
    one: async (shape, statement) => {
      const first = await find(shape, statement);
      if (first === undefined) throw new Error(`no row from: ${statement.statement.text}`);
      return first;
    },
    run: async (statement) => (await send(client, statement)).count,
  };
  return {
    async transaction(work) {
      await client.query("begin");
      try {
        const result = await work(queries);
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch(() => {});
        throw error;
      }
    },
    close: () => client.end(),
  };
}

function sessionOn(client: pg.Client): CopySession {
  return {
    many: async <R>(shape: RowShape<R>, statement: Sql) => {
      const { rows } = await send(client, statement);
      for (const row of rows) checkRow(shape, row, statement.statement.text);
      return rows as R[];
    },
    run: async (statement) => {
      await send(client, statement);
    },
    copyOut: (statement, take) => submit(client, new CopyOut(statement.statement.text, take)),
    copyIn: (statement, pieces) => submit(client, new CopyIn(statement.statement.text, pieces)),
  };
}

function submit(client: pg.Client, copy: Copy): Promise<number> {
  client.query(copy as unknown as pg.Submittable);
  return copy.done;
}

/** The methods of the driver's connection that a custom statement uses. */
interface Wire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
  stream: NodeJS.ReadWriteStream & { writableNeedDrain: boolean };
}

/** A custom statement of the driver, which calls these handlers as the server's messages arrive. */
class Copy {
  readonly done: Promise<number>;
  protected readonly text: string;
  private rows = 0;
  protected failure: unknown;
  private resolve: (rows: number) => void = () => {};
  private reject: (error: unknown) => void = () => {};

  constructor(text: string) {
    this.text = text;
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(wire: Wire): void {
    wire.query(this.text);
  }

  handleCommandComplete(message: { text: string }): void {
    this.rows = Number(/^COPY (\d+)/.exec(message.text)?.[1] ?? 0);
  }

  handleReadyForQuery(): void {
    if (this.failure) this.reject(this.failure);
    else this.settle(this.rows);
  }

  handleError(error: unknown): void {
    this.failure ??= error;
    this.reject(this.failure);
  }

  protected fail(error: unknown): void {
    this.failure ??= error;
  }

  protected settle(rows: number): void {
    this.resolve(rows);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyData(_message: { chunk: Buffer }, _wire: Wire): void {}
  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail("not expected");
  }
}

class CopyOut extends Copy {
  private readonly take: (piece: Buffer) => Promise<void> | void;
  private taken: Promise<void> = Promise.resolve();

  constructor(text: string, take: (piece: Buffer) => Promise<void> | void) {
    super(text);
    this.take = take;
  }

  override handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire): void {
    // The driver reuses its buffer.
    const piece = Buffer.from(chunk);
    const result = this.take(piece);
    if (!(result instanceof Promise)) return;
    wire.stream.pause();
    this.taken = Promise.all([this.taken, result]).then(
      () => void wire.stream.resume(),
      (error) => {
        this.fail(error);
        wire.stream.resume();
      },
    );
  }

  protected override settle(rows: number): void {
    void this.taken.then(() => (this.failure ? this.handleError(this.failure) : super.settle(rows)));
  }
}

class CopyIn extends Copy {
  private readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
  /** Aborted when it fails. */
  private readonly failing = new AbortController();

  constructor(text: string, pieces: AsyncIterable<Buffer> | Iterable<Buffer>) {
    super(text);
    this.pieces = pieces;
  }

  override handleError(error: unknown): void {
    super.handleError(error);
    this.failing.abort();
  }

  override handleCopyInResponse(wire: Wire): void {
    this.feed(wire).catch((error) => {
      this.fail(error);
      wire.sendCopyFail("the source failed");
    });
  }

  private async feed(wire: Wire): Promise<void> {
    for await (const piece of this.pieces) {
      if (this.failure) return;
      wire.sendCopyFromChunk(piece);
      if (wire.stream.writableNeedDrain) await this.drained(wire);
    }
    wire.endCopyFrom();
  }

  /** Not a race with `done`, which would keep a reaction to each wait until its end. */
  private async drained({ stream }: Wire): Promise<void> {
    await once(stream, "drain", { signal: this.failing.signal }).catch((error) => {
      if (!this.failure) throw error;
    });
  }
}
