/** Detects that this process is so far behind that a new request would wait in vain (reference reliability S123). */
import { type Histogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance } from "fastify";
import { Problem } from "./problem.ts";

/** A median delay of the event loop above this is an overload. */
const MAX_DELAY_MS = 1000;
const LOOK_EVERY_MS = 1000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Watches whether most turns of the event loop in the last second were late by more than a second. The median ignores one long
 * piece of work, or a moment in which the machine had no time for this process: that is over by the time it is measured.
 * @param measure the median delay since its last call, in milliseconds
 */
export function watchOverload(
  onChange: (overloaded: boolean) => void = () => {},
  measure: () => number = medianDelay(),
): { isOverloaded(): boolean; look(): void; stop(): void } {
  let known = false;
  const look = () => {
    const now = measure() > MAX_DELAY_MS;
    if (now !== known) onChange(now);
    known = now;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { isOverloaded: () => known, look, stop: () => clearInterval(timer) };
}

function medianDelay(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  return medianOf(delays);
}

/**
 * Returns the median of what was recorded since the last call, in milliseconds; the last median again while fewer than two turns
 * were: the first turn after a reset is not counted, very late ones may be fewer than one a second, and a single one may be a pause
 * that began just after the last call.
 * @param delays in nanoseconds
 */
export function medianOf(delays: Pick<Histogram, "count" | "percentile" | "reset">): () => number {
  let last = 0;
  return () => {
    if (delays.count < 2) return last;
    last = delays.percentile(50) / 1_000_000;
    delays.reset();
    return last;
  };
}

/** Answers 503 at once while the process is overloaded, except on the routes in `exempt`, which report its state. */
export function shedsOverload(
  app: FastifyInstance,
  isOverloaded: (() => boolean) | undefined,
  exempt: ReadonlySet<string>,
): void {
  if (!isOverloaded) return;
  app.addHook("onRequest", async (request) => {
    if (!isOverloaded() || exempt.has(request.routeOptions.url ?? "-")) return;
    throw new Problem("unavailable", "The service is overloaded. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  });
}
