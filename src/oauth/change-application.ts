/** Changes what an application is and may ask for. */
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

/**
 * What the application may no longer ask for, no token of its people opens any more: each lookup narrows a token to the
 * scopes that its application has at that moment (decision 0029).
 * What is no longer confidential is no longer trusted either.
 * @param changed what it is to be, told by what it is while nobody else changes it
 * @param trusted undefined: as it was; only administrators may say otherwise
 * @throws FieldProblem what a field may not be; Problem not_found: deleted meanwhile
 */
export async function changeApplication(
  db: Db,
  id: number,
  changed: (before: Application) => ApplicationFields,
  act: Act,
  policy: TargetPolicy,
  trusted?: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    // It may get a key by which it acts.
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

/** What became of the keys, by their thumbprints; undefined: nothing. */
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
