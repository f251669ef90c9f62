/** Limits how many alerts a project and each of its integrations may send (contract-alerts, throttling; decision 0310). */
import { createBuckets, type Standing } from "../platform/rate-limit.ts";

/** Of a project. */
const BURST = 1000;
const PER_MINUTE = 3000;
/** Of an integration, which it keeps when others have used up those of the project (reference reliability E). */
const OWN_BURST = 100;
const OWN_PER_MINUTE = 600;
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
   * Gives back to the project what was taken for a request whose body is refused. Each integration may send as many of those as a project may
   * send alerts: every one leaves a receipt.
   */
  giveBack(sender: AlertSender, nowSeconds: number): void;
}

/** Returns a throttle for one of `shares` processes that divide the allowance. */
export function createThrottle(shares = 1): Throttle {
  const buckets = (perMinute: number, burst: number) =>
    createBuckets(perMinute / shares, {
      capacity: Math.max(1, Math.floor(burst / shares)),
      most: MAX_BUCKETS,
    });
  const projects = buckets(PER_MINUTE, BURST);
  const integrations = buckets(OWN_PER_MINUTE, OWN_BURST);
  const refusals = buckets(PER_MINUTE, BURST);
  return {
    take: ({ projectId, integrationId }, nowSeconds) => {
      const [project, integration] = [`${projectId}`, `${integrationId}`];
      const { waitSeconds: shared } = projects.look(project, nowSeconds);
      const { waitSeconds: own } = integrations.look(integration, nowSeconds);
      const { waitSeconds: refused } = refusals.look(integration, nowSeconds);
      const waitSeconds = Math.max(refused, Math.min(shared, own));
      // A cost of 0 keeps the bucket, as one that is in use.
      const cost = waitSeconds === 0 ? 1 : 0;
      integrations.take(integration, nowSeconds, own === 0 ? cost : 0);
      // What an integration sends past an empty bucket of the project is owed by the others: the sum stays the same.
      return { ...projects.take(project, nowSeconds, cost), waitSeconds };
    },
    giveBack: ({ projectId, integrationId }, nowSeconds) => {
      projects.take(`${projectId}`, nowSeconds, -1);
      refusals.take(`${integrationId}`, nowSeconds);
    },
  };
}

/** Whether a sender drops what is answered 429 and retries after 503 (reference alerts A12). */
export function retriesOnlyServerErrors(userAgent: string | undefined): boolean {
  return /alertmanager|grafana|datadog/i.test(userAgent ?? "");
}
