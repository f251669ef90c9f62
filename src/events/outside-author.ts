/** Finds the user for a person of a forge: as the source's maintainer mapped them, as they claimed, or a placeholder. */
import { placeholderUser } from "../accounts/placeholder-user.ts";
import type { Queries } from "../platform/db.ts";
import { isIndexKeyTooLong } from "../platform/db-errors.ts";
import { Problem } from "../platform/problem.ts";
import type { Outsider } from "./source.ts";
import { shareIdentity } from "./store-claims.ts";
import { findAuthor, insertOutsider, lockOutsider } from "./store-sources.ts";

/**
 * The author of an event. `outsiderId`: the placeholder of the identity, undefined if the source's maintainer mapped it;
 * `toldAs`: the placeholder, if a claim has given its event to somebody else (decision 0118).
 */
export interface OutsideAuthor {
  authorId: number;
  outsiderId?: number | undefined;
  toldAs?: number | undefined;
}

/**
 * Creates a placeholder for a new person in the transaction `tx`, which then holds the lock of the identity.
 * @throws Problem invalid: host or login is too long for the index
 */
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
  try {
    await insertOutsider(tx, outsider, authorId);
  } catch (error) {
    throw isIndexKeyTooLong(error) ? tooLong(outsider) : error;
  }
  return { authorId, outsiderId: authorId };
}

/** Names the member of the delivery that is too long, for the author of the webhook. */
function tooLong({ host, login }: Outsider): Problem {
  const [what, length] =
    login.length > host.length
      ? ["login of who did it (sender.login, user.username or user_username)", login.length]
      : ["host of the forge, of whose addresses the payload holds some (html_url or web_url),", host.length];
  return new Problem(
    "invalid",
    `The ${what} has ${length} characters, which cannot be kept. Send at most 255.`,
  );
}

function authorOf({ id, outsiderId }: { id: number; outsiderId: number | null }): OutsideAuthor {
  const outsider = outsiderId ?? undefined;
  return { authorId: id, outsiderId: outsider, toldAs: outsider === id ? undefined : outsider };
}
