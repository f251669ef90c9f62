/** Buckets that limit how much one address, token or client may do in a minute (decision 0070). */

/** How a bucket stands. */
export interface Standing {
  /** What a full bucket holds. */
  readonly limit: number;
  /** Whole units left. */
  readonly remaining: number;
  /** Seconds until it is full again. */
  readonly resetSeconds: number;
  /** Seconds until one more is allowed; 0: now. */
  readonly waitSeconds: number;
}

/** Many buckets of one size, each with its key; in the memory of this process alone. */
export interface Buckets {
  /** How the bucket stands, taking nothing. */
  look(key: string, nowSeconds: number): Standing;
  /**
   * Takes `cost`, at most down to an empty bucket owed once more, and says how it stands then. A negative cost gives back what
   * was taken.
   */
  take(key: string, nowSeconds: number, cost?: number): Standing;
}

/** Buckets kept at most; the one that was idle longest makes room, which only ever forgives. */
const MOST_BUCKETS = 50_000;

/** Buckets that refill by `perMinute` and hold as much as that. */
export function createBuckets(perMinute: number, most = MOST_BUCKETS): Buckets {
  const perSecond = perMinute / 60;
  const buckets = new Map<string, { left: number; atSeconds: number }>();

  const refilled = (key: string, nowSeconds: number): number => {
    const bucket = buckets.get(key);
    if (!bucket) return perMinute;
    return Math.min(perMinute, bucket.left + (nowSeconds - bucket.atSeconds) * perSecond);
  };
  const standing = (left: number): Standing => ({
    limit: perMinute,
    remaining: Math.max(0, Math.floor(left)),
    resetSeconds: Math.ceil((perMinute - left) / perSecond),
    waitSeconds: left >= 1 ? 0 : Math.ceil((1 - left) / perSecond),
  });
  return {
    look: (key, nowSeconds) => standing(refilled(key, nowSeconds)),
    take: (key, nowSeconds, cost = 1) => {
      const left = Math.min(perMinute, Math.max(-perMinute, refilled(key, nowSeconds) - cost));
      // The map keeps the order of use, so the first is the one that was idle longest.
      buckets.delete(key);
      buckets.set(key, { left, atSeconds: nowSeconds });
      if (buckets.size > most) buckets.delete(buckets.keys().next().value as string);
      return standing(left);
    },
  };
}

/**
 * The party behind an address: one IPv4 address, or the /64 that an IPv6 customer is given. IPv4 in IPv6's clothes is
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
