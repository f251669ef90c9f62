/** The load of the outbox, for monitoring. */
import type { Queries } from "../platform/db.ts";
import { findOutboxLoad } from "./store.ts";

/** The numbers of waiting and given-up deliveries, and by how many seconds the oldest is overdue. */
export function outboxLoad(db: Queries): Promise<{ waiting: number; dead: number; lateSeconds: number }> {
  return findOutboxLoad(db);
}
