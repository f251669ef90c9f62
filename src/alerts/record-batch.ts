/** Decides and writes a batch of requests in one transaction: alerts, incidents, receipts, events, or nothing. */
import { bothOf } from "../platform/both-of.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { alertBot } from "./alert-bot.ts";
import type { AlertTransaction } from "./alert-transaction.ts";
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
import { countNamedAgain, keepAnswers, recordRepeats, withoutRepeats } from "./record-repeats.ts";
import { recordResponses } from "./record-responses.ts";
import { lockAlerts, type Waits } from "./store-batch.ts";
import { insertReceipts, uncountDeliveries } from "./store-history.ts";
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
  return platform.db.transaction((tx) => recordIn({ platform, tx, botId }, deliveries, noEffects(), waits));
}

/**
 * What `recordBatch` would decide about each report of a delivery, in their order. The delivery is recorded and rolled back:
 * a separate prediction would sooner or later differ from what recording does.
 * @throws Problem unavailable
 */
export async function rehearse(platform: Platform, delivery: Delivery): Promise<Decision[]> {
  const botId = await alertBot(platform);
  const decided = await platform.db
    .transaction(async (tx) => {
      const effects = noEffects();
      await recordIn({ platform, tx, botId }, [delivery], effects);
      throw new RolledBack(effects.decisions.get(delivery) ?? []);
    })
    .catch((error: unknown) => {
      if (error instanceof RolledBack) return error.decided;
      throw error;
    });
  const byItem = new Map<number, Decision[]>();
  for (const { item, decision } of decided) byItem.set(item, [...(byItem.get(item) ?? []), decision]);
  return delivery.reading.reports.map((_report, item) => decisionOf(byItem.get(item) ?? []));
}

/** Thrown to roll a rehearsal back; carries what was decided out of its transaction. */
class RolledBack extends Error {
  readonly decided: readonly Decided[];

  constructor(decided: readonly Decided[]) {
    super("It was only tried.");
    this.decided = decided;
  }
}

/**
 * Like `recordBatch`, in a transaction of the caller's. That may have locked rows of its own before, but none that belong to
 * alerts: the order of locks is the caller's rows, then the alerts of the projects.
 * @param effects filled with what the batch does
 */
export async function recordIn(
  transaction: AlertTransaction,
  deliveries: readonly Delivery[],
  effects = noEffects(),
  waits: Waits = "long",
): Promise<Outcome[]> {
  // A statement is sent before the answer to the one before it is there, unless it needs it; they still run in this order.
  const locked = lockAlerts(
    transaction.tx,
    deliveries.map((delivery) => delivery.projectId),
    waits,
  );
  // If the lock fails, every later statement fails too; `after` then reports the lock as the reason.
  return bothOf(locked, recordLocked(transaction, deliveries, effects));
}

async function recordLocked(
  transaction: AlertTransaction,
  deliveries: readonly Delivery[],
  effects: Effects,
): Promise<Outcome[]> {
  const { platform, tx } = transaction;
  const reaching = [...new Set(deliveries.filter((one) => one.reaches).map((one) => one.projectId))];
  const { fresh, answered, repeats, firsts } = await withoutRepeats(tx, deliveries);
  const reach = await findReach(tx, reaching);
  for (const round of roundsOf(fresh, (delivery, item) => repeats.get(delivery)?.has(item) ?? false)) {
    await recordFirings(transaction, round, effects, reach);
    await recordRecoveries(transaction, round, effects, reach);
    await recordResponses(tx, round, effects);
  }
  if (effects.overcounts.size > 0) await uncountDeliveries(tx, effects.overcounts);
  for (const { delivery, item, outcome } of firsts) {
    outcome.alerts = touchedByReport(effects, delivery, item);
  }
  for (const [delivery, { size }] of repeats) {
    remark(effects, delivery, `${size} of its messages had been received before and were not counted again.`);
  }
  await bothOf(writeReceipts(tx, fresh, effects), announceIncidents(tx, effects.incidents));
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

const MAX_WARNINGS = 50;

async function writeReceipts(tx: Queries, fresh: readonly Delivery[], effects: Effects): Promise<void> {
  if (fresh.length === 0) return;
  const receipts = fresh.map((delivery) => {
    const decisions = decisionsOf(effects, delivery);
    const warnings = [...delivery.reading.warnings, ...(effects.remarks.get(delivery) ?? [])];
    if (decisions.includes("orphan")) {
      const isRecovery = delivery.reading.reports.some((report) => report.action === "recovery");
      const word = isRecovery ? "A recovery" : "What was said of an alert";
      warnings.push(`${word} matched no open alert; nothing was opened.`);
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
  await bothOf(written, notes.length > 0 ? insertIncidentNotes(tx, notes) : written);
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
