/** Leaves out the mailboxes that got enough mails of a purpose lately, for mails that others can cause as often as they like. */
import type { Queries } from "../platform/db.ts";
import { type Flood, listFlooded } from "./store.ts";

/** Returns those that may get another one; mails count if they have a `dedupeKey`. */
export async function withoutFlooded(db: Queries, flood: Flood): Promise<string[]> {
  const flooded = new Set(await listFlooded(db, flood));
  return flood.mailboxes.filter((one) => !flooded.has(one));
}
