/** A file of events that is brought in: how it is read, how far it has come, and what became of its lines. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../platform/json-object.ts";
import { bytes, integer, type RowOf, row } from "../platform/row.ts";
import type { BatchRow } from "./batch.ts";

/** How the lines are understood; part of what a file is known by. */
export interface ImportOptions {
  /** The project of every line, by number or path; undefined: each line names its own. */
  project: string | undefined;
  /** The event source whose identities and numbers count; undefined: found by the project, or none. */
  sourceId: number | undefined;
  /** Who did what a row names no author for. */
  authorId: number | undefined;
}

/** Whoever holds the console may write into every project that does not rest. */
export const CONSOLE = { id: 0, isAdmin: true, changes: true };

/** What a line holds: a row of the bulk API, or an object of GitHub's archive. */
export type ImportLine = BatchRow | { archive: JsonObject };

export interface ImportCounts {
  created: number;
  duplicate: number;
  /** Kinds of an archive that have no counterpart here. */
  ignored: number;
  invalid: number;
}

/** How far a file has come. `digest` is of all lines behind. */
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

/** A line that was refused, counted from 1. */
export interface Refusal {
  line: number;
  error: string;
}

/**
 * What a file is known by: the way in which it is read, and how its text begins. Its own key first, then those that it had if it has
 * grown since from less than this beginning: each of whole lines, the longest first, the last one with and without its end.
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
