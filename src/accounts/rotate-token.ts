/** Replaces a personal access token by a new one. */
import type { Db } from "../platform/db.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import type { Act } from "./audit.ts";
import { endTokenFamily } from "./end-token-family.ts";
import { holdActorOver } from "./hold-actor.ts";
import { recordAudit } from "./record-audit.ts";
import { findPersonalToken, lockTokenFamily, replacePersonalToken } from "./store-tokens.ts";
import type { PersonalToken } from "./token.ts";

/**
 * Revokes the token and returns its successor with the secret. Rotating a token that was rotated or revoked before means that two
 * parties hold it: then its whole family is revoked (reference oauth A10).
 * @param expiresOn the day at whose beginning (UTC) it expires, `YYYY-MM-DD`; null: in a week, or never if the old one had no end
 * @throws Problem invalid: not valid any more; FieldProblem: a day that is not in the future
 */
export async function rotateToken(
  db: Db,
  old: PersonalToken,
  expiresOn: string | null,
  act: Act,
): Promise<{ token: PersonalToken; secret: string }> {
  const secret = newSecret("personalAccessToken");
  const token = await db.transaction(async (tx) => {
    // A token that rotates itself is checked by the statement below.
    const isSelf = act.by && "tokenId" in act.by && act.by.tokenId === old.id;
    if (!isSelf) await holdActorOver(tx, act, old.userId, { endsAdministrator: false });
    await lockTokenFamily(tx, old.id);
    const next = await replacePersonalToken(tx, old.id, { digest: digest(secret), expiresOn });
    const details = { id: old.id, name: old.name, successor: next?.id ?? 0 };
    if (next) await recordAudit(tx, { ...act, action: "token_rotated", userId: old.userId, details });
    return next;
  });
  if (token) return { token, secret };
  const now = await findPersonalToken(db, old.id);
  if (now?.active) throw new FieldProblem({ expires_at: ["must be in the future"] });
  await endTokenFamily(db, old, act);
  throw new Problem("invalid", "400 Bad request - Token already revoked or expired");
}
