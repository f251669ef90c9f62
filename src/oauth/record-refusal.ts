/** Records the refusals of applications' requests: gathered in memory, grouped, and stored once a second. */
import { createHash } from "node:crypto";
import { countUp } from "../platform/metrics.ts";
import type { Platform } from "../platform/platform.ts";
import { type Refusal, shownWords } from "./application-event.ts";
import { insertApplicationEvents } from "./store-application-events.ts";

interface Gathered {
  /** Refusals whose reason is being determined. */
  busy: Set<Promise<void>>;
  busyOfNetwork: Map<string, number>;
  waiting: Map<string, Refusal & { kind: Buffer; times: number; since: number }>;
  /** The number of distinct refusals, by application, and by application and network. */
  kindsOf: Map<string, number>;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void>;
}

const EVERY_MS = 1000;
/** Most refusals whose reason is determined at the same time; in a flood further ones are only counted in the metrics. */
const MAX_AT_ONCE = 20;
const MAX_AT_ONCE_OF_NETWORK = 10;
/**
 * Most distinct refusals a second: of an application, of a network there, and of all; further ones are only counted in the
 * metrics.
 */
const MAX_OF_APPLICATION = 60;
const MAX_OF_NETWORK = 10;
const MAX_AT_ALL = 1000;

const gathered = new WeakMap<Platform, Gathered>();

/** Returns at once. Equal refusals become one entry with a count (decision 0080). */
export function recordRefusal(platform: Platform, refusal: Refusal): void {
  const now = gatheredOf(platform);
  const reason = shownWords(refusal.reason);
  // A value that cannot be stored would keep the whole batch from being stored.
  const grantType = shownWords(refusal.grantType);
  const { applicationId, endpoint, answer, network, userId } = refusal;
  const key = JSON.stringify([applicationId, endpoint, grantType, answer, reason, network, userId]);
  const known = now.waiting.get(key);
  if (known) {
    known.times++;
    known.requestId = refusal.requestId;
    return;
  }
  const ofApplication = String(applicationId);
  const ofNetwork = `${applicationId} ${network}`;
  const sofar = (whose: string) => now.kindsOf.get(whose) ?? 0;
  if (
    sofar(ofApplication) >= MAX_OF_APPLICATION ||
    sofar(ofNetwork) >= MAX_OF_NETWORK ||
    now.waiting.size >= MAX_AT_ALL
  ) {
    countUp("gatehouse_application_events_dropped_total");
    return;
  }
  for (const whose of [ofApplication, ofNetwork]) now.kindsOf.set(whose, sofar(whose) + 1);
  const kind = createHash("sha256").update(key).digest();
  now.waiting.set(key, { ...refusal, grantType, reason, kind, times: 1, since: performance.now() });
  now.timer ??= setTimeout(() => void flushRefusals(platform), EVERY_MS).unref();
}

/** Runs `work`, which determines the reason of a refusal, in the background; its failure is only logged. */
export function explainInBackground(platform: Platform, network: string, work: () => Promise<void>): void {
  const { busy, busyOfNetwork } = gatheredOf(platform);
  const ofNetwork = busyOfNetwork.get(network) ?? 0;
  if (busy.size >= MAX_AT_ONCE || ofNetwork >= MAX_AT_ONCE_OF_NETWORK) {
    countUp("gatehouse_application_events_dropped_total");
    return;
  }
  const running = work().catch((error) =>
    platform.log.warn({ err: error }, "a refusal could not be looked into"),
  );
  busy.add(running);
  busyOfNetwork.set(network, ofNetwork + 1);
  void running.finally(() => {
    busy.delete(running);
    const left = (busyOfNetwork.get(network) ?? 1) - 1;
    if (left > 0) busyOfNetwork.set(network, left);
    else busyOfNetwork.delete(network);
  });
}

/** Stores what this process has gathered; readers call it first, so that they see all refusals of their own process. */
export async function flushRefusals(platform: Platform): Promise<void> {
  const now = gatheredOf(platform);
  await Promise.all(now.busy);
  clearTimeout(now.timer);
  now.timer = undefined;
  const batch = [...now.waiting.values()].map(({ since, ...rest }) => ({
    ...rest,
    secondsAgo: (performance.now() - since) / 1000,
  }));
  now.waiting.clear();
  now.kindsOf.clear();
  if (batch.length > 0) now.writing = now.writing.then(() => store(platform, batch));
  await now.writing;
}

/** A failure is only logged: it must not affect anything else. */
async function store(
  platform: Platform,
  batch: Parameters<typeof insertApplicationEvents>[1],
): Promise<void> {
  try {
    await insertApplicationEvents(platform.db.pooled, batch);
  } catch (error) {
    platform.log.warn({ err: error, events: batch.length }, "application events not stored");
  }
}

function gatheredOf(platform: Platform): Gathered {
  let found = gathered.get(platform);
  if (!found) {
    found = {
      busy: new Set(),
      busyOfNetwork: new Map(),
      waiting: new Map(),
      kindsOf: new Map(),
      timer: undefined,
      writing: Promise.resolve(),
    };
    gathered.set(platform, found);
  }
  return found;
}
