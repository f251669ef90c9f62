/** The position of a reader in a list, as an opaque string: in the order of the list, or in the order of arrival. */
import { ParameterProblem } from "../platform/problem.ts";

/** The last event of a page. */
export interface Cursor {
  createdAt: Date;
  id: number;
}

/**
 * A position in the order of arrival, up to which all events have been read: the transaction, as text because it has 64 bits, and
 * the event in it.
 */
export interface Arrival {
  /** The epoch of the database to which the transaction belongs; empty: every one fits (decision 0108). */
  epoch: string;
  transaction: string;
  id: number;
}

/** The present state of arrivals. */
export interface Horizon {
  epoch: string;
  /** The first transaction that may still be running: all before it are visible, and no more events join them. */
  horizon: string;
  /** One past the last transaction that has ended. */
  upcoming: string;
  /** All transaction numbers before this one are never given again, even after a crash. */
  settled: string;
}

/** The position before everything (contract-events §4, gap-free tail). */
const START: Arrival = { epoch: "", transaction: "0", id: 0 };

/** The position after everything that has certainly arrived. */
export function positionAt({ epoch, horizon }: Horizon): Arrival {
  return { epoch, transaction: horizon, id: 0 };
}

/** The parameters in which a position may be sent; a fault names the one that was used. */
type PositionName = "since" | "Last-Event-ID";

/** @throws ParameterProblem when the position is from before a backup was restored: what has arrived since then is unknown */
export function checkPosition(
  { epoch, transaction }: Arrival,
  now: Horizon,
  name: PositionName = "since",
): void {
  const isOurs = epoch === "" || (epoch === now.epoch && BigInt(transaction) <= BigInt(now.upcoming));
  if (isOurs) return;
  const without = name === "since" ? "" : "leave it out, and ";
  throw new ParameterProblem([
    `${name} is of the time before a restore; ${without}read anew with since=start, or take the list and go on from its newest event`,
  ]);
}

/** Begins with a letter, as the text of an arrival does. */
export function cursorText({ createdAt, id }: Cursor): string {
  return write("c", createdAt.getTime(), id);
}

/** The end of the year 9999: later times are written with a sign, which PostgreSQL does not read. */
const LATEST_MS = Date.UTC(10_000, 0) - 1;

/** @throws ParameterProblem */
export function readCursor(text: string): Cursor {
  const [milliseconds, id] = read(/^c(\d{1,18})\.(\d{1,15})$/, text, "cursor");
  if (Number(milliseconds) > LATEST_MS) throw new ParameterProblem(["cursor is invalid"]);
  return { createdAt: new Date(Number(milliseconds)), id: Number(id) };
}

export function arrivalText({ epoch, transaction, id }: Arrival): string {
  return write(`a${epoch}.`, transaction, id);
}

/** Parses a position; `start` is the one before everything. @throws ParameterProblem */
export function readArrival(text: string, name: PositionName = "since"): Arrival {
  if (text === "start") return START;
  const [epoch, rest] = read(/^a([0-9a-f]{8})\.(\d{1,18}\.\d{1,15})$/, text, name);
  const [transaction = "0", id = "0"] = rest.split(".");
  return { epoch, transaction, id: Number(id) };
}

function write(kind: string, first: number | string, second: number): string {
  return Buffer.from(`${kind}${first}.${second}`).toString("base64url");
}

function read(form: RegExp, text: string, name: string): [string, string] {
  const match = form.exec(Buffer.from(text, "base64url").toString());
  if (!match) throw new ParameterProblem([`${name} is invalid`]);
  return [match[1] as string, match[2] as string];
}
