/** Sends a delivery again. */
import type { Queries } from "../platform/db.ts";
import { type DeliveryFilter, restartDelivery } from "./store.ts";

/**
 * Makes a delivery due at once, with another 24 hours of tries, whether it was sent, given up or waits. False: there is
 * none such among those of the filter, or it is a mail, whose secret words are forgotten: let a new one be written.
 */
export async function resend(db: Queries, id: number, filter: DeliveryFilter): Promise<boolean> {
  return (await restartDelivery(db, id, filter)) > 0;
}
