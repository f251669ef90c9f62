/** Where a reader of a list stands, as an opaque word: in the order of the list, or in the order of arrival. */
import { ParameterProblem } from "../platform/problem.ts";

/** The last event of a page. */
export interface Cursor {
  createdAt: Date;
  id: number;
}

/** All that arrived up to here has been read: the transaction, as text because it has 64 bits, and the event in it. */
export interface Arrival {
  /** The life of the database to which the transaction belongs; empty: whichever it is (decision 0108). */
  epoch: string;
  transaction: string;
  id: number;
}

/** Where arrivals stand now. */
export interface Horizon {
  epoch: string;
  /** The first transaction that may still be under way: whatever is before it can be seen, and nothing joins it. */
  horizon: string;
  /** Behind the last transaction that has ended. */
  upcoming: string;
  /** All numbers before this one are spent for good, whatever crashes. */
  settled: string;
}

/** The position before everything (contract-events §4, gap-free tail). */
const START: Arrival = { epoch: "", transaction: "0", id: 0 };

/** Everything that has arrived for sure. */
export function positionAt({ epoch, horizon }: Horizon): Arrival {
  return { epoch, transaction: horizon, id: 0 };
}

/** What a position may come as; a fault is told of the one that was sent. */
type PositionName = "since" | "Last-Event-ID";

/**
 * @throws ParameterProblem when the position is of the database as it was before a backup was restored: what arrived
 *   since then cannot be told
 */
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

/** Begins with a letter, like the text of an arrival. */
export function cursorText({ createdAt, id }: Cursor): string {
  return write("c", createdAt.getTime(), id);
}

/** @throws ParameterProblem */
export function readCursor(text: string): Cursor {
  const [milliseconds, id] = read(/^c(\d{1,18})\.(\d{1,15})$/, text, "cursor");
  if (Number(milliseconds) > 8.64e15) throw new ParameterProblem(["cursor is invalid"]);
  return { createdAt: new Date(Number(milliseconds)), id: Number(id) };
}

export function arrivalText({ epoch, transaction, id }: Arrival): string {
  return write(`a${epoch}.`, transaction, id);
}

/** Reads a position; `start` is the one before everything. @throws ParameterProblem */
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
