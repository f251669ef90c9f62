/** `gatehouse events import`: imports a file of events, shows the progress, and resumes after an interruption. */
import { appendFileSync, createReadStream, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { createGunzip } from "node:zlib";
import { compactEventCounts } from "../events/compact-counts.ts";
import type { Refusal } from "../events/import.ts";
import { findImportAuthor } from "../events/import-author.ts";
import { type ImportProgress, type ImportReport, importEvents } from "../events/import-events.ts";
import { checkImportPlace } from "../events/import-place.ts";
import { importLine } from "../events/wire-bulk.ts";
import type { Config } from "../platform/config.ts";
import { errorCode } from "../platform/error-code.ts";
import { Problem } from "../platform/problem.ts";
import type { Started } from "../start-platform.ts";
import { type Answer, type Given, runCommand, WrongUsage } from "./command.ts";

const USAGE = `Usage: gatehouse events import FILE|- [options]

Imports events from JSON lines, optionally compressed with gzip: rows of the bulk API, lines of GitHub's archive
(gharchive.org), or a mix of both. To resume an import that was interrupted or killed, run the same command again.

  --project P      project of all lines, by id or path; without it each row names its own (project_id, repo.name)
  --source N       id of the event source whose identities map the authors and whose numbers identify the targets
  --author NAME    author of rows that name none
  --refusals FILE  write refused lines to FILE, one {"line":…,"error":…} each, instead of to standard error
  --restart        start again at the first line; lines with a replay key are still not imported twice
  --dry-run        check every line and write nothing
  --json           print one JSON object

Exit codes: 0 done, 1 failed, 64 wrong usage, 65 done, but some lines were refused (in this run or, when resuming, in an
earlier one), 78 wrong configuration.
For example: gatehouse events import 2026-11-20-15.json.gz --project acme/rocket
`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const OPTIONS = {
  project: text,
  source: text,
  author: text,
  refusals: text,
  restart: flag,
  "dry-run": flag,
};

export function importCommand(args: readonly string[], readConfig: () => Config): Promise<void> {
  const shape = { usage: USAGE, options: OPTIONS, positionals: 1 };
  return runCommand(shape, args, readConfig, async (given) => {
    const file = given.positionals[0] ?? "";
    const { source } = given.texts;
    const sourceId = source === undefined ? undefined : Number(source);
    if (sourceId !== undefined && !Number.isSafeInteger(sourceId)) {
      throw new WrongUsage("--source takes the id of an event source.");
    }
    const size = await sizeOf(file);
    return (started) => importFile(started, { file, size, sourceId }, given);
  });
}

async function importFile(
  { platform, connection }: Started,
  { file, size, sourceId }: { file: string; size: number | undefined; sourceId: number | undefined },
  { texts, flags }: Given,
): Promise<Answer> {
  const isDryRun = flags.has("dry-run");
  await checkImportPlace(platform.db, { project: texts.project, sourceId });
  const bar = progressBar(size);
  const stream = file === "-" ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 });
  const report = await importEvents(platform, connection, {
    name: file === "-" ? "standard input" : basename(file),
    chunks: inflated(counted(stream, bar.read)),
    read: importLine,
    project: texts.project,
    sourceId,
    authorId: texts.author === undefined ? undefined : await findImportAuthor(platform.db, texts.author),
    isDryRun,
    restarts: flags.has("restart"),
    refuse: refusalsTo(texts.refusals, bar.clear),
    progress: bar.show,
    // An open source that is no longer needed would keep the process running.
  }).finally(() => stream.destroy());
  bar.clear();
  if (!isDryRun) await compactEventCounts(platform);
  // Lines refused in an earlier run are not tried again, but are still missing.
  if (report.invalid + report.refusedBefore > 0) process.exitCode = 65;
  const { resumedAfter, refusedBefore, ...counts } = report;
  return {
    text: textOf(report, isDryRun),
    json: { ...counts, resumed_after: resumedAfter, refused_before: refusedBefore, dry_run: isDryRun },
  };
}

function textOf(report: ImportReport, isDryRun: boolean): string {
  const { lines, created, duplicate, ignored, invalid, resumedAfter, refusedBefore } = report;
  const before =
    refusedBefore > 0 ? `, before which ${refusedBefore} were refused (--restart checks them again)` : "";
  const begin = resumedAfter > 0 ? `Resumed after line ${resumedAfter}${before}. ` : "";
  const words = isDryRun ? "Would write" : "Wrote";
  return `${begin}${words} ${created} of ${lines} lines; ${duplicate} were duplicates, ${ignored} have no equivalent, ${invalid} were refused.\n`;
}

/** @throws Problem not_found */
async function sizeOf(file: string): Promise<number | undefined> {
  if (file === "-") return undefined;
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new Problem("not_found", `There is no file ${file}`);
  if (found.isDirectory()) throw new Problem("not_found", `${file} is a folder; name each of its files`);
  return found.isFile() ? found.size : undefined;
}

async function* counted(
  stream: NodeJS.ReadableStream,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    count(chunk.length);
    yield chunk;
  }
}

/** Decompresses gzip, recognised by its first bytes; passes anything else through. */
async function* inflated(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    yield* chunks;
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* whole();
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  const fed = feed(whole(), gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const code = errorCode(error);
    if (typeof code === "string" && code.startsWith("Z_")) {
      throw new Problem(
        "invalid",
        "The gzip file is damaged or incomplete; the lines before that point were imported",
      );
    }
    throw error;
  }
  await fed;
}

async function feed(chunks: AsyncIterable<Buffer>, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (!gunzip.write(chunk)) await new Promise((done) => gunzip.once("drain", done));
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error as Error);
  }
}

function refusalsTo(file: string | undefined, clear: () => void) {
  if (file !== undefined) writeFileSync(file, "", { flag: "a" });
  return (refusals: readonly Refusal[]): void => {
    if (file !== undefined) {
      appendFileSync(file, refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join(""));
      return;
    }
    clear();
    process.stderr.write(refusals.map(({ line, error }) => `line ${line}: ${error}\n`).join(""));
  };
}

const BAR_WIDTH = 24;
const PLAIN_EVERY_MS = 5000;

/** Shows a progress bar on a terminal, else a line at intervals; on standard error, to keep the output clean. */
function progressBar(size: number | undefined) {
  const begun = Date.now();
  let read = 0;
  let shownAt = begun;
  const isTerminal = process.stderr.isTTY === true;
  return {
    read: (bytes: number) => {
      read += bytes;
    },
    clear: () => {
      if (isTerminal) process.stderr.write("\r\u001b[K");
    },
    show: ({ lines, invalid }: ImportProgress) => {
      if (!isTerminal && Date.now() - shownAt < PLAIN_EVERY_MS) return;
      shownAt = Date.now();
      const rate = Math.round((lines * 1000) / Math.max(1, shownAt - begun));
      const share = size ? Math.min(1, read / size) : undefined;
      const percent = share === undefined ? "" : `${Math.floor(share * 100)} %, `;
      const words = `${percent}${lines} lines, ${rate} a second, ${invalid} refused`;
      if (!isTerminal) process.stderr.write(`${words}\n`);
      else {
        const full = Math.round((share ?? 0) * BAR_WIDTH);
        const bar = share === undefined ? "" : `[${"#".repeat(full)}${"-".repeat(BAR_WIDTH - full)}] `;
        process.stderr.write(`\r\u001b[K${bar}${words}`);
      }
    },
  };
}
