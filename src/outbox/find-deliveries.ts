/** Reads what was sent, what waits and what was given up, for the rooms above. */
import type { Db, Queries } from "../platform/db.ts";
import type { Attempt, Delivery } from "./delivery.ts";
import { countDeliveries, type DeliveryFilter, listAttempts, listDeliveries } from "./store.ts";

/**
 * A page of deliveries, the newest first, and how many there are, which are counted where nobody waits for it. Who may see them
 * is the caller's question.
 */
export async function findDeliveries(
  { pooled }: Db,
  filter: DeliveryFilter,
  page: { limit: number; offset: number },
): Promise<{ deliveries: Delivery[]; total: number }> {
  const [deliveries, total] = await Promise.all([
    listDeliveries(pooled, filter, page),
    countDeliveries(pooled, filter),
  ]);
  return { deliveries, total };
}

/** The tries of a delivery that are over, the newest first. A number that is missing died with its process. */
export function findAttempts(db: Queries, deliveryId: number): Promise<Attempt[]> {
  return listAttempts(db, deliveryId);
}
