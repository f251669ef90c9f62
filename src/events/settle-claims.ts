/** Brings the events of claimed identities to whom they belong, in portions that hold nobody up (decision 0118). */
import { inPortions } from "../platform/in-portions.ts";
import type { Platform } from "../platform/platform.ts";
import { endAnswer, listUnsettledAnswers, moveClaimedEvents } from "./store-claims.ts";

/** Events of one transaction. */
const AT_ONCE = 10_000;

/** Those of one claim, or of all; done again after a stop, it goes on. Returns how many events moved. */
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
