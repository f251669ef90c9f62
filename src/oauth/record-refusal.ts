/** Writes down what applications were refused: gathered in memory, folded, and stored once a second. */
import { createHash } from "node:crypto";
import { countUp } from "../platform/metrics.ts";
import type { Platform } from "../platform/platform.ts";
import { type Refusal, shownWords } from "./application-event.ts";
import { insertApplicationEvents } from "./store-application-events.ts";

interface Gathered {
  /** Refusals whose reason is being found out. */
  busy: Set<Promise<void>>;
  busyOfNetwork: Map<string, number>;
  waiting: Map<string, Refusal & { kind: Buffer; times: number; since: number }>;
  /** Counts by application, and by application and network. */
  kindsOf: Map<string, number>;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void>;
}

const EVERY_MS = 1000;
/** Refusals that are looked into at once; what comes beyond them in a flood is not, and costs nothing. */
const MOST_AT_ONCE = 20;
const MOST_AT_ONCE_OF_NETWORK = 10;
/** Kinds of refusals a second that are told apart, of one application, of a network there and of all; the rest is counted in the metrics. */
const MOST_OF_APPLICATION = 60;
const MOST_OF_NETWORK = 10;
const MOST_AT_ALL = 1000;

const gathered = new WeakMap<Platform, Gathered>();

/** Returns at once. Refusals alike become one entry that counts them (decision 0080). */
export function recordRefusal(platform: Platform, refusal: Refusal): void {
  const now = gatheredOf(platform);
  const reason = shownWords(refusal.reason);
  // What cannot be stored would keep those from being written down that go with it.
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
    sofar(ofApplication) >= MOST_OF_APPLICATION ||
    sofar(ofNetwork) >= MOST_OF_NETWORK ||
    now.waiting.size >= MOST_AT_ALL
  ) {
    countUp("gatehouse_application_events_dropped_total");
    return;
  }
  for (const whose of [ofApplication, ofNetwork]) now.kindsOf.set(whose, sofar(whose) + 1);
  const kind = createHash("sha256").update(key).digest();
  now.waiting.set(key, { ...refusal, grantType, reason, kind, times: 1, since: performance.now() });
  now.timer ??= setTimeout(() => void flushRefusals(platform), EVERY_MS).unref();
}

/** Lets `work` find out the reason of a refusal beside everything else; its failure is logged and harms nobody. */
export function lookInto(platform: Platform, network: string, work: () => Promise<void>): void {
  const { busy, busyOfNetwork } = gatheredOf(platform);
  const ofNetwork = busyOfNetwork.get(network) ?? 0;
  if (busy.size >= MOST_AT_ONCE || ofNetwork >= MOST_AT_ONCE_OF_NETWORK) {
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

/** Stores what this process has gathered; readers call it first, so that they miss nothing of their own process. */
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

/** A diagnosis that cannot be stored must not turn into a failure of anything else. */
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
