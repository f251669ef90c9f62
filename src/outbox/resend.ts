/** Sends a delivery again. */
import type { Queries } from "../platform/db.ts";
import { type DeliveryFilter, restartDelivery } from "./store.ts";

/**
 * Makes a delivery due at once, with another 24 hours of tries, whether it was sent, was given up or waits. False: the filter has
 * no such delivery, or it is a mail, whose secret words are deleted: a new one has to be written.
 */
export async function resend(db: Queries, id: number, filter: DeliveryFilter): Promise<boolean> {
  return (await restartDelivery(db, id, filter)) > 0;
}
