/**
 * Stops the clock by which the service measures durations and refills token buckets, where a test must not depend on how busy the
 * machine is.
 */
import { mock } from "node:test";

/** Everything takes no time, until `mock.restoreAll()` or the end of the file. */
export function stopsMeasuring(): void {
  const now = performance.now();
  mock.method(performance, "now", () => now);
}
