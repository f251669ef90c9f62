/** Sends one statement to PostgreSQL and returns its rows as objects; their columns are described once per connection. */
import pg from "pg";
import type { Sql } from "./sql.ts";

/** The result of a statement. */
export interface Answer {
  /** Rows, with column names in camelCase. */
  rows: Record<string, unknown>[];
  /** Number of rows that it changed or returned. */
  count: number;
}

/** Sends a statement on this connection. @throws Error of the driver */
export function send(client: pg.Client, statement: Sql): Promise<Answer> {
  return new Promise((done, fail) => {
    const query = new StatementQuery(statement);
    query.callback = (error, answer) => (answer ? done(answer) : fail(error));
    client.query(query);
  });
}

/** Sends a statement on a connection of the pool, taken for it alone. @throws Error of the driver */
export function sendPooled(pool: pg.Pool, statement: Sql): Promise<Answer> {
  return new Promise((done, fail) => {
    const query = new StatementQuery(statement);
    const answered: Callback = (error, answer) => (answer ? done(answer) : fail(error));
    (pool as unknown as PoolOfQueries).query(query, undefined, answered);
  });
}

type Callback = (error: Error | null | undefined, answer?: Answer) => void;
/** The pool passes on any query that a client accepts. */
interface PoolOfQueries {
  query(query: StatementQuery, values: undefined, answered: Callback): void;
}

interface Field {
  name: string;
  dataTypeID: number;
}

/** Makes a row from the texts of its columns. */
type Reader = (texts: readonly (string | null)[]) => Record<string, unknown>;

/** The members of the driver's query that its types lack. */
interface DriverQuery extends pg.Submittable {
  readonly name: string;
  callback: Callback | undefined;
  prepare(connection: pg.Connection): void;
  handleError(error: Error, connection: pg.Connection): void;
}
const DriverQuery = pg.Query as unknown as new (config: {
  name: string;
  text: string;
  values: readonly unknown[];
}) => DriverQuery;

/**
 * The driver's own query makes an array of each row and asks for a description of the columns each time, which caused half of the
 * garbage of a list. A named statement returns the same columns as long as the connection lives.
 */
class StatementQuery extends DriverQuery {
  private readonly rowsRead: Record<string, unknown>[] = [];
  private count = 0;
  private failure: unknown;
  private described: Described | undefined;
  private reader: Reader | undefined;

  constructor({ statement, values }: Sql) {
    super({ ...statement, values });
  }

  override prepare(connection: pg.Connection): void {
    this.described = describedOn(connection);
    this.reader = this.described.readers.get(this.name);
    super.prepare(this.reader ? this.described.quiet : connection);
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.reader = readerOf(fields);
    this.described?.readers.set(this.name, this.reader);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      if (this.reader) this.rowsRead.push(this.reader(fields));
    } catch (error) {
      this.failure ??= error;
    }
  }

  /** The tag is a word, followed by the number of rows if they are counted. */
  handleCommandComplete({ text }: { text: string }): void {
    this.count = Number(text.slice(text.lastIndexOf(" ") + 1)) || 0;
  }

  handleReadyForQuery(connection: pg.Connection): void {
    if (this.failure) this.handleError(this.failure as Error, connection);
    else this.callback?.(null, { rows: this.rowsRead, count: this.count });
  }
}

/** The column descriptions that a connection has returned for its statements. */
interface Described {
  readonly readers: Map<string, Reader>;
  /** The same connection with `describe` switched off. */
  readonly quiet: pg.Connection;
}
const describedBy = new WeakMap<pg.Connection, Described>();

function describedOn(connection: pg.Connection): Described {
  let described = describedBy.get(connection);
  if (!described) {
    const quiet = Object.create(connection, { describe: { value: () => {} } });
    described = { readers: new Map(), quiet };
    describedBy.set(connection, described);
  }
  return described;
}

const readers = new Map<string, Reader>();

/** Returns the same reader for the same columns, on every connection. */
function readerOf(fields: readonly Field[]): Reader {
  const columns = fields.map(({ name, dataTypeID }) => `${folded(name)} ${dataTypeID}`).join(", ");
  let reader = readers.get(columns);
  if (!reader) {
    reader = compiled(fields);
    readers.set(columns, reader);
  }
  return reader;
}

/**
 * Compiles an object literal: an object built name by name becomes a dictionary at a dozen names, which takes three times the
 * memory and is slower to read. The names come from our own statements and are quoted as strings.
 */
function compiled(fields: readonly Field[]): Reader {
  const members = fields.map(({ name }, at) => {
    const value = `texts[${at}] === null ? null : parsers[${at}](texts[${at}])`;
    return `${JSON.stringify(folded(name))}: ${value}`;
  });
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  return new Function("parsers", `return (texts) => ({ ${members.join(", ")} });`)(parsers) as Reader;
}

function folded(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const INT8 = 20;
const INT8_LIST = 1016;
const DATE = 1082;
const TIMESTAMPTZ = 1184;
const TEXT_LIST = 1009;
const listOfText = pg.types.getTypeParser(TEXT_LIST as never, "text");
const anyInstant = pg.types.getTypeParser(TIMESTAMPTZ, "text");

/** Ids stay below 2^53 and become numbers; a calendar day stays a text, since it is not an instant. */
function parserOf(oid: number): (value: string) => unknown {
  if (oid === INT8) return Number;
  if (oid === INT8_LIST) return (value) => (listOfText(value) as unknown as string[]).map(Number);
  if (oid === DATE) return (value) => value;
  if (oid === TIMESTAMPTZ) return instantOf;
  return pg.types.getTypeParser(oid, "text");
}

/** Our connections return instants in UTC with a year of four digits; any other form takes the slower parser. */
function instantOf(value: string): unknown {
  const isPlain = value[4] === "-" && value.endsWith("+00");
  return isPlain ? new Date(`${value.slice(0, 10)}T${value.slice(11, -3)}Z`) : anyInstant(value);
}
