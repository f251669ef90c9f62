/** How many alerts a project may send: a bucket of 1,000 that refills by 3,000 a minute (contract-alerts, throttling). */

const BURST = 1000;
const PER_SECOND = 50;
const MAX_BUCKETS = 10_000;

export interface Throttle {
  /** Takes one; returns 0, or in how many seconds another try makes sense. */
  take(projectId: number, nowSeconds: number): number;
}

/** A throttle for one of `shares` processes that divide the allowance. */
export function createThrottle(shares = 1): Throttle {
  const buckets = new Map<number, { left: number; atSeconds: number }>();
  const burst = Math.max(1, Math.floor(BURST / shares));
  const rate = PER_SECOND / shares;
  return {
    take: (projectId, nowSeconds) => {
      const bucket = buckets.get(projectId) ?? { left: burst, atSeconds: nowSeconds };
      bucket.left = Math.min(burst, bucket.left + (nowSeconds - bucket.atSeconds) * rate);
      bucket.atSeconds = nowSeconds;
      // The map keeps the order of use, so the first is the one that was idle longest.
      buckets.delete(projectId);
      buckets.set(projectId, bucket);
      if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value as number);
      if (bucket.left < 1) return Math.ceil((1 - bucket.left) / rate);
      bucket.left--;
      return 0;
    },
  };
}

/** Whether a sender drops what is answered 429 and comes again after 503 (reference alerts A12). */
export function retriesOnlyServerErrors(userAgent: string | undefined): boolean {
  return /alertmanager|grafana|datadog/i.test(userAgent ?? "");
}
