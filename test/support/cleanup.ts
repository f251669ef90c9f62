/** What to undo when a file's tests are done, last made first. */
import { after } from "node:test";

const undo: (() => Promise<unknown>)[] = [];

// Registered while the file is loading: inside a hook, `after` would run as soon as that hook is over.
after(async () => {
  while (undo.length > 0) await undo.pop()?.();
});

/** Runs `work` after all tests of the file. */
export function whenDone(work: () => Promise<unknown>): void {
  undo.push(work);
}
