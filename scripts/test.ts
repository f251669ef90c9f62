/** `npm test`: installs what the suite needs where it may, starts one database server, and runs every test file. */
import { createWriteStream, globSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { SERVER_VARIABLE, startTestServer } from "../test/support/database.ts";
import { installTestTools } from "./test-tools.ts";

await installTestTools();
const files = process.argv.length > 2 ? process.argv.slice(2) : globSync("test/**/*.test.ts").sort();
const server = await startTestServer();
process.env[SERVER_VARIABLE] = JSON.stringify(server.connection);
// Warnings of the type stripper and the like would bury the report.
process.env.NODE_NO_WARNINGS = "1";

const counts = { passed: 0, failed: 0 };
const stream = run({
  files,
  concurrency: Math.max(2, availableParallelism()),
  timeout: 900_000,
  // A file whose start failed may have left something open, which would keep it until the time is over.
  execArgv: ["--test-force-exit", "--import", import.meta.resolve("./flush-reports.ts")],
});
stream.on("test:pass", (event) => {
  if (event.details.type !== "suite") counts.passed++;
});
stream.on("test:fail", (event) => {
  if (event.details.type !== "suite") counts.failed++;
});
mkdirSync("tmp", { recursive: true });
const report = stream.compose(spec);
report.pipe(createWriteStream("tmp/test-report.txt"));
report.pipe(process.stdout, { end: false });
await new Promise((done) => report.on("end", done));
await server.stop();
writeFileSync("tmp/test-summary.json", `${JSON.stringify(counts)}\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);
