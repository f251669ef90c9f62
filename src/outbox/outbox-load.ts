/** How much waits in the outbox, for those who watch the service. */
import type { Queries } from "../platform/db.ts";
import { findOutboxLoad } from "./store.ts";

/** Waiting and given-up deliveries, and how many seconds the oldest is overdue. */
export function outboxLoad(db: Queries): Promise<{ waiting: number; dead: number; lateSeconds: number }> {
  return findOutboxLoad(db);
}
