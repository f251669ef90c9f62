/** Parses batches of events and builds the response to them (contract-events §2). */
import type { ServerResponse } from "node:http";
import type { Bodies } from "../platform/answers.ts";
import { noRoom, shareOf } from "../platform/body-room.ts";
import { boundedJson } from "../platform/bounded-json.ts";
import { parseJson } from "../platform/http.ts";
import { createInflater } from "../platform/inflate-gzip.ts";
import { isObject } from "../platform/json-object.ts";
import { FREE_BYTES } from "../platform/large-bodies.ts";
import { checkParameters } from "../platform/parameters.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import Type from "../platform/schema.ts";
import { type BatchRow, MAX_BYTES, MAX_ROWS, type RowResult } from "./batch.ts";
import type { ImportLine } from "./import.ts";
import { isArchiveLine } from "./sources/archive.ts";
import { draftOf, EventBody } from "./wire-write.ts";

export const BulkQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description: "true: validate the rows without writing them; default: false",
    }),
  ),
});

const inflate = createInflater();
const utf8 = new TextDecoder("utf-8", { fatal: true });

const RowBody = Type.Object({
  ...EventBody.properties,
  project_id: Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 2000 })], {
    description: "number or full path of the project",
  }),
});

/** The bodies of `POST /events/bulk`, for its documentation: rows are checked one by one. */
export const BULK_BODIES: Bodies = {
  "application/json": Type.Array(RowBody, { maxItems: MAX_ROWS }),
  "application/x-ndjson": Type.String({ description: "the same rows, one JSON object a line" }),
};

/**
 * Parses the rows of a body; what it holds once inflated is released when the response ends.
 * @throws ParameterProblem: the body is not a JSON array; Problem too_large, unsupported, unavailable
 */
export async function rowsOf(
  body: Buffer,
  headers: { type?: string | undefined; encoding?: string | undefined },
  answer: ServerResponse,
): Promise<BatchRow[]> {
  const bytes = await inflated(body, headers.encoding, answer);
  const type = headers.type ?? "";
  if (/^application\/(x-ndjson|jsonl|x-jsonlines)\s*(;|$)/i.test(type)) return checked(linesOf(bytes));
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(
      "unsupported",
      "415 Unsupported Media Type. Send application/x-ndjson or application/json.",
    );
  }
  const rows = parseJson(bytes);
  if (!Array.isArray(rows)) throw new ParameterProblem(["The body is not a JSON array"]);
  return checked(rows);
}

async function inflated(body: Buffer, encoding = "identity", answer: ServerResponse): Promise<Buffer> {
  if (/^identity$/i.test(encoding)) return body;
  if (!/^(x-)?gzip$/i.test(encoding)) {
    throw new Problem("unsupported", "415 Unsupported Content-Encoding. Send gzip or none.");
  }
  const broken = () => new ParameterProblem(["The body is not valid gzip"]);
  const bytes = await inflate(body, { most: MAX_BYTES, answer, tooLarge, broken });
  if (!shareOf("writes", answer).take(Math.max(0, bytes.length - FREE_BYTES))) throw noRoom();
  return bytes;
}

class BrokenLine {
  readonly fault: string;
  constructor(fault: string) {
    this.fault = fault;
  }
}

/** Tab, line feed, carriage return and space, any number of which may precede the value of a line. */
const BLANKS = new Set([9, 10, 13, 32]);

/** The values of the lines that are not blank. @throws Problem too_large: too many rows, or too many values in all lines */
function linesOf(bytes: Buffer): unknown[] {
  const rows: unknown[] = [];
  const parse = boundedJson();
  for (let start = 0; start < bytes.length; ) {
    // Skips millions of blank lines without creating a string for each.
    if (BLANKS.has(bytes[start] as number)) {
      start++;
      continue;
    }
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    start = end + 1;
    const row = parsed(line, parse);
    if (row !== undefined) rows.push(row);
    if (rows.length > MAX_ROWS) throw tooLarge();
  }
  return rows;
}

function parsed(line: Buffer, parse: ReturnType<typeof boundedJson>): unknown {
  let text: string;
  try {
    text = utf8.decode(line).trim();
  } catch {
    return new BrokenLine("The line is not valid UTF-8");
  }
  if (text === "") return undefined;
  try {
    return parse(text, "The line");
  } catch (error) {
    if (error instanceof ParameterProblem) return new BrokenLine(error.message);
    throw error;
  }
}

/** Parses a line of a file; `project` replaces the project that rows name. Returns undefined if the line is blank. */
export function importLine(line: Buffer, project: string | undefined): ImportLine | undefined {
  // The file is the operator's own, and so is the process.
  const value = parsed(line, boundedJson(Number.POSITIVE_INFINITY));
  if (value === undefined) return undefined;
  if (value instanceof BrokenLine || !isObject(value)) return checkedRow(value);
  if (!isArchiveLine(value)) {
    return checkedRow(project === undefined ? value : { ...value, project_id: project });
  }
  return isStorable(value) ? { archive: value } : { error: "The line has a character that cannot be stored" };
}

function checked(rows: readonly unknown[]): BatchRow[] {
  if (rows.length > MAX_ROWS) throw tooLarge();
  return rows.map(checkedRow);
}

function checkedRow(row: unknown): BatchRow {
  try {
    return rowOf(row);
  } catch (error) {
    if (error instanceof Problem) return { error: error.message };
    throw error;
  }
}

/** @throws Problem with the fault of the row */
function rowOf(given: unknown): BatchRow {
  if (given instanceof BrokenLine) return { error: given.fault };
  if (!isObject(given)) return { error: "The row is not a JSON object" };
  const { value, faults } = checkParameters(RowBody, given, { makesNew: true });
  if (!value) throw new ParameterProblem(faults);
  const strange = Object.entries(value).find(([, inner]) => !isStorable(inner));
  if (strange) return { error: `${strange[0]} has a character that cannot be stored` };
  const { project_id: project, ...body } = value as { project_id: number | string } & EventBody;
  return { project: String(project), draft: draftOf(body) };
}

/** Whether PostgreSQL can store all characters: one that it cannot store would make the statement of the whole batch fail. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed();
  if (value === null || typeof value !== "object") return true;
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner));
}

function tooLarge(): Problem {
  return new Problem(
    "too_large",
    `A batch has at most ${MAX_ROWS} rows and ${MAX_BYTES / 1024 / 1024} MiB; nothing was written.`,
  );
}

export function bulkRecord(results: readonly RowResult[]) {
  const count = (status: RowResult["status"]) => results.filter((result) => result.status === status).length;
  return {
    created: count("created"),
    duplicate: count("duplicate"),
    invalid: count("invalid"),
    results: results.map(({ status, id, error }, index) => ({ index, status, id, error })),
  };
}
