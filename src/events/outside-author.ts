/** Finds the user that an outside person is here: as a source's maintainer says, or the placeholder that stands for them. */
import { placeholderUser } from "../accounts/placeholder-user.ts";
import type { Queries } from "../platform/db.ts";
import type { Outsider } from "./source.ts";
import { findAuthor, insertOutsider, lockOutsider } from "./store-sources.ts";

/** The user's id; a placeholder is made for somebody who is new, in the transaction `tx`. */
export async function outsideAuthor(tx: Queries, sourceId: number, outsider: Outsider): Promise<number> {
  const known = await findAuthor(tx, sourceId, outsider);
  if (known) return known.id;
  await lockOutsider(tx, outsider);
  const meanwhile = await findAuthor(tx, sourceId, outsider);
  if (meanwhile) return meanwhile.id;
  const userId = await placeholderUser(tx, outsider);
  await insertOutsider(tx, outsider, userId);
  return userId;
}
