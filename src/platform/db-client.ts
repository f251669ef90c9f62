/** A client of the driver that never fails before it connects, and says of each failure to connect that it is one. */
import pg from "pg";

type Connected = (error?: Error) => void;

/**
 * The driver reads the certificates that an address names while a client is made, where nobody waits for an answer: a file that is
 * away for a moment would be an error that nobody caught. Whatever keeps a connection from being made, the database is away:
 * such errors have `isOfDatabase`.
 */
export class DatabaseClient extends pg.Client {
  private readonly fault: Error | undefined;

  constructor(config?: pg.ClientConfig) {
    const fault = faultOf(config);
    super(fault ? {} : config);
    this.fault = fault;
  }

  override connect(): Promise<pg.Client>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.Client> | undefined {
    if (!connected) {
      return new Promise((done, fail) => this.connect((error) => (error ? fail(error) : done(this))));
    }
    const tell: Connected = (error) => connected(error && Object.assign(error, { isOfDatabase: true }));
    if (this.fault) process.nextTick(tell, this.fault);
    else super.connect(tell);
    return;
  }
}

/**
 * A client outside the pool, not yet connected. Statements report the loss of its connection themselves; without a listener the error
 * event would end the process.
 */
export function singleClient(connection: pg.ClientConfig, name?: string): DatabaseClient {
  const named = name === undefined ? connection : { ...connection, application_name: name };
  const client = new DatabaseClient({ ...named, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  return client;
}

/** What the making of a client throws; one that is not connected holds nothing. */
function faultOf(config?: pg.ClientConfig): Error | undefined {
  try {
    new pg.Client(config);
    return;
  } catch (error) {
    return error as Error;
  }
}
