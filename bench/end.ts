/** How a run ends before its time, so that nothing of it remains. */

/** A signal still leaves nothing behind. */
export function endsEarly(clean: () => Promise<void>): void {
  process.once("SIGINT", () => end("stopped", clean));
  process.once("SIGTERM", () => end("stopped", clean));
}

/** Nor does a run that does not end. */
export function endAfter(minutes: number, clean: () => Promise<void>): void {
  setTimeout(() => end(`not done after ${minutes} minutes`, clean), minutes * 60_000).unref();
}

function end(why: string, clean: () => Promise<void>): void {
  process.stderr.write(`${why}\n`);
  void clean().finally(() => process.exit(1));
}

/** Does it the first time that it is asked for. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
