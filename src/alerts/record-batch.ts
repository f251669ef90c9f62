/** Decides and writes a batch of requests in one transaction: alerts, incidents, receipts, events, or nothing. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { alertBot } from "./alert-bot.ts";
import { announceIncidents } from "./announce-incidents.ts";
import { roundsOf } from "./batch.ts";
import { acceptedStatus, type Delivery, type Outcome } from "./delivery.ts";
import {
  type Decided,
  type Effects,
  noEffects,
  type Repeats,
  remark,
  touchedBy,
  touchedByReport,
} from "./effects.ts";
import { findReach } from "./find-reach.ts";
import { notifyAlerts } from "./notify-alerts.ts";
import { type Decision, decisionOf } from "./receipt.ts";
import { recordFirings } from "./record-firings.ts";
import { recordRecoveries } from "./record-recoveries.ts";
import { recordResponses } from "./record-responses.ts";
import { lockAlerts, type Waits } from "./store-batch.ts";
import {
  countRepeats,
  findKeptAnswers,
  insertKeptAnswers,
  insertReceipts,
  uncountDeliveries,
} from "./store-history.ts";
import { insertIncidentNotes } from "./store-incidents.ts";

/**
 * Records deliveries and returns what each touched, in their order. Everything about the alerts of one project
 * happens one after another; the counter of an alert grows by exactly the firings that were accepted.
 * @throws Problem unavailable: nothing was recorded
 */
export async function recordBatch(
  platform: Platform,
  deliveries: readonly Delivery[],
  waits: Waits = "long",
): Promise<Outcome[]> {
  const botId = await alertBot(platform);
  return platform.db.transaction((tx) => recordIn(platform, tx, deliveries, botId, noEffects(), waits));
}

/**
 * What `recordBatch` would decide of each report of a delivery, with those before it: it is recorded and taken back, for whatever
 * foretold it otherwise would sooner or later say something else.
 * @throws Problem unavailable
 */
export async function rehearse(platform: Platform, delivery: Delivery): Promise<Decision[]> {
  const botId = await alertBot(platform);
  const decided = await platform.db
    .transaction(async (tx) => {
      const effects = noEffects();
      await recordIn(platform, tx, [delivery], botId, effects);
      throw new TakenBack(effects.decisions.get(delivery) ?? []);
    })
    .catch((error: unknown) => {
      if (error instanceof TakenBack) return error.decided;
      throw error;
    });
  const byItem = new Map<number, Decision[]>();
  for (const { item, decision } of decided) byItem.set(item, [...(byItem.get(item) ?? []), decision]);
  return delivery.reading.reports.map((_report, item) => decisionOf(byItem.get(item) ?? []));
}

/** Ends a transaction of which nothing is to stay. */
class TakenBack extends Error {
  readonly decided: readonly Decided[];

  constructor(decided: readonly Decided[]) {
    super("It was only tried.");
    this.decided = decided;
  }
}

/** Like `recordBatch`, in a transaction of the caller's, which may hold its own rows before and nothing of alerts. */
export async function recordIn(
  platform: Platform,
  tx: Queries,
  deliveries: readonly Delivery[],
  botId: number,
  effects = noEffects(),
  waits: Waits = "long",
): Promise<Outcome[]> {
  // Statements leave without waiting for answers that they do not need; they still run one after another.
  const locked = lockAlerts(
    tx,
    deliveries.map((delivery) => delivery.projectId),
    waits,
  );
  // Where it fails all that follow it do, and it is the reason.
  return after(locked, recordLocked(platform, tx, deliveries, botId, effects));
}

async function recordLocked(
  platform: Platform,
  tx: Queries,
  deliveries: readonly Delivery[],
  botId: number,
  effects: Effects,
): Promise<Outcome[]> {
  const reaching = [...new Set(deliveries.filter((one) => one.reaches).map((one) => one.projectId))];
  const { fresh, answered, repeats, firsts } = await withoutRepeats(tx, deliveries);
  const reach = await findReach(tx, reaching);
  for (const round of roundsOf(fresh, (delivery, item) => repeats.get(delivery)?.has(item) ?? false)) {
    await recordFirings(platform, tx, round, effects, botId, reach);
    await recordRecoveries(tx, round, effects, botId, reach);
    await recordResponses(tx, round, effects);
  }
  if (effects.overcounts.size > 0) await uncountDeliveries(tx, effects.overcounts);
  for (const { delivery, item, outcome } of firsts) {
    outcome.alerts = touchedByReport(effects, delivery, item);
  }
  for (const [delivery, { size }] of repeats) {
    remark(effects, delivery, `${size} of its messages came before; they count for nothing more.`);
  }
  await after(writeReceipts(tx, fresh, effects), announceIncidents(tx, effects.incidents));
  await notifyAlerts(platform, tx, effects.happenings, reach);
  for (const delivery of fresh) {
    const outcome = outcomeOf(delivery, effects, repeats.get(delivery));
    const shared = answered.get(delivery);
    if (shared) Object.assign(shared, outcome);
    else answered.set(delivery, outcome);
  }
  await keepAnswers(tx, fresh, answered, firsts);
  if (fresh.length < deliveries.length) await recordRepeats(tx, deliveries, fresh, answered);
  if (repeats.size > 0) await countNamedAgain(tx, repeats, effects);
  return deliveries.map((delivery) => answered.get(delivery) as Outcome);
}

/** Waits for both, so that nothing is sent behind the end of the transaction; the first that failed is the reason. */
async function after<T>(first: Promise<unknown>, second: Promise<T>): Promise<T> {
  const [one, two] = await Promise.allSettled([first, second]);
  if (one.status === "rejected") throw one.reason;
  if (two.status === "rejected") throw two.reason;
  return two.value;
}

/** A message among several of one request that was not seen before; its answer is known once it is recorded. */
interface First {
  delivery: Delivery;
  item: number;
  keyHash: Buffer;
  outcome: Outcome;
}

/**
 * Sets apart what was answered before under its Idempotency-Key, in this batch or within 72 hours; of what holds several
 * messages also those of them that were (decision 0254).
 */
async function withoutRepeats(tx: Queries, deliveries: readonly Delivery[]) {
  const answered = new Map<Delivery, Outcome>();
  const repeats = new Map<Delivery, Repeats>();
  const firsts: First[] = [];
  const keys = deliveries.flatMap(({ integrationId, idempotencyHash, reportHashes = [] }) =>
    [idempotencyHash, ...reportHashes].flatMap((keyHash) => (keyHash ? [{ integrationId, keyHash }] : [])),
  );
  if (keys.length === 0) return { fresh: deliveries, answered, repeats, firsts };
  const kept = new Map<string, { outcome: Outcome; body: string | undefined }>();
  for (const { integrationId, keyHash, receiptId, answer } of await findKeptAnswers(tx, keys)) {
    const outcome = { receiptId, alerts: answer.alerts };
    kept.set(`${integrationId} ${keyHash.toString("hex")}`, { outcome, body: answer.body });
  }
  const fresh: Delivery[] = [];
  for (const delivery of deliveries) {
    const name = `${delivery.integrationId} ${delivery.idempotencyHash?.toString("hex")}`;
    const before = delivery.idempotencyHash && kept.get(name);
    if (before) answered.set(delivery, answerAgain(before, delivery));
    else fresh.push(delivery);
    // The twin within this batch shares the answer once it is known.
    if (delivery.idempotencyHash && !before) {
      const outcome: Outcome = { receiptId: delivery.receiptId, alerts: [] };
      kept.set(name, { outcome, body: delivery.idempotentBody });
      answered.set(delivery, outcome);
    }
    if (before) continue;
    const again = new Map<number, Outcome>();
    for (const [item, keyHash] of (delivery.reportHashes ?? []).entries()) {
      if (!keyHash) continue;
      const ownName = `${delivery.integrationId} ${keyHash.toString("hex")}`;
      const seen = kept.get(ownName);
      if (seen) again.set(item, seen.outcome);
      else {
        const outcome: Outcome = { receiptId: delivery.receiptId, alerts: [] };
        kept.set(ownName, { outcome, body: undefined });
        firsts.push({ delivery, item, keyHash, outcome });
      }
    }
    if (again.size > 0) repeats.set(delivery, again);
  }
  return { fresh, answered, repeats, firsts };
}

/** The answer of before, if the body is that of before too (draft-ietf-httpapi-idempotency-key-header §2.7). */
function answerAgain(
  { outcome, body }: { outcome: Outcome; body: string | undefined },
  { receiptId, idempotentBody }: Delivery,
): Outcome {
  const isAnother = body !== undefined && idempotentBody !== undefined && body !== idempotentBody;
  return isAnother ? { receiptId, alerts: [], isReused: true } : outcome;
}

/** What was answered again is one more delivery of each alert that it named, and nothing else (contract-alerts, counting). */
async function recordRepeats(
  tx: Queries,
  deliveries: readonly Delivery[],
  fresh: readonly Delivery[],
  answered: ReadonlyMap<Delivery, Outcome>,
): Promise<void> {
  const first = new Set(fresh);
  const named = deliveries.flatMap((delivery) => {
    const alerts = first.has(delivery) ? [] : (answered.get(delivery)?.alerts ?? []);
    return alerts.map(({ iid }) => ({ projectId: delivery.projectId, iid }));
  });
  if (named.length > 0) await countRepeats(tx, named);
}

/** So is a request of each alert that its repeated messages alone named. */
async function countNamedAgain(
  tx: Queries,
  repeats: ReadonlyMap<Delivery, Repeats>,
  effects: Effects,
): Promise<void> {
  const named = [...repeats].flatMap(([delivery, again]) => {
    const counted = effects.alerts.get(delivery);
    const alerts = touchedBy(effects, delivery, again).filter(({ iid }) => !counted?.has(iid));
    return alerts.map(({ iid }) => ({ projectId: delivery.projectId, iid }));
  });
  if (named.length > 0) await countRepeats(tx, named);
}

const MAX_WARNINGS = 50;

async function writeReceipts(tx: Queries, fresh: readonly Delivery[], effects: Effects): Promise<void> {
  if (fresh.length === 0) return;
  const receipts = fresh.map((delivery) => {
    const decisions = decisionsOf(effects, delivery);
    const warnings = [...delivery.reading.warnings, ...(effects.remarks.get(delivery) ?? [])];
    if (decisions.includes("orphan")) {
      const isRecovery = delivery.reading.reports.some((report) => report.action === "recovery");
      const word = isRecovery ? "A recovery" : "What was said of an alert";
      warnings.push(`${word} met no open alert; nothing was opened.`);
    }
    return {
      id: delivery.receiptId,
      projectId: delivery.projectId,
      integrationId: delivery.integrationId,
      keyHint: delivery.keyHint,
      headers: delivery.headers,
      raw: delivery.raw,
      status: acceptedStatus(delivery.reading),
      decision: decisionOf(decisions),
      warnings: warnings.slice(0, MAX_WARNINGS),
      alertIids: touchedBy(effects, delivery).map(({ iid }) => iid),
    };
  });
  const { occurrences, activity, notes } = effects;
  const written = insertReceipts(tx, receipts, { occurrences, activity });
  await after(written, notes.length > 0 ? insertIncidentNotes(tx, notes) : written);
}

function decisionsOf(effects: Effects, delivery: Delivery): Decision[] {
  return (effects.decisions.get(delivery) ?? []).map(({ decision }) => decision);
}

function outcomeOf(delivery: Delivery, effects: Effects, repeats?: Repeats): Outcome {
  const alerts = touchedBy(effects, delivery, repeats);
  const isCounted =
    decisionOf(decisionsOf(effects, delivery)) === "counted" ||
    repeats?.size === delivery.reading.reports.length;
  return { receiptId: delivery.receiptId, alerts, ...(isCounted ? { isCounted } : {}) };
}

async function keepAnswers(
  tx: Queries,
  fresh: readonly Delivery[],
  answered: Map<Delivery, Outcome>,
  firsts: readonly First[],
): Promise<void> {
  const whole = fresh.flatMap((delivery) => {
    const { integrationId, idempotencyHash: keyHash, receiptId, idempotentBody: body } = delivery;
    if (!keyHash) return [];
    const alerts = answered.get(delivery)?.alerts ?? [];
    return [
      { integrationId, keyHash, receiptId, answer: body === undefined ? { alerts } : { alerts, body } },
    ];
  });
  const single = firsts.map(({ delivery: { integrationId, receiptId }, keyHash, outcome: { alerts } }) => {
    return { integrationId, keyHash, receiptId, answer: { alerts } };
  });
  const kept = [...whole, ...single];
  if (kept.length > 0) await insertKeptAnswers(tx, kept);
}
