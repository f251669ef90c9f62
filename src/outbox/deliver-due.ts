/** Sends the deliveries that are due, each by one process, and records how each try ended. */
import { countUp } from "../platform/metrics.ts";
import type { Platform } from "../platform/platform.ts";
import { type Outcome, pauseSeconds, type Senders, type Taken } from "./delivery.ts";
import { DELETION_PURPOSE } from "./message.ts";
import { MAIL_SECONDS, sendMail } from "./send-mail.ts";
import { sendSlack } from "./send-slack.ts";
import { sendWebhook } from "./send-webhook.ts";
import { recordAttempt } from "./store.ts";
import { takeDue } from "./store-queues.ts";

/** Most tries of mails with links that run at once in one process: nothing else takes their place (decision 0306). */
const MAX_LINK_MAILS = 4;
/** Most tries of notices, which take no place of others either, nor others theirs. */
const MAX_NOTICES = 2;
/** Most tries of all others that run at once in one process. */
const MAX_OTHERS = 12;
const MAX_AT_ONCE = MAX_LINK_MAILS + MAX_NOTICES + MAX_OTHERS;
/** Most of these that are mails: all of them go to one server, and one that does not answer must not block webhooks. */
const MAX_PROJECT_MAILS = 4;
/** Most of these that are notices of sign-outs: more than one target can take (decision 0318). */
const MAX_LOGOUTS = 6;
/** Most tries for one target: a slow target must not block the others. */
const MAX_FOR_TARGET = 4;
/**
 * Longer than any try can take; a try that is not over by then ended with its process. A mail may take the longest, and taking it
 * and recording its end up to twenty seconds each, if the database is slow.
 */
const LEASE_SECONDS = MAIL_SECONDS + 60;
/** While slow targets are awaited, deliveries that became due meanwhile are looked for this often. */
const LOOK_EVERY_MS = 500;

const OWN: Senders = {
  mail: { send: sendMail },
  webhook: { send: sendWebhook },
  slack: { send: sendSlack },
};

/** A try that is still running. */
type UnderWay = Pick<Taken, "channel" | "target" | "purpose" | "projectId" | "owner" | "sealedSecret"> & {
  done: Promise<void>;
};

/**
 * Sends until nothing is due and no try is running, or `mayGoOn` returns false; returns the number of tries. Several processes
 * may do so at once. The try of a process that dies is repeated (decision 0048).
 * @param above the senders of the rooms above
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
    // Even if taking more has failed: a stop waits for the running tries, so that what was sent is recorded.
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
    const taken =
      mayGoOn() && underWay.size < MAX_AT_ONCE ? await takeMore(platform, [...underWay.values()]) : [];
    for (const delivery of taken) {
      tries++;
      const done = attempt(platform, delivery, senders).finally(() => underWay.delete(delivery.id));
      const { channel, target, purpose, projectId, owner, sealedSecret } = delivery;
      underWay.set(delivery.id, { channel, target, purpose, projectId, owner, sealedSecret, done });
    }
    if (underWay.size === 0) {
      // While more was being taken, running tries left no room for some; those that have ended since may have.
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

function takeMore({ db }: Platform, underWay: readonly UnderWay[]): Promise<Taken[]> {
  const { links = [], notices = [], others = [] } = Object.groupBy(underWay, kindOf);
  return takeDue(db.pooled, {
    linkMails: MAX_LINK_MAILS - links.length,
    notices: MAX_NOTICES - notices.length,
    others: MAX_OTHERS - others.length,
    projectMails: MAX_PROJECT_MAILS - others.filter(({ channel }) => channel === "mail").length,
    perTarget: MAX_FOR_TARGET,
    logouts: MAX_LOGOUTS - others.filter(({ channel }) => channel === "logout").length,
    busy: others.map(({ owner, target }) => ({ owner, target })),
    busyNotices: notices.map(({ target }) => target),
    leaseSeconds: LEASE_SECONDS,
  });
}

/** Mails with links, and notices, as `takeDue` has them: of no project, and no notices of deletions (decision 0306). */
function kindOf({ channel, purpose, projectId, sealedSecret }: UnderWay): "links" | "notices" | "others" {
  if (channel !== "mail" || projectId !== null || purpose === DELETION_PURPOSE) return "others";
  return sealedSecret === null ? "notices" : "links";
}

/** Of a message that is older than what is repeated: after a long stop, or in a copy restored from a backup (decision 0048). */
const TOO_LATE: Outcome = {
  isSent: false,
  isFinal: true,
  status: null,
  error: "Not sent: its time was over.",
};

async function attempt(platform: Platform, taken: Taken, senders: Senders): Promise<void> {
  const { db, log } = platform;
  const started = performance.now();
  const sender = senders[taken.channel];
  let outcome: Outcome;
  try {
    if (!sender) throw new Error(`nobody sends ${taken.channel}`);
    outcome = taken.isTooLate ? TOO_LATE : await sender.send(platform, taken);
  } catch (error) {
    log.error({ err: error, delivery: taken.id }, "a delivery attempt failed unexpectedly");
    outcome = { isSent: false, status: null, error: "The message could not be built." };
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
    // The try is repeated once the lease has expired.
    log.error({ err: failure, delivery: taken.id }, "a delivery attempt could not be recorded");
  }
}
