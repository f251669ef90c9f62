/** Token buckets that limit how much one address, token or client may do in a minute (decision 0070). */
import { dropOldest } from "./drop-oldest.ts";

/** The state of a bucket. */
export interface Standing {
  /** The capacity of the bucket. */
  readonly limit: number;
  /** Whole units left. */
  readonly remaining: number;
  /** Seconds until it is full again. */
  readonly resetSeconds: number;
  /** Seconds until the next request is allowed; 0: now. */
  readonly waitSeconds: number;
}

/** Buckets of one size by key, in the memory of this process only. */
export interface Buckets {
  /** Returns the state of a bucket without taking from it. */
  look(key: string, nowSeconds: number): Standing;
  /**
   * Takes `cost` and returns the new state. The debt is limited to one full bucket. A negative cost gives back what was taken.
   */
  take(key: string, nowSeconds: number, cost?: number): Standing;
}

/** Most buckets that are kept; the one idle longest is dropped, which can only allow more. */
const MAX_BUCKETS = 50_000;

/** The time in seconds that buckets are asked with: of no date, so that no change of the clock fills or empties them. */
export function secondsNow(): number {
  return performance.now() / 1000;
}

interface Size {
  /** What a bucket holds; `perMinute` unless given. */
  capacity?: number;
  /** How many buckets are kept. */
  most?: number;
}

/** Creates buckets that refill at the rate of `perMinute`. */
export function createBuckets(
  perMinute: number,
  { capacity = perMinute, most = MAX_BUCKETS }: Size = {},
): Buckets {
  const perSecond = perMinute / 60;
  const buckets = new Map<string, { left: number; atSeconds: number }>();

  const refilled = (key: string, nowSeconds: number): number => {
    const bucket = buckets.get(key);
    if (!bucket) return capacity;
    return Math.min(capacity, bucket.left + (nowSeconds - bucket.atSeconds) * perSecond);
  };
  const standing = (left: number): Standing => ({
    limit: capacity,
    remaining: Math.max(0, Math.floor(left)),
    resetSeconds: Math.ceil((capacity - left) / perSecond),
    waitSeconds: left >= 1 ? 0 : Math.ceil((1 - left) / perSecond),
  });
  return {
    look: (key, nowSeconds) => standing(refilled(key, nowSeconds)),
    take: (key, nowSeconds, cost = 1) => {
      const left = Math.min(capacity, Math.max(-capacity, refilled(key, nowSeconds) - cost));
      // The map keeps the order of use, so the first bucket is the one that was idle longest.
      buckets.delete(key);
      buckets.set(key, { left, atSeconds: nowSeconds });
      if (buckets.size > most) dropOldest(buckets);
      return standing(left);
    },
  };
}

/**
 * Returns the party behind an address: one IPv4 address, or the /64 that an IPv6 customer gets. An IPv4-mapped IPv6 address is
 * IPv4.
 */
export function partyOf(address: string): string {
  const v4 = /(?:^|:)(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (v4 !== undefined) return v4;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::");
  const groups = head.split(":").filter(Boolean);
  const after = tail?.split(":").filter(Boolean) ?? [];
  if (tail !== undefined) while (groups.length + after.length < 8) groups.push("0");
  const whole = [...groups, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${whole.join(":")}::/64`;
}
