/** Sends a delivery again. */
import type { Queries } from "../platform/db.ts";
import { type Address, type DeliveryFilter, restartDelivery } from "./store.ts";

/**
 * Makes a delivery due at once, with another 24 hours of tries, whether it was sent, was given up or waits. False: the filter has
 * no such delivery, or it is a mail, whose secret words are deleted: a new one has to be written.
 * @param address where it goes now, and what signs it; as before by default
 */
export async function resend(
  db: Queries,
  id: number,
  filter: DeliveryFilter,
  address: Address = {},
): Promise<boolean> {
  return (await restartDelivery(db, id, filter, address)) > 0;
}
