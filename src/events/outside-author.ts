/** Finds the user that an outside person is here: as a source's maintainer says, as they claimed, or a placeholder. */
import { placeholderUser } from "../accounts/placeholder-user.ts";
import type { Queries } from "../platform/db.ts";
import type { Outsider } from "./source.ts";
import { shareIdentity } from "./store-claims.ts";
import { findAuthor, insertOutsider, lockOutsider } from "./store-sources.ts";

/** Whose event it is; `toldAs`: the placeholder that would have it if nobody had claimed the identity (decision 0118). */
export interface OutsideAuthor {
  authorId: number;
  toldAs?: number | undefined;
}

/** A placeholder is made for somebody who is new, in the transaction `tx`, which then holds the identity. */
export async function outsideAuthor(
  tx: Queries,
  place: { sourceId: number; projectId: number },
  outsider: Outsider,
): Promise<OutsideAuthor> {
  await shareIdentity(tx, outsider);
  const known = await findAuthor(tx, place, outsider);
  if (known) return authorOf(known);
  await lockOutsider(tx, outsider);
  const meanwhile = await findAuthor(tx, place, outsider);
  if (meanwhile) return authorOf(meanwhile);
  const authorId = await placeholderUser(tx, outsider);
  await insertOutsider(tx, outsider, authorId);
  return { authorId };
}

function authorOf({ id, toldAs }: { id: number; toldAs: number | null }): OutsideAuthor {
  return { authorId: id, toldAs: toldAs ?? undefined };
}
