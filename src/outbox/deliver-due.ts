/** Sends what is due, each message by one process, and writes down how it went. */
import { countUp } from "../platform/metrics.ts";
import type { Platform } from "../platform/platform.ts";
import { type Outcome, pauseSeconds, type Senders, type Taken } from "./delivery.ts";
import { sendMail } from "./send-mail.ts";
import { sendSlack } from "./send-slack.ts";
import { sendWebhook } from "./send-webhook.ts";
import { recordAttempt, takeDue } from "./store.ts";

/** Tries under way at once in one process. */
const MOST_AT_ONCE = 16;
/** Of these, for one target: a slow one must not take the turns of the others. */
const MOST_FOR_TARGET = 4;
/** Of these, mails: all of them go to one server, and one that does not answer must not take the turns of webhooks. */
const MOST_MAILS = 8;
/** Longer than any try can take; a try that is not over by then died with its process. */
const LEASE_SECONDS = 180;
/** While slow targets are waited for, what became due meanwhile is taken up this often. */
const LOOK_EVERY_MS = 500;

const OWN: Senders = {
  mail: { send: sendMail },
  webhook: { send: sendWebhook },
  slack: { send: sendSlack },
};

/** A try that is not over. */
type UnderWay = Pick<Taken, "channel" | "target"> & { done: Promise<void> };

/**
 * Sends until nothing is due and nothing is under way, or `mayGoOn` says no; returns how many tries were made. Several
 * processes may do so at once. A process that dies in a try leaves it to be made again (decision 0048).
 * @param above what the rooms above send
 */
export async function deliverDue(
  platform: Platform,
  mayGoOn: () => boolean = () => true,
  above: Senders = {},
): Promise<number> {
  const underWay = new Map<number, UnderWay>();
  try {
    return await deliverAll(platform, mayGoOn, { ...OWN, ...above }, underWay);
  } finally {
    // Where more could not be asked for: a stop waits for the tries under way, and what is sent is to be written down.
    await Promise.all([...underWay.values()].map(({ done }) => done));
  }
}

async function deliverAll(
  platform: Platform,
  mayGoOn: () => boolean,
  senders: Senders,
  underWay: Map<number, UnderWay>,
): Promise<number> {
  let tries = 0;
  for (;;) {
    const wasBusy = underWay.size > 0;
    const taken = mayGoOn() && underWay.size < MOST_AT_ONCE ? await takeMore(platform, underWay) : [];
    for (const delivery of taken) {
      tries++;
      const done = attempt(platform, delivery, senders).finally(() => underWay.delete(delivery.id));
      underWay.set(delivery.id, { channel: delivery.channel, target: delivery.target, done });
    }
    if (underWay.size === 0) {
      // What ended while more was asked for kept its target from being asked about.
      if (wasBusy && mayGoOn()) continue;
      return tries;
    }
    await firstOf([...underWay.values()].map(({ done }) => done));
  }
}

async function firstOf(tries: readonly Promise<void>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LOOK_EVERY_MS);
  });
  await Promise.race([...tries, pause]);
  clearTimeout(timer);
}

function takeMore({ db }: Platform, underWay: ReadonlyMap<number, UnderWay>): Promise<Taken[]> {
  const busy = [...underWay.values()];
  return takeDue(db.pooled, {
    limit: MOST_AT_ONCE - busy.length,
    mails: MOST_MAILS - busy.filter(({ channel }) => channel === "mail").length,
    perTarget: MOST_FOR_TARGET,
    busy: [...new Set(busy.map(({ target }) => target))],
    leaseSeconds: LEASE_SECONDS,
  });
}

async function attempt(platform: Platform, taken: Taken, senders: Senders): Promise<void> {
  const { db, log } = platform;
  const started = performance.now();
  const sender = senders[taken.channel];
  let outcome: Outcome;
  try {
    if (!sender) throw new Error(`nobody sends ${taken.channel}`);
    outcome = await sender.send(platform, taken);
  } catch (error) {
    log.error({ err: error, delivery: taken.id }, "a delivery could not be tried");
    outcome = { isSent: false, status: null, error: "It could not be put together." };
  }
  const { isSent, isFinal = false, status, error, retryAfterSeconds } = outcome;
  try {
    const state = await recordAttempt(db.pooled, {
      id: taken.id,
      number: taken.attempts,
      durationMs: Math.round(performance.now() - started),
      status,
      error,
      isSent,
      isFinal,
      pauseSeconds: pauseSeconds(taken.attempts, Math.random(), retryAfterSeconds),
    });
    if (state === "dead") sender?.givenUp?.(platform, taken, outcome);
    const result = isSent ? "sent" : state === "dead" ? "dead" : "failed";
    countUp("gatehouse_outbox_attempts_total", { channel: taken.channel, result });
    if (!isSent)
      log.warn({ delivery: taken.id, channel: taken.channel, status, error, state }, "not delivered");
  } catch (failure) {
    // The lease runs out and the try is made again.
    log.error({ err: failure, delivery: taken.id }, "a try could not be written down");
  }
}
