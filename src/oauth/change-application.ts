/** Changes the fields of an application. */
import type { Act } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import {
  type Application,
  type ApplicationFields,
  applicationFaults,
  auditDetails,
  type TargetPolicy,
  trustFaults,
} from "./application.ts";
import { keptKeys, type SetKeys, thumbprintsOf } from "./public-keys.ts";
import { findApplication, lockApplication, updateApplication } from "./store.ts";
import { updateTrusted } from "./store-applications.ts";

/** Who changes an application, and what is decided by the place of the change, not by the form. */
export interface Changing {
  act: Act;
  /** Which private networks requests may go to. */
  policy: TargetPolicy;
  /** Whether consent is skipped, which only administrators may set; undefined: unchanged. */
  trusted?: boolean | undefined;
}

/**
 * Changes an application. A scope that is removed from it is lost to its tokens at once: each lookup limits a token to the scopes
 * that its application has at that moment (decision 0029). If it is no longer confidential, it is no longer trusted either.
 * @param changed returns the new fields, from the current application; called while its row is locked
 * @throws FieldProblem invalid, by field; Problem not_found: deleted meanwhile
 */
export async function changeApplication(
  db: Db,
  id: number,
  changed: (before: Application) => ApplicationFields,
  { act, policy, trusted }: Changing,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The change may add a key with which it can act for its owner.
    await holdActor(tx, act, (await findApplication(tx, id))?.ownerId);
    const before = await lockApplication(tx, id);
    if (!before) throw new Problem("not_found", "404 Application Not Found");
    const fields = changed(before);
    const faults = {
      ...applicationFaults(fields, policy, before.name),
      ...trustFaults(trusted ?? false, fields.confidential),
    };
    if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
    const jwks = keptKeys(fields.jwks);
    await updateApplication(tx, id, { ...fields, jwks });
    await updateTrusted(tx, id, trusted);
    const details = auditDetails({ ...before, name: fields.name });
    const note = { ...act, userId: before.ownerId };
    await recordAudit(tx, { ...note, action: "application_changed", details });
    const keys = keyDetails(before, { ...fields, jwks });
    if (keys) await recordAudit(tx, { ...note, action: "keys_changed", details: { ...details, ...keys } });
  });
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
