/** Where a reader of a list stands, as an opaque word: in the order of the list, or in the order of arrival. */
import { ParameterProblem } from "../platform/problem.ts";

/** The last event of a page. */
export interface Cursor {
  createdAt: Date;
  id: number;
}

/** All that arrived up to here has been read: the transaction, as text because it has 64 bits, and the event in it. */
export interface Arrival {
  transaction: string;
  id: number;
}

/** The position before everything (contract-events §4, gap-free tail). */
export const START: Arrival = { transaction: "0", id: 0 };

export function cursorText({ createdAt, id }: Cursor): string {
  return write("c", createdAt.getTime(), id);
}

/** @throws ParameterProblem */
export function readCursor(text: string): Cursor {
  const [milliseconds, id] = read("c", text, "cursor");
  if (Number(milliseconds) > 8.64e15) throw new ParameterProblem(["cursor is invalid"]);
  return { createdAt: new Date(Number(milliseconds)), id: Number(id) };
}

export function arrivalText({ transaction, id }: Arrival): string {
  return write("a", transaction, id);
}

/** Reads a `since`; `start` is the position before everything. @throws ParameterProblem */
export function readArrival(text: string): Arrival {
  if (text === "start") return START;
  const [transaction, id] = read("a", text, "since");
  return { transaction, id: Number(id) };
}

function write(kind: string, first: number | string, second: number): string {
  return Buffer.from(`${kind}${first}.${second}`).toString("base64url");
}

function read(kind: string, text: string, name: string): [string, string] {
  const match = /^([a-z])(\d{1,18})\.(\d{1,15})$/.exec(Buffer.from(text, "base64url").toString());
  if (match?.[1] !== kind) throw new ParameterProblem([`${name} is invalid`]);
  return [match[2] as string, match[3] as string];
}
