/** Puts messages into the outbox, in the transaction that causes them. */
import type { Queries } from "../platform/db.ts";
import { type Message, packed } from "./message.ts";
import { insertDeliveries } from "./store.ts";

/** Messages in one statement: their JSON is one string, which must not grow beyond what a string can hold. */
const MAX_AT_ONCE = 1000;

/**
 * A message is sent at least once, soon after the commit, and never if the transaction is rolled back (decision 0048). Returns
 * the ids of the deliveries, without those of messages whose `dedupeKey` makes them repetitions.
 */
export async function enqueue(tx: Queries, messages: readonly Message[]): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < messages.length; at += MAX_AT_ONCE) {
    const inserted = await insertDeliveries(tx, messages.slice(at, at + MAX_AT_ONCE).map(packed));
    for (const id of inserted) ids.push(id);
  }
  return ids;
}
