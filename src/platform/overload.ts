/** Detects that this process is so far behind that a new request would wait in vain (reference reliability S123). */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance } from "fastify";
import { Problem } from "./problem.ts";

/** A median delay of the event loop above this is an overload. */
const MOST_DELAY_MS = 1000;
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
    const now = measure() > MOST_DELAY_MS;
    if (now !== known) onChange(now);
    known = now;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return { isOverloaded: () => known, look, stop: () => clearInterval(timer) };
}

function medianDelay(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  let last = 0;
  return () => {
    // The first turn after a reset is not counted, and if turns are very late there may be no second one yet.
    if (delays.count === 0) return last;
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
