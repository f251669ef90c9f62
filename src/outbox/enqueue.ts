/** Puts messages into the outbox, in the transaction that causes them. */
import type { Queries } from "../platform/db.ts";
import { type Message, packed } from "./message.ts";
import { insertDeliveries } from "./store.ts";

/**
 * A message is sent at least once, soon after the commit, and never if the transaction is rolled back (decision 0048). Returns
 * the ids of the deliveries, without those of messages whose `dedupeKey` makes them repetitions.
 */
export async function enqueue(tx: Queries, messages: readonly Message[]): Promise<number[]> {
  return messages.length === 0 ? [] : insertDeliveries(tx, messages.map(packed));
}
