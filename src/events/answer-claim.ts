/**
 * Answers a claim, for one project by a Maintainer or for all by an administrator, and moves the events accordingly (decision
 * 0118).
 */
import type { Act } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import { Problem } from "../platform/problem.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import { answerIn, type Claim } from "./claim.ts";
import { settleClaims } from "./settle-claims.ts";
import { findClaim, lockClaim, lockIdentity, lockImportedIdentities, putAnswer } from "./store-claims.ts";

/** The answer to a claim, and the project it is for; `project` null: all projects. */
export interface Answer {
  claimId: number;
  project: { id: number; fullPath: string } | null;
  granted: boolean;
}

/**
 * Approving makes the identity that person in that place, for past and future events. Refusing denies it, and takes back what an
 * earlier approval gave. The events have moved when this returns; the sweep completes what a crash interrupts.
 * @throws Problem not_found: no claim that concerns the place; conflict: no source has named the identity yet, it is somebody
 *   else's there, or it is being taken back; as `holdActor`, for a project as `holdMaintainer`
 */
export async function answerClaim(db: Db, answer: Answer, act: Act): Promise<void> {
  const projectId = answer.project?.id ?? null;
  try {
    await db.transaction(async (tx) => {
      await (projectId === null ? holdActor(tx, act) : holdMaintainer(tx, act.actorId, projectId));
      await lockClaim(tx, answer.claimId);
      const claim = await findClaim(tx, answer.claimId, projectId);
      if (!claim) throw new Problem("not_found", "404 Claim Not Found");
      if (claim.outsiderId === null)
        throw new Problem("conflict", "No event source has named this identity yet.");
      const before = answerIn(claim, projectId);
      if (before === "ending")
        throw new Problem("conflict", "The earlier approval is being withdrawn. Try again shortly.");
      const state = answer.granted ? "granted" : before === "granted" ? "ending" : "refused";
      if (state === before) return;
      // Waits for those who are recording an event of this person; later ones see the answer. Imports are locked first: they hold
      // targets that holders of the identity's lock may wait for.
      await lockImportedIdentities(tx);
      await lockIdentity(tx, claim);
      await putAnswer(tx, {
        claimId: claim.id,
        projectId,
        outsiderId: claim.outsiderId,
        state,
        by: act.actorId,
      });
      await recordAudit(tx, { ...act, ...noteOf(claim, answer, state) });
    });
  } catch (error) {
    if (violatedConstraint(error) !== "event_claim_answers_one") throw error;
    throw new Problem(
      "conflict",
      "This identity belongs to another user here. Withdraw that approval first.",
    );
  }
  await settleClaims({ db }, answer.claimId);
}

function noteOf(claim: Claim, { project }: Answer, state: "granted" | "ending" | "refused") {
  const action = {
    granted: "identity_granted",
    ending: "identity_taken_back",
    refused: "identity_refused",
  } as const;
  const details = { host: claim.host, login: claim.told, ...(project && { project: project.fullPath }) };
  return { action: action[state], userId: claim.userId, details };
}
