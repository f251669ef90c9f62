/** One pipelined connection: statements are sent without waiting for earlier responses, and a lost connection is replaced. */
import type { Socket } from "node:net";
import type pg from "pg";
import { DatabaseClient } from "./db-client.ts";
import { sqlStateOf, TAKES_NO_WRITES } from "./db-errors.ts";
import { type Answer, send } from "./db-query.ts";
import { beginSession, type Session } from "./db-session.ts";
import type { Sql } from "./sql.ts";

/** Never sends `begin`, since statements of many requests are interleaved on the connection. */
export class Lane {
  /** Number of statements sent and not yet answered. */
  waiting = 0;
  private readonly config: pg.ClientConfig;
  private readonly session: Session;
  private readonly onError: (error: Error) => void;
  private client: Promise<pg.Client> | undefined;
  private closed = false;
  private holding = false;

  constructor(config: pg.ClientConfig, session: Session, onError: (error: Error) => void) {
    this.config = config;
    this.session = session;
    this.onError = onError;
  }

  /** Connects, so that the first statement need not wait for it. @throws Error of the driver */
  async open(): Promise<void> {
    await this.connected();
  }

  async query(statement: Sql): Promise<Answer> {
    this.waiting++;
    try {
      const client = await this.connected();
      this.sendTogether(client);
      return await send(client, statement);
    } catch (error) {
      if (sqlStateOf(error) === TAKES_NO_WRITES) this.leave();
      throw error;
    } finally {
      this.waiting--;
    }
  }

  /**
   * Sends the statements of requests that arrived in the same turn of the event loop in one write: the system calls took a
   * quarter of the processor time of a short read.
   */
  private sendTogether(client: pg.Client): void {
    if (this.holding) return;
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    this.holding = true;
    stream.cork();
    setImmediate(() => {
      this.holding = false;
      stream.uncork();
    });
  }

  /**
   * Lets the next statement open a new connection, since the address may lead to the primary by now; statements under way are
   * answered on the old one. At most once a second.
   */
  private leave(): void {
    const { current } = this;
    if (!current || performance.now() - this.connectedAt < 1000) return;
    this.client = undefined;
    this.current = undefined;
    current.end().catch(() => {});
  }

  async close(): Promise<void> {
    this.closed = true;
    const client = await this.client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  /** @throws Error in the words of the pool: a connection opened after the end would never be closed */
  private connected(): Promise<pg.Client> {
    if (this.closed) throw new Error("Cannot use a connection after calling end on the pool");
    this.client ??= this.connect();
    return this.client;
  }

  private async connect(): Promise<pg.Client> {
    const client = new DatabaseClient({ ...this.config, pipeline: true });
    const forget = () => {
      if (this.current === client) this.client = undefined;
    };
    client.on("error", (error) => {
      forget();
      if (!this.closed) this.onError(error);
    });
    client.on("end", forget);
    this.current = client;
    try {
      await client.connect();
      await beginSession(client, this.session);
    } catch (error) {
      forget();
      client.end().catch(() => {});
      throw error;
    }
    this.connectedAt = performance.now();
    return client;
  }

  private current: pg.Client | undefined;
  private connectedAt = 0;
}
