/** Puts messages into the outbox, in the transaction that wants them sent. */
import type { Queries } from "../platform/db.ts";
import { type Message, packed } from "./message.ts";
import { insertDeliveries } from "./store.ts";

/**
 * What the transaction commits is sent at least once, soon after the commit; what it rolls back never is (decision
 * 0048). Returns the ids of the deliveries; a message that its `dedupeKey` makes a repeat has none.
 */
export async function enqueue(tx: Queries, messages: readonly Message[]): Promise<number[]> {
  return messages.length === 0 ? [] : insertDeliveries(tx, messages.map(packed));
}
