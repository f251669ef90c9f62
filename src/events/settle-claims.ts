/** Moves the events of claimed identities to the users they belong to, in portions that keep nobody waiting (decision 0118). */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { endAnswer, listUnsettledAnswers, moveClaimedEvents } from "./store-claims.ts";

/** Events per transaction. */
const AT_ONCE = 10_000;

/** Settles the identity of one claim, or all; if interrupted, it continues when repeated. Returns how many events moved. */
export async function settleClaims(
  { db }: Pick<Platform, "db">,
  claimId: number | null = null,
): Promise<number> {
  let total = 0;
  for (const answer of await listUnsettledAnswers(db.pooled, claimId)) {
    total += await inPortions((most) => moveClaimedEvents(db.pooled, answer, most), { portion: AT_ONCE });
    if (answer.ends) await endAnswer(db, answer.claimId, answer.projectId);
  }
  return total;
}
