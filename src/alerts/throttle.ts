/** Limits how many alerts a project may send: a bucket of 1,000 that refills by 3,000 a minute (contract-alerts, throttling). */

import { dropOldest } from "../platform/drop-oldest.ts";
import type { Standing } from "../platform/rate-limit.ts";

const BURST = 1000;
const PER_SECOND = 50;
const MAX_BUCKETS = 10_000;

export interface Throttle {
  /** Takes one from the bucket if it is not empty, and returns its state. */
  take(projectId: number, nowSeconds: number): Standing;
}

/** Returns a throttle for one of `shares` processes that divide the allowance. */
export function createThrottle(shares = 1): Throttle {
  const buckets = new Map<number, { left: number; atSeconds: number }>();
  const burst = Math.max(1, Math.floor(BURST / shares));
  const rate = PER_SECOND / shares;
  return {
    take: (projectId, nowSeconds) => {
      const bucket = buckets.get(projectId) ?? { left: burst, atSeconds: nowSeconds };
      bucket.left = Math.min(burst, bucket.left + (nowSeconds - bucket.atSeconds) * rate);
      bucket.atSeconds = nowSeconds;
      // The map is ordered by use, so its first entry was idle the longest.
      buckets.delete(projectId);
      buckets.set(projectId, bucket);
      if (buckets.size > MAX_BUCKETS) dropOldest(buckets);
      const waitSeconds = bucket.left < 1 ? Math.ceil((1 - bucket.left) / rate) : 0;
      if (waitSeconds === 0) bucket.left--;
      const resetSeconds = Math.ceil((burst - bucket.left) / rate);
      return { limit: burst, remaining: Math.floor(bucket.left), resetSeconds, waitSeconds };
    },
  };
}

/** Whether a sender drops what is answered 429 and retries after 503 (reference alerts A12). */
export function retriesOnlyServerErrors(userAgent: string | undefined): boolean {
  return /alertmanager|grafana|datadog/i.test(userAgent ?? "");
}
