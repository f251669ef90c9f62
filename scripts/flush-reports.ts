/** Loaded before each test file: one that is ended tells all its reports first, also to a runner that is busy. */
import { leave } from "../src/platform/leave.ts";

/** More than a runner is ever busy for; whoever is not read any more ends then. */
const PATIENCE_MS = 30_000;

// The runner's `--test-force-exit` ends the process while reports wait to be read, and tests that passed are not counted.
// It waits for the process too, and its time-out holds for tests alone, not for an end that does not come.
const exit = process.exit;
process.exit = ((code?: number | string | null) => {
  if (code !== undefined) process.exitCode = code;
  process.exit = exit;
  setTimeout(() => leave(), PATIENCE_MS);
  process.stdout.write("", () => leave());
}) as typeof process.exit;
