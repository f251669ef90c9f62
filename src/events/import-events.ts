/** Imports a file of events, batch by batch; an interrupted import continues after its last batch (decision 0103). */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Connection, type CopyQueries, openCopyLane } from "../platform/copy.ts";
import { isMissingReference } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { KEY_REUSED, type Window } from "./draft.ts";
import { giveToClaimants } from "./give-to-claimants.ts";
import {
  type ImportCounts,
  type ImportLine,
  type ImportOptions,
  type ImportState,
  importKeys,
  type Refusal,
} from "./import.ts";
import { type Judged, LineJudge, type LineRequest } from "./judge-lines.ts";
import { type LineBatch, lineBatches } from "./line-batches.ts";
import { type Outcome, recordOnce } from "./record-once.ts";
import { findWindow } from "./store.ts";
import {
  copyEvents,
  deleteImport,
  findImport,
  insertImport,
  lockImport,
  updateImport,
} from "./store-imports.ts";

/** What is imported, and how. */
export interface Import extends ImportOptions {
  /** Only shown to people. */
  name: string;
  chunks: AsyncIterable<Buffer>;
  /** Reads one line; undefined: it is blank. */
  read: (line: Buffer, project: string | undefined) => ImportLine | undefined;
  /** Judges every line and writes nothing. */
  isDryRun: boolean;
  /** Forgets how far the file was imported before. */
  restarts: boolean;
  /** Called with lines that are refused, before their batch is committed. */
  refuse: (refusals: readonly Refusal[]) => void | Promise<void>;
  /** Called after each batch. */
  progress: (so: ImportProgress) => void;
}

export interface ImportProgress extends ImportCounts {
  lines: number;
  /** Bytes of text that were read in this run. */
  bytes: number;
}

/** What this run did, after which line it began, and how many lines before that were refused. */
export interface ImportReport extends ImportProgress {
  resumedAfter: number;
  refusedBefore: number;
}

const HEAD_BYTES = 64 * 1024;
/** Lines that are read and judged before the process serves its connections again. */
const LINES_A_TURN = 200;
const EMPTY: ImportCounts = { created: 0, duplicate: 0, ignored: 0, invalid: 0 };

/**
 * Imports the file. Each batch commits together with the position that it reaches.
 * @throws Problem conflict: the file is not the one whose import was interrupted, another process is importing it, or what it
 *   names was removed meanwhile
 */
export async function importEvents(
  { db }: Pick<Platform, "db">,
  connection: Connection,
  given: Import,
): Promise<ImportReport> {
  const { head, chunks } = await beginningOf(given.chunks);
  const { project, sourceId, authorId } = given;
  const keys = importKeys({ project, sourceId, authorId }, head);
  if (given.restarts && !given.isDryRun) await deleteImport(db, keys);
  const state = given.isDryRun || head.length === 0 ? undefined : await stateOf(db, keys, given.name);
  const done = state?.lines ?? 0;
  const refusedBefore = state?.invalid ?? 0;
  const report: ImportReport = { lines: 0, bytes: 0, resumedAfter: done, refusedBefore, ...EMPTY };
  const lineJudge = new LineJudge(db, given, given.isDryRun);
  const lanes = given.isDryRun ? [] : [await openCopyLane(connection), await openCopyLane(connection)];
  // Two batches are written at a time while the next one is read and judged. Each begins once the one before has locked its
  // targets, so that targets of both are written in the order of the file, and commits after it.
  let before: Writing = { copyingBegan: Promise.resolve(), done: Promise.resolve() };
  let writing = before;
  let seen = 0;
  try {
    for await (const batch of lineBatches(chunks, done)) {
      seen = batch.first + batch.lines.length - 1;
      if (seen === done && !state?.digest.equals(batch.digest)) throw anotherFile(done);
      if (seen <= done) continue;
      const judged = await judgeInTurns(batch, given, lineJudge, await findWindow(db));
      await before.done;
      await writing.copyingBegan;
      before = writing;
      const lane = lanes.reverse()[0];
      const after = before.done;
      writing = beginWriting(async (onCopying) => {
        const written =
          lane && state
            ? await lane.transaction((tx) =>
                write(tx, state, { batch, judged, refuse: given.refuse, onCopying, after }),
              )
            : await counted(batch, judged, given.refuse, () => "created");
        add(report, written, batch);
        given.progress({ ...report });
      });
    }
    await writing.done;
    if (seen < done) throw anotherFile(done);
    return report;
  } catch (error) {
    throw isMissingReference(error) ? removedMeanwhile(error) : error;
  } finally {
    await Promise.allSettled([before.done, writing.done]);
    for (const lane of lanes) await lane.close();
  }
}

/** Reads and judges the lines of a batch. Between its turns the rows of earlier batches are sent to the database. */
async function judgeInTurns(
  { lines }: LineBatch,
  { read, project }: Import,
  lineJudge: LineJudge,
  window: Window,
): Promise<(Judged | undefined)[]> {
  const judged: (Judged | undefined)[] = [];
  for (let from = 0; from < lines.length; from += LINES_A_TURN) {
    const turn = lines
      .slice(from, from + LINES_A_TURN)
      .map((line) => (line ? read(line, project) : { error: "The line is longer than 10 MiB" }));
    judged.push(...(await lineJudge.judge(turn, window)));
    await nextTurn();
  }
  return judged;
}

function removedMeanwhile(cause: unknown): Problem {
  return new Problem(
    "conflict",
    "A user or project that the file names was removed during the import. Run the same command again to continue after the last batch.",
    { cause },
  );
}

/** A batch that is being written. */
interface Writing {
  /** Resolved once its targets are locked and its events are being copied, or once it has failed. */
  copyingBegan: Promise<void>;
  done: Promise<void>;
}

function beginWriting(work: (onCopying: () => void) => Promise<void>): Writing {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = work(resolve).finally(resolve);
  done.catch(() => {});
  return { copyingBegan: promise, done };
}

/** The beginning of the text, by which the file is recognised, and the whole text. */
async function beginningOf(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  while (bytes < HEAD_BYTES && !isOver) {
    const { value, done } = await iterator.next();
    isOver = done === true;
    if (!value) continue;
    first.push(value);
    bytes += value.length;
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield* first;
    while (!isOver) {
      const { value, done } = await iterator.next();
      isOver = done === true;
      if (value) yield value;
    }
  }
  return { head: Buffer.concat(first).subarray(0, HEAD_BYTES), chunks: whole() };
}

async function stateOf(
  db: Platform["db"],
  keys: readonly [Buffer, ...Buffer[]],
  name: string,
): Promise<ImportState> {
  const state =
    (await findImport(db, keys)) ?? (await insertImport(db, keys[0], name)) ?? (await findImport(db, keys));
  if (!state) throw new Problem("conflict", "The import was restarted by another process");
  return state;
}

interface Written {
  batch: LineBatch;
  judged: readonly (Judged | undefined)[];
  refuse: Import["refuse"];
  /** Called once the targets are locked. */
  onCopying: () => void;
  /** The batch before; if it fails, this one must fail too. */
  after: Promise<void>;
}

async function write(
  tx: CopyQueries,
  state: ImportState,
  { batch, judged, refuse, onCopying, after }: Written,
): Promise<ImportCounts> {
  const outcomes = new Map<Judged, Outcome>();
  const groups = [...bySource(judged)];
  // First, before anything else is locked: claims may have been answered since the lines were judged.
  const given = await giveToClaimants(
    tx,
    groups.flatMap(([, requests]) => requests),
  );
  for (const [index, [sourceId, requests]] of groups.entries()) {
    const due = given.splice(0, requests.length);
    const found = await recordOnce(tx, due, sourceId, (_, events) => {
      if (index === groups.length - 1) onCopying();
      return copyEvents(tx, events);
    });
    requests.forEach((request, at) => {
      outcomes.set(request, found[at] as Outcome);
    });
  }
  onCopying();
  await after;
  if (!(await lockImport(tx, state.id, batch.first - 1))) {
    throw new Problem("conflict", "Another process is importing this file");
  }
  const counts = await counted(
    batch,
    judged,
    refuse,
    (request) => outcomes.get(request)?.status ?? "created",
  );
  const { digest } = batch;
  await updateImport(tx, state.id, { lines: batch.first + batch.lines.length - 1, digest, ...counts });
  return counts;
}

function bySource(judged: readonly (Judged | undefined)[]): Map<number, LineRequest[]> {
  const groups = new Map<number, LineRequest[]>();
  for (const request of judged) {
    if (!request || !("events" in request)) continue;
    const group = groups.get(request.sourceId);
    if (group) group.push(request);
    else groups.set(request.sourceId, [request]);
  }
  return groups;
}

/** Counts the outcomes of the lines of a batch, and reports the refused ones. */
async function counted(
  batch: LineBatch,
  judged: readonly (Judged | undefined)[],
  refuse: Import["refuse"],
  statusOf: (request: LineRequest) => Outcome["status"],
): Promise<ImportCounts> {
  const counts = { ...EMPTY };
  const refusals: Refusal[] = [];
  judged.forEach((line, index) => {
    if (!line) return;
    if ("ignored" in line) counts.ignored += 1;
    else {
      const status = "error" in line ? "conflict" : statusOf(line);
      if (status !== "conflict") counts[status] += 1;
      else {
        const error = "error" in line ? line.error : KEY_REUSED;
        refusals.push({ line: batch.first + index, error });
      }
    }
  });
  counts.invalid = refusals.length;
  if (refusals.length > 0) await refuse(refusals);
  return counts;
}

function add(report: ImportReport, counts: ImportCounts, batch: LineBatch): void {
  for (const name of ["created", "duplicate", "ignored", "invalid"] as const) report[name] += counts[name];
  report.lines += batch.lines.length;
  report.bytes += batch.bytes;
}

function anotherFile(done: number): Problem {
  return new Problem(
    "conflict",
    `The first ${done} lines are not those that were imported before. To import this file from its beginning: --restart`,
  );
}
