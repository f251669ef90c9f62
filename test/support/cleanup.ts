/** What to undo when a file's tests are done, last made first. */
import { after } from "node:test";

const undo: (() => Promise<unknown>)[] = [];

// Registered while the file is loading: inside a hook, `after` would run as soon as that hook is over.
after(async () => {
  const failures: unknown[] = [];
  // Whatever one leaves behind, the others must be undone, or the file would never end.
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
