/** Changes what waits in the outbox when its target is removed, disabled, or has a new address or secret. */
import type { Queries } from "../platform/db.ts";
import { inPortions } from "../platform/in-portions.ts";
import { type Address, deleteWaiting, updateWaiting } from "./store.ts";

/** Deletes the messages of this purpose that wait; tries that are running end as they will. */
export async function dropWaiting(tx: Queries, purpose: string): Promise<void> {
  await inPortions(() => deleteWaiting(tx, purpose));
}

/** Messages of this purpose that wait go to the new address, and are signed with the new secrets. */
export async function redirectWaiting(tx: Queries, purpose: string, address: Address): Promise<void> {
  await inPortions(() => updateWaiting(tx, purpose, address));
}
