/** Ends a run early, with clean-up. */

/** Cleans up on SIGINT and SIGTERM. */
export function endsEarly(clean: () => Promise<void>): void {
  process.once("SIGINT", () => end("stopped", clean));
  process.once("SIGTERM", () => end("stopped", clean));
}

/** Cleans up and exits after a time limit. */
export function endAfter(minutes: number, clean: () => Promise<void>): void {
  setTimeout(() => end(`not done after ${minutes} minutes`, clean), minutes * 60_000).unref();
}

function end(why: string, clean: () => Promise<void>): void {
  process.stderr.write(`${why}\n`);
  void clean().finally(() => process.exit(1));
}

/** Returns a function that runs `work` at its first call only. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
