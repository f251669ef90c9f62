/** Loaded before each test file: sends all its reports before it exits, even if the runner is busy. */
import { leave } from "../src/platform/leave.ts";

/** Longer than a runner is ever busy; after this, a process whose output is not read exits anyway. */
const PATIENCE_MS = 30_000;

// The runner's `--test-force-exit` ends the process while reports are still buffered, so passed tests would not be counted. The
// runner also waits for the process, and its timeout covers tests only, not an exit that hangs.
const exit = process.exit;
process.exit = ((code?: number | string | null) => {
  if (code !== undefined) process.exitCode = code;
  process.exit = exit;
  setTimeout(() => leave(), PATIENCE_MS);
  process.stdout.write("", () => leave());
}) as typeof process.exit;
