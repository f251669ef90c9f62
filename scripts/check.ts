/** `npm run check`: types, lint, floors, unused code and tests, in this order, with one line for each (`--no-tests`). */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Check {
  readonly name: string;
  /** Arguments for Node.js, from the root of the repository. */
  readonly command: readonly string[];
  /** The test suite reports by itself; of other checks only failures are shown. */
  readonly shows?: boolean;
}

const STATIC: readonly Check[] = [
  { name: "types", command: ["node_modules/typescript/bin/tsc", "--noEmit"] },
  { name: "lint", command: ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings", "."] },
  { name: "floors", command: ["scripts/floors.ts"] },
  {
    name: "unused",
    command: ["node_modules/knip/bin/knip.js", "--no-progress"],
  },
];
const TESTS: Check = { name: "tests", command: ["scripts/test.ts"], shows: true };

/** Where the counts are stored, to be added to those of the tests. */
const SUMMARY = "tmp/check-summary.json";

const root = join(import.meta.dirname, "..");
process.chdir(root);
rmSync(SUMMARY, { force: true });
const counts = { passed: 0, failed: 0 };
const checks = process.argv.includes("--no-tests") ? STATIC : [...STATIC, TESTS];
for (const check of checks) counts[passes(check) ? "passed" : "failed"]++;
mkdirSync("tmp", { recursive: true });
writeFileSync(SUMMARY, `${JSON.stringify(counts)}\n`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** Runs a check and prints its result on one line, after the output of a failed one. */
function passes({ name, command, shows = false }: Check): boolean {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(process.execPath, command, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: shows ? "inherit" : "pipe",
  });
  const good = status === 0;
  if (!good && !shows) process.stdout.write(`${stdout ?? ""}${stderr ?? ""}`);
  if (error !== undefined) console.log(String(error));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${good ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  return good;
}
