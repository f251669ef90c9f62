/** Rate limits of a minute without waiting: their counts do not depend on how busy the machine is. */
import { mock } from "node:test";

/** Stops the clock that refills the token buckets, until `mock.restoreAll()` or the end of the file. */
export function stopsBuckets(): void {
  const now = performance.now();
  mock.method(performance, "now", () => now);
}
