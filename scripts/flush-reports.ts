/** Loaded before each test file: one that is ended tells all its reports first, also to a runner that is busy. */

/** More than a runner is ever busy for; whoever is not read any more ends then. */
const PATIENCE_MS = 30_000;
const exit = process.exit;

// The runner's `--test-force-exit` ends the process while reports wait to be read, and tests that passed are not counted.
process.exit = ((code?: number | string | null) => {
  setTimeout(() => exit(code), PATIENCE_MS);
  process.stdout.write("", () => exit(code));
}) as typeof process.exit;
