/** Claims that a person of a forge is the user, or withdraws the claim (decision 0118). */
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { type Claim, identityOf } from "./claim.ts";
import { deleteClaim, findOwnClaim, insertClaim, lockClaim, lockClaimsOf } from "./store-claims.ts";

/** Who claims, and from which IP address. */
export interface Claimant {
  id: number;
  ip: string;
}

/**
 * Makes the claim, or finds the existing one. Does not reveal whether any source has named the identity.
 * @throws FieldProblem: not a possible identity; Problem unprocessable: too many claims, or the user is no person
 */
export async function claimIdentity(
  db: Db,
  claimant: Claimant,
  typed: { host: string; login: string },
): Promise<{ claim: Claim; isNew: boolean }> {
  const { host, login, told } = identityOf(typed);
  if (host === undefined || login === undefined) {
    throw new FieldProblem({
      ...(host === undefined && { host: ["is not the name of a server, like github.com"] }),
      ...(login === undefined && { username: ["is not a username"] }),
    });
  }
  return db.transaction(async (tx) => {
    await lockClaimsOf(tx, claimant.id);
    const made = await insertClaim(tx, claimant.id, { host, login }, told);
    const claim = await findOwnClaim(tx, claimant.id, { host, login });
    if (!claim)
      throw new Problem("unprocessable", "You have claimed too many identities. Withdraw some first.");
    if (made) {
      await recordAudit(tx, {
        action: "identity_claimed",
        actorId: claimant.id,
        userId: claimant.id,
        ip: claimant.ip,
        details: { claim: claim.id },
      });
    }
    return { claim, isNew: made !== undefined };
  });
}

/** @throws Problem not_found; conflict: it is granted somewhere, and has to be taken back there first */
export async function withdrawClaim(db: Db, claimant: Claimant, claim: Claim | undefined): Promise<void> {
  if (!claim) throw new Problem("not_found", "404 Claim Not Found");
  await db.transaction(async (tx) => {
    // Waits for an answer that is given at this moment.
    await lockClaim(tx, claim.id);
    if ((await deleteClaim(tx, claimant.id, claim.id)) > 0) return;
    throw new Problem(
      "conflict",
      "This claim was approved. Ask a Maintainer of that project to withdraw the approval.",
    );
  });
}
