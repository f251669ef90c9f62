/** Files of events for tests: rows of the bulk API, lines of GitHub's archive, and the import command. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { whenDone } from "./cleanup.ts";
import { addressOf } from "./database.ts";
import { daysAgo } from "./past-days.ts";
import type { World } from "./world.ts";

const ROOT = join(import.meta.dirname, "../..");
const directory = mkdtempSync(join(tmpdir(), "gatehouse-import-"));
whenDone(() => rm(directory, { recursive: true, force: true }));

/** Writes a file that is removed when the file's tests are done; returns its path. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

/** Values as NDJSON lines; strings are written as they are. */
export function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("");
}

/** As GitHub writes it, without milliseconds. */
const ARCHIVED_AT = daysAgo(100, "05:06:07").toISOString().replace(".000", "");

/** A line in the format of GitHub's archive. */
export function archived(id: number, type: string, payload: object, more: object = {}): object {
  return {
    id: String(id),
    type,
    actor: { id: 1, login: "OctoCat", display_login: "OctoCat" },
    repo: { id: 99, name: "acme/rocket", url: "https://api.github.com/repos/acme/rocket" },
    payload,
    public: true,
    created_at: ARCHIVED_AT,
    ...more,
  };
}

export interface Run {
  process: ChildProcess;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts `gatehouse events import` on the database of a world; `input` may arrive in pieces. */
export function importFile(
  { connection }: World,
  args: readonly string[],
  input?: string | AsyncIterable<string>,
): Run {
  const child = spawn("sh", ["bin/gatehouse", "events", "import", ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: addressOf(connection), GATEHOUSE_DATA_DIR: directory },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // A process that was killed, or refuses its input, reads no more of it.
  child.stdin.on("error", () => {});
  Readable.from(input === undefined ? [] : typeof input === "string" ? [input] : input).pipe(child.stdin);
  const ended = new Promise<Awaited<Run["ended"]>>((done) => {
    child.once("close", (code) => done({ code, stdout, stderr }));
  });
  return { process: child, ended };
}
