/** Gives an application a new client secret (contract §4, secrets). */
import type { Act } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { type Application, auditDetails } from "./application.ts";
import { lockApplication, replaceSecret } from "./store.ts";

/**
 * Returns the new secret, shown once. The old one is invalid at once, or after `graceSeconds` (0 to `MAX_GRACE_SECONDS`) in
 * which both are valid; one that was still valid before the old one ends. Of two concurrent renewals the later one counts the
 * secret of the other as the old one.
 * @throws Problem not_found: deleted meanwhile
 */
export async function renewSecret(
  db: Db,
  application: Application,
  graceSeconds: number,
  act: Act,
): Promise<string> {
  const { id, ownerId } = application;
  const secret = newSecret("clientSecret");
  await db.transaction(async (tx) => {
    await holdActor(tx, act, ownerId);
    if (!(await lockApplication(tx, id))) throw new Problem("not_found", "404 Application Not Found");
    await replaceSecret(tx, id, digest(secret), graceSeconds);
    const details = { ...auditDetails(application), graceSeconds };
    await recordAudit(tx, { ...act, action: "secret_renewed", userId: ownerId, details });
  });
  return secret;
}
