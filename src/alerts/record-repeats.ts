/** Recognises repeats under the same Idempotency-Key or message id, and keeps the answers to what is new. */
import type { Queries } from "../platform/db.ts";
import type { Delivery, Outcome } from "./delivery.ts";
import { type Effects, type Repeats, touchedBy } from "./effects.ts";
import { countRepeats, findKeptAnswers, insertKeptAnswers } from "./store-history.ts";

/** A message with an id of its own, one of several in a request, that was not seen before; `outcome` is filled in later. */
export interface FirstMessage {
  delivery: Delivery;
  item: number;
  keyHash: Buffer;
  outcome: Outcome;
}

/** The stored answer for repeats; `body`: the digest of the body that a repeat must have, if any. */
interface KeptAnswer {
  outcome: Outcome;
  body: string | undefined;
}

/**
 * Separates what is new (`fresh`) from what was answered before under the same Idempotency-Key, in this batch or within the
 * last 72 hours (`answered`). Of a request with several messages, `repeats` holds those that were answered before and
 * `firsts` those that were not (decision 0254).
 */
export async function withoutRepeats(tx: Queries, deliveries: readonly Delivery[]) {
  const answered = new Map<Delivery, Outcome>();
  const repeats = new Map<Delivery, Repeats>();
  const firsts: FirstMessage[] = [];
  const keys = deliveries.flatMap(({ integrationId, idempotencyHash, reportHashes = [] }) =>
    [idempotencyHash, ...reportHashes].flatMap((keyHash) => (keyHash ? [{ integrationId, keyHash }] : [])),
  );
  if (keys.length === 0) return { fresh: deliveries, answered, repeats, firsts };
  const kept = new Map<string, KeptAnswer>();
  for (const { integrationId, keyHash, receiptId, answer } of await findKeptAnswers(tx, keys)) {
    const outcome = { receiptId, alerts: answer.alerts };
    kept.set(nameOf(integrationId, keyHash), { outcome, body: answer.body });
  }
  const fresh: Delivery[] = [];
  for (const delivery of deliveries) {
    const { integrationId, idempotencyHash, receiptId } = delivery;
    const name = idempotencyHash && nameOf(integrationId, idempotencyHash);
    const before = name ? kept.get(name) : undefined;
    if (before) {
      answered.set(delivery, answerAgain(before, delivery));
      continue;
    }
    fresh.push(delivery);
    if (name) {
      // A repeat within this batch gets the same object, which is filled in once the first one is recorded.
      const outcome: Outcome = { receiptId, alerts: [] };
      kept.set(name, { outcome, body: delivery.idempotentBody });
      answered.set(delivery, outcome);
    }
    const again = repeatsWithin(delivery, kept, firsts);
    if (again.size > 0) repeats.set(delivery, again);
  }
  return { fresh, answered, repeats, firsts };
}

/** The messages of a request that were answered before, by their indexes; the others are added to `kept` and `firsts`. */
function repeatsWithin(
  delivery: Delivery,
  kept: Map<string, KeptAnswer>,
  firsts: FirstMessage[],
): Map<number, Outcome> {
  const { integrationId, receiptId, reportHashes = [] } = delivery;
  const again = new Map<number, Outcome>();
  for (const [item, keyHash] of reportHashes.entries()) {
    if (!keyHash) continue;
    const name = nameOf(integrationId, keyHash);
    const before = kept.get(name);
    if (before) again.set(item, before.outcome);
    else {
      const outcome: Outcome = { receiptId, alerts: [] };
      kept.set(name, { outcome, body: undefined });
      firsts.push({ delivery, item, keyHash, outcome });
    }
  }
  return again;
}

/** Keys and message ids of different integrations are independent of each other. */
function nameOf(integrationId: number, keyHash: Buffer): string {
  return `${integrationId} ${keyHash.toString("hex")}`;
}

/**
 * Returns the answer given before, or `isReused` if the key came with another body (draft-ietf-httpapi-idempotency-key-header
 * §2.7).
 */
function answerAgain({ outcome, body }: KeptAnswer, { receiptId, idempotentBody }: Delivery): Outcome {
  const isAnother = body !== undefined && idempotentBody !== undefined && body !== idempotentBody;
  return isAnother ? { receiptId, alerts: [], isReused: true } : outcome;
}

/**
 * Counts each repeated request as one more delivery of the alerts that it names, and nothing else (contract-alerts, counting).
 */
export async function recordRepeats(
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

/** Counts a request as one delivery of each alert that only its repeated messages name. */
export async function countNamedAgain(
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

/** Stores the answers to new requests, and to each message in them that has an id of its own, for their repeats. */
export async function keepAnswers(
  tx: Queries,
  fresh: readonly Delivery[],
  answered: Map<Delivery, Outcome>,
  firsts: readonly FirstMessage[],
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
