/** Limits a minute without the minute: what they count does not depend on how busy the machine is. */
import { mock } from "node:test";

/** Stops the clock by which buckets fill again, until `mock.restoreAll()` or the end of the file. */
export function stopsBuckets(): void {
  const now = performance.now();
  mock.method(performance, "now", () => now);
}
