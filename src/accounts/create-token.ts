/** Creates a personal access token. */
import type { Queries } from "../platform/db.ts";
import { checkFaults, FieldProblem } from "../platform/problem.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { type Act, FROM_SERVICE } from "./audit.ts";
import { holdKeyHolder } from "./hold-actor.ts";
import { nameFault } from "./name.ts";
import { recordAudit } from "./record-audit.ts";
import { isScope } from "./scope.ts";
import { insertPersonalToken } from "./store-tokens.ts";
import type { PersonalToken } from "./token.ts";

export interface TokenFields {
  name: string;
  description?: string | undefined;
  scopes: readonly string[];
  /** The day at whose beginning (UTC) it expires, `YYYY-MM-DD`; null: never. */
  expiresOn: string | null;
}

/** The error of a day that is not in the future. */
export const NOT_TO_COME = "must be in the future";

/**
 * Returns the token and its secret, which is not stored. Must be called in a transaction. Without an act, as for the demo,
 * nothing is recorded in the audit log.
 * @throws Problem unprocessable: an account that cannot sign in; FieldProblem: an invalid name, no or unknown scopes, a day that
 * is not in the future
 */
export async function createToken(
  db: Queries,
  userId: number,
  fields: TokenFields,
  act?: Act,
): Promise<{ token: PersonalToken; secret: string }> {
  await holdKeyHolder(db, act ?? FROM_SERVICE, userId);
  const name = fields.name.trim();
  checkFaults(tokenFaults(fields));
  const secret = newSecret("personalAccessToken");
  const token = await insertPersonalToken(db, {
    digest: digest(secret),
    userId,
    name,
    description: fields.description ?? "",
    scopes: [...new Set(fields.scopes)],
    expiresOn: fields.expiresOn,
  });
  if (!token) throw new FieldProblem({ expires_at: [NOT_TO_COME] });
  const details = { id: token.id, name, scopes: token.scopes.join(" ") };
  if (act) await recordAudit(db, { ...act, action: "token_created", userId, details });
  return { token, secret };
}

/** What is wrong with name and scopes, by field. */
export function tokenFaults({ name, scopes }: Pick<TokenFields, "name" | "scopes">) {
  return { name: nameFault(name.trim()), scopes: scopesFault(scopes) };
}

function scopesFault(scopes: readonly string[]): string | undefined {
  if (scopes.length === 0) return "can't be blank";
  return scopes.every(isScope) ? undefined : "can only contain available scopes";
}
