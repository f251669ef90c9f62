/** Changes what an application is and may ask for. */
import { endDelegatedTokens } from "../accounts/end-delegated-tokens.ts";
import { covers } from "../accounts/scope.ts";
import type { Db } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import { type ApplicationFields, applicationFaults } from "./application.ts";
import { updateApplication } from "./store.ts";
import { lockAuthorizationsOfApplication, revokeAuthorizations } from "./store-authorizations.ts";

/**
 * What the application may no longer ask for, nobody may hold through it: authorizations beyond the new scopes end
 * with their tokens, in the same transaction (decision 0015).
 * @throws FieldProblem what a field may not be
 */
export async function changeApplication(db: Db, id: number, fields: ApplicationFields): Promise<void> {
  const faults = applicationFaults(fields);
  if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
  await db.transaction(async (tx) => {
    await updateApplication(tx, id, fields);
    const living = await lockAuthorizationsOfApplication(tx, id);
    const beyond = living.filter(({ scopes }) => !covers(fields.scopes, scopes)).map((found) => found.id);
    if (beyond.length === 0) return;
    await revokeAuthorizations(tx, beyond, "application may no longer ask for the scopes");
    await endDelegatedTokens(tx, beyond);
  });
}
