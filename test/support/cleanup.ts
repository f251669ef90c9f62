/** Cleanup after a file's tests, in reverse order. */
import { after } from "node:test";

const undo: (() => Promise<unknown>)[] = [];

// Registered while the file is loaded: inside a hook, `after` would run when that hook ends.
after(async () => {
  const failures: unknown[] = [];
  // All of them run even if one fails, otherwise the file would never end.
  while (undo.length > 0)
    await undo
      .pop()?.()
      .catch((failure: unknown) => failures.push(failure));
  if (failures.length > 0) throw new AggregateError(failures, `not undone: ${failures.join("; ")}`);
});

/** Runs `work` after all tests of the file. */
export function whenDone(work: () => Promise<unknown>): void {
  undo.push(work);
}
