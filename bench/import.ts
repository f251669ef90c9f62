/** Measures `gatehouse events import` against a bare COPY of the same rows into the same indexed table. */
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { importEvents } from "../src/events/import-events.ts";
import { importLine } from "../src/events/wire-bulk.ts";
import { readConfig } from "../src/platform/config.ts";
import { copySession, openCopyLane } from "../src/platform/copy.ts";
import { openDb } from "../src/platform/db.ts";
import { createLog } from "../src/platform/log.ts";
import { keysFrom } from "../src/platform/secret.ts";
import { Sql } from "../src/platform/sql.ts";
import { startBenchDatabase } from "./database.ts";
import { readOptions } from "./options.ts";
import { seedBench } from "./seed-bench.ts";
import { AUTHORS, PROJECTS } from "./seeded.ts";

const ROWS = Number(process.env.ROWS ?? 240_000);
const COLUMNS = `id, created_at, project_id, author_id, action, cap, target_type, target_id, target_iid, target_ref, push_data,
  note, wiki_page, imported_from, external_id`;
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Half are pushes, three tenths issues, a tenth comments and a tenth people joining; spread evenly over two years. */
function rowOf(n: number): object {
  const at = new Date(Date.now() - 729 * 86_400_000 * (1 - n / ROWS)).toISOString();
  const target_iid = 1 + ((n * 7919) % 5000);
  const base = { project_id: 1 + (n % PROJECTS), author_id: 1 + ((n * 31) % AUTHORS), created_at: at };
  const kind = n % 10;
  if (kind < 5) {
    const push_data = {
      ref: "main",
      commit_from: "1".repeat(40),
      commit_to: "2".repeat(40),
      commit_count: 2,
      commit_title: `Change ${n}`,
    };
    return { ...base, action: "pushed", push_data };
  }
  if (kind < 8)
    return {
      ...base,
      action: "created",
      target_type: "Issue",
      target_iid,
      target_title: `Issue ${target_iid}`,
    };
  if (kind < 9) {
    const note = {
      body: `Comment ${n} on what was said before`,
      noteable_type: "Issue",
      noteable_iid: target_iid,
    };
    return { ...base, action: "commented", target_type: "Note", note };
  }
  return { ...base, action: "joined" };
}

async function main(): Promise<void> {
  const options = readOptions(["--quick", "--only", "events", "--events", "1000", "--tokens", "10"]);
  if (!options) return;
  const database = await startBenchDatabase(options, say);
  const db = openDb({ connection: database.connection });
  try {
    await seedBench(database.connection, options, say);
    const config = readConfig({ GATEHOUSE_LOG_LEVEL: "error" });
    const platform = { db, config, log: createLog(config), keys: keysFrom(Buffer.alloc(32, 1)) };
    const file = join(database.directory, "rows.ndjson");
    await writeFile(file, Array.from({ length: ROWS }, (_, n) => `${JSON.stringify(rowOf(n))}\n`).join(""));
    const empty = async () => {
      const client = new pg.Client(database.connection);
      client.on("error", () => {});
      await client.connect();
      await client.query(
        "truncate events, event_targets, event_days, event_deltas, event_project_totals, event_author_totals, event_sums, event_day_sums, event_project_days",
      );
      await client.end();
    };
    const ratios: number[] = [];
    for (let round = 1; round <= 2; round++) {
      await empty();
      let begun = performance.now();
      const report = await importEvents(platform, database.connection, {
        name: "bench",
        chunks: createReadStream(file, { highWaterMark: 256 * 1024 }),
        read: importLine,
        project: undefined,
        sourceId: undefined,
        authorId: undefined,
        isDryRun: false,
        restarts: true,
        refuse: (refusals) => say(JSON.stringify(refusals[0])),
        progress: () => {},
      });
      const ours = report.created / ((performance.now() - begun) / 1000);
      const pieces: Buffer[] = [];
      await copySession(database.connection, "read", (session) =>
        session.copyOut(
          new Sql([`copy (select ${COLUMNS} from events order by id) to stdout`], []),
          (piece) => void pieces.push(piece),
        ),
      );
      const whole = Buffer.concat(pieces);
      await empty();
      begun = performance.now();
      const lane = await openCopyLane(database.connection);
      const rows = await lane.transaction((tx) =>
        tx.copyIn(new Sql([`copy events (${COLUMNS}) from stdin`], []), cut(whole)),
      );
      await lane.close();
      const bare = rows / ((performance.now() - begun) / 1000);
      ratios.push(ours / bare);
      process.stdout.write(
        `import ${Math.round(ours)} rows/s, bare COPY ${Math.round(bare)} rows/s, ratio ${(ours / bare).toFixed(2)}\n`,
      );
    }
  } finally {
    await db.close();
    await database.stop();
  }
}

function* cut(whole: Buffer): Generator<Buffer> {
  for (let at = 0; at < whole.length; at += 256 * 1024) yield whole.subarray(at, at + 256 * 1024);
}

await main();
