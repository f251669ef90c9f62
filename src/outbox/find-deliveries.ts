/** Finds deliveries in every state, for the rooms above. */
import type { Db, Queries } from "../platform/db.ts";
import type { Attempt, Delivery } from "./delivery.ts";
import { countDeliveries, type DeliveryFilter, listAttempts, listDeliveries } from "./store.ts";

/**
 * A page of deliveries, the newest first, and their total, counted on a pooled connection. The caller has to check who may see
 * them.
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

/** The finished tries of a delivery, the newest first. A missing number belongs to a try that ended with its process. */
export function findAttempts(db: Queries, deliveryId: number): Promise<Attempt[]> {
  return listAttempts(db, deliveryId);
}
