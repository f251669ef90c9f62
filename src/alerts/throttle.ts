/** Limits how many alerts a project and each of its integrations may send (contract-alerts, throttling; decision 0310). */
import { dropOldest } from "../platform/drop-oldest.ts";
import type { Standing } from "../platform/rate-limit.ts";

/** Of a project: 3,000 a minute. */
const BURST = 1000;
const PER_SECOND = 50;
/** Of an integration, which it keeps when others have used up those of the project: 600 a minute (reference reliability E). */
const OWN_BURST = 100;
const OWN_PER_SECOND = 10;
const MAX_BUCKETS = 10_000;

/** Who sends an alert. */
export interface AlertSender {
  projectId: number;
  integrationId: number;
}

export interface Throttle {
  /** Takes one from the buckets, unless both are empty, and returns the state of the project's. */
  take(sender: AlertSender, nowSeconds: number): Standing;
  /**
   * Gives back what was taken for a request whose body is refused. Each integration may send as many of those as a project may
   * send alerts: every one leaves a receipt.
   */
  giveBack(sender: AlertSender, nowSeconds: number): void;
}

interface Bucket {
  left: number;
  atSeconds: number;
}

/** Returns a throttle for one of `shares` processes that divide the allowance. */
export function createThrottle(shares = 1): Throttle {
  const burst = Math.max(1, Math.floor(BURST / shares));
  const ownBurst = Math.max(1, Math.floor(OWN_BURST / shares));
  const [rate, ownRate] = [PER_SECOND / shares, OWN_PER_SECOND / shares];
  const projects = createPool(burst, rate);
  const integrations = createPool(ownBurst, ownRate);
  const refusals = createPool(burst, rate);
  return {
    take: ({ projectId, integrationId }, nowSeconds) => {
      const [project, own] = [projects(projectId, nowSeconds), integrations(integrationId, nowSeconds)];
      const refused = refusals(integrationId, nowSeconds);
      const isTaken = refused.left >= 1 && (project.left >= 1 || own.left >= 1);
      const waits = [(1 - project.left) / rate, (1 - own.left) / ownRate];
      const waitSeconds = isTaken ? 0 : Math.max((1 - refused.left) / rate, Math.min(...waits));
      if (isTaken) {
        // What an integration sends past an empty bucket of the project is owed by the others: the sum stays the same.
        project.left = Math.max(-burst, project.left - 1);
        own.left = Math.max(0, own.left - 1);
      }
      return {
        limit: burst,
        remaining: Math.max(0, Math.floor(project.left)),
        resetSeconds: Math.ceil((burst - project.left) / rate),
        waitSeconds: Math.ceil(waitSeconds),
      };
    },
    giveBack: ({ projectId, integrationId }, nowSeconds) => {
      const [project, own] = [projects(projectId, nowSeconds), integrations(integrationId, nowSeconds)];
      const refused = refusals(integrationId, nowSeconds);
      project.left = Math.min(burst, project.left + 1);
      own.left = Math.min(ownBurst, own.left + 1);
      refused.left = Math.max(0, refused.left - 1);
    },
  };
}

/** Returns a function that returns the refilled bucket of an id. */
function createPool(burst: number, perSecond: number): (id: number, nowSeconds: number) => Bucket {
  const buckets = new Map<number, Bucket>();
  return (id, nowSeconds) => {
    const bucket = buckets.get(id) ?? { left: burst, atSeconds: nowSeconds };
    bucket.left = Math.min(burst, bucket.left + (nowSeconds - bucket.atSeconds) * perSecond);
    bucket.atSeconds = nowSeconds;
    // The map is ordered by use, so its first entry was idle the longest.
    buckets.delete(id);
    buckets.set(id, bucket);
    if (buckets.size > MAX_BUCKETS) dropOldest(buckets);
    return bucket;
  };
}

/** Whether a sender drops what is answered 429 and retries after 503 (reference alerts A12). */
export function retriesOnlyServerErrors(userAgent: string | undefined): boolean {
  return /alertmanager|grafana|datadog/i.test(userAgent ?? "");
}
