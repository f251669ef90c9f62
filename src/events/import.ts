/** An import of a file of events: its options, how far it has come, and the outcomes of its lines. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../platform/json-object.ts";
import { bytes, integer, type RowOf, row } from "../platform/row.ts";
import type { BatchRow } from "./batch.ts";

/** How the lines are read; part of the keys of the file. */
export interface ImportOptions {
  /** The project of every line, by number or path; undefined: each line names its own. */
  project: string | undefined;
  /** The event source whose identities and numbers apply; undefined: that of the project, or none. */
  sourceId: number | undefined;
  /** The author of rows that name none. */
  authorId: number | undefined;
}

/** Whoever uses the console may write into every project that is neither archived nor marked for deletion. */
export const CONSOLE = { id: 0, isAdmin: true, changes: true };

/** What a line holds: a row of the bulk API, or an object of GitHub's archive. */
export type ImportLine = BatchRow | { archive: JsonObject };

export interface ImportCounts {
  created: number;
  duplicate: number;
  /** Events of an archive whose kind does not exist here. */
  ignored: number;
  invalid: number;
}

/** How far a file has been imported; `digest` is of all lines up to there. */
export const ImportStateRow = row({
  id: integer,
  lines: integer,
  digest: bytes,
  created: integer,
  duplicate: integer,
  ignored: integer,
  invalid: integer,
});
export type ImportState = RowOf<typeof ImportStateRow>;

/** A refused line; its number counts from 1. */
export interface Refusal {
  line: number;
  error: string;
}

/**
 * The keys by which a file is recognised: hashes of the options and of the beginning of its text. The first one is of all of
 * `head`. The others are those that the file had if it was shorter then and has grown since: of its whole lines, the longest
 * text first, each with and without the last line end.
 */
export function importKeys(options: ImportOptions, head: Buffer): [Buffer, ...Buffer[]] {
  const hash = createHash("sha256").update(JSON.stringify(options)).update("\n");
  const shorter: Buffer[] = [];
  let start = 0;
  for (let end = head.indexOf(10); end >= 0; end = head.indexOf(10, start)) {
    shorter.push(hash.update(head.subarray(start, end)).copy().digest());
    shorter.push(hash.update("\n").copy().digest());
    start = end + 1;
  }
  return [hash.update(head.subarray(start)).digest(), ...shorter.reverse()];
}
