/** `npm test`: installs the programs that the suite needs if possible, starts one database server, and runs every test file. */
import { createWriteStream, globSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { leave } from "../src/platform/leave.ts";
import { SERVER_VARIABLE, startTestServer } from "../test/support/database.ts";
import { installTestTools } from "./test-tools.ts";

await installTestTools();
const files = process.argv.length > 2 ? process.argv.slice(2) : globSync("test/**/*.test.ts").sort();
const server = await startTestServer();
process.env[SERVER_VARIABLE] = JSON.stringify(server.ways);
// Warnings, such as those about type stripping, would hide the report.
process.env.NODE_NO_WARNINGS = "1";

/** Longer than a file may take; after this time without a report, the run waits for something that the runner cannot end. */
const SILENCE_MS = 1_200_000;

const counts = { passed: 0, failed: 0 };
const ended = new Set<string>();
let reportedAt = Date.now();
const stream = run({
  files,
  concurrency: Math.max(2, availableParallelism()),
  timeout: 900_000,
  // A file that failed to start may have left handles open, which would keep its process running until the timeout.
  execArgv: ["--test-force-exit", "--import", import.meta.resolve("./flush-reports.ts")],
});
stream.on("test:start", () => {
  reportedAt = Date.now();
});
stream.on("test:summary", (event) => {
  if (event.file !== undefined) ended.add(relative(".", event.file));
});
stream.on("test:pass", (event) => {
  if (event.details.type !== "suite") counts.passed++;
});
stream.on("test:fail", (event) => {
  if (event.details.type !== "suite") counts.failed++;
});
setInterval(() => {
  if (Date.now() - reportedAt < SILENCE_MS) return;
  // Reports come in the order of the files: the first unfinished file is the one that the run waits for.
  process.stderr.write(
    `${files.find((file) => !ended.has(file)) ?? "The runner"} does not end; the run is given up.\n`,
  );
  void end(1);
}, 30_000).unref();
mkdirSync("tmp", { recursive: true });
const report = stream.compose(spec);
report.pipe(createWriteStream("tmp/test-report.txt"));
report.pipe(process.stdout, { end: false });
await new Promise((done) => report.on("end", done));
writeFileSync("tmp/test-summary.json", `${JSON.stringify(counts)}\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
await end(counts.failed > 0 || counts.passed === 0 ? 1 : 0);

async function end(code: number): Promise<void> {
  await server.stop();
  process.stdout.write("", () => leave(code));
}
