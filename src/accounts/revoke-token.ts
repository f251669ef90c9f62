/** Revokes a personal access token. */
import type { Db } from "../platform/db.ts";
import type { Act } from "./audit.ts";
import { holdActorOver } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { revokePersonalToken } from "./store-tokens.ts";
import type { PersonalToken } from "./token.ts";

/**
 * The token is refused from the commit on, and waits for what its person has begun with it; one that is revoked already stays as
 * it is.
 * @throws as `holdActor`
 */
export function revokeToken(
  db: Db,
  token: Pick<PersonalToken, "id" | "userId" | "name">,
  act: Act,
): Promise<void> {
  return db.transaction(async (tx) => {
    await holdActorOver(tx, act, token.userId, { endsAdministrator: false });
    if ((await revokePersonalToken(tx, token.id)) === 0) return;
    await recordAudit(tx, {
      ...act,
      action: "token_revoked",
      userId: token.userId,
      details: { id: token.id, name: token.name },
    });
  });
}
