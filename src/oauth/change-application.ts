/** Changes the fields of an application. */
import type { Act } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db, Queries } from "../platform/db.ts";
import { checkFaults, Problem } from "../platform/problem.ts";
import {
  type Application,
  type ApplicationFields,
  applicationFaults,
  auditDetails,
  reachesFurther,
  type TargetPolicy,
  trustFaults,
} from "./application.ts";
import { keptKeys, type SetKeys, thumbprintsOf } from "./public-keys.ts";
import { findApplication, lockApplication, updateApplication } from "./store.ts";
import { updateTrusted } from "./store-applications.ts";
import { emptyConsents } from "./store-authorizations.ts";

/** Who changes an application, and what is decided by the place of the change, not by the form. */
export interface Changing {
  act: Act;
  /** Which private networks requests may go to. */
  policy: TargetPolicy;
  /** Whether this is a place of administrators: only they decide what an application may do without consent. */
  mayTrust: boolean;
  /** Whether consent is skipped; undefined: unchanged. */
  trusted?: boolean | undefined;
}

/**
 * Changes an application. A scope that is removed from it is lost to its tokens at once: each lookup limits a token to the scopes
 * that its application has at that moment (decision 0029). It is no longer trusted if it is no longer confidential, or if somebody
 * other than administrators lets it reach further (decision 0296). If it becomes confidential, people are asked for consent again.
 * @param changed returns the new fields, from the current application; called while its row is locked
 * @returns whether it was trusted and no longer is
 * @throws FieldProblem invalid, by field; Problem not_found: deleted meanwhile
 */
export async function changeApplication(
  db: Db,
  id: number,
  changed: (before: Application) => ApplicationFields,
  { act, policy, mayTrust, trusted }: Changing,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // The change may add a key with which it can act for its owner.
    await holdActor(tx, act, (await findApplication(tx, id))?.ownerId);
    const before = await lockApplication(tx, id);
    if (!before) throw new Problem("not_found", "404 Application Not Found");
    const fields = changed(before);
    checkFaults({
      ...applicationFaults(fields, policy, before.name),
      ...trustFaults(trusted ?? false, fields.confidential),
    });
    const jwks = keptKeys(fields.jwks);
    await updateApplication(tx, id, { ...fields, jwks });
    const stays = before.trusted && (mayTrust || !reachesFurther(before, fields));
    const isTrusted = fields.confidential && (mayTrust ? (trusted ?? stays) : stays);
    await updateTrusted(tx, id, isTrusted);
    if (fields.confidential && !before.confidential) await forgetConsents(tx, id);
    const isTrustEnded = before.trusted && !isTrusted;
    const details = auditDetails({ ...before, name: fields.name });
    const note = { ...act, userId: before.ownerId };
    const trust = isTrustEnded ? { trust: "ended" } : {};
    await recordAudit(tx, { ...note, action: "application_changed", details: { ...details, ...trust } });
    const keys = keyDetails(before, { ...fields, jwks });
    if (keys) await recordAudit(tx, { ...note, action: "keys_changed", details: { ...details, ...keys } });
    return isTrustEnded;
  });
}

/** Consents of one statement, which must not take as long as a statement may. */
const PORTION = 20_000;

/**
 * Whoever imitated the application while it was public may have gathered consents with its name, and consent to a public
 * application never counts: it must not begin to when the application becomes confidential (RFC 8252 §8.6; decision 0011).
 */
async function forgetConsents(tx: Queries, id: number): Promise<void> {
  let emptied = PORTION;
  while (emptied === PORTION) emptied = await emptyConsents(tx, id, PORTION);
}

/**
 * The audit details of a change of keys: thumbprints added and removed, and how the application authenticates; undefined:
 * unchanged.
 */
function keyDetails(before: SetKeys, after: SetKeys): Record<string, string> | undefined {
  const [were, are] = [thumbprintsOf(before.jwks), thumbprintsOf(after.jwks)];
  const added = are.filter((one) => !were.includes(one));
  const removed = were.filter((one) => !are.includes(one));
  if (before.jwks === after.jwks && before.onlyByKey === after.onlyByKey) return undefined;
  return {
    ...(added.length > 0 ? { added: added.join(" ") } : {}),
    ...(removed.length > 0 ? { removed: removed.join(" ") } : {}),
    proof: after.onlyByKey ? "only by key" : "secrets count",
  };
}
