/** Changes the settings of the instance for applications. */
import type { Act } from "../accounts/audit.ts";
import { holdActor } from "../accounts/hold-actor.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import { forgetSettings } from "./find-settings.ts";
import { CODE_SECONDS, type StoredSettings } from "./settings.ts";
import { findStoredSettings, lockSettings, updateSettings } from "./store-settings.ts";

/**
 * Changes only the named settings, and records the change in the audit log.
 * @throws FieldProblem code_seconds out of its bounds; Problem as `holdActor`
 */
export async function changeSettings(db: Db, change: Partial<StoredSettings>, act: Act): Promise<void> {
  const { codeSeconds = null } = change;
  const { least, most } = CODE_SECONDS;
  if (
    codeSeconds !== null &&
    !(Number.isInteger(codeSeconds) && codeSeconds >= least && codeSeconds <= most)
  ) {
    throw new FieldProblem({ code_seconds: [`must be a whole number from ${least} to ${most}`] });
  }
  await db.transaction(async (tx) => {
    await holdActor(tx, act);
    await lockSettings(tx);
    const before = await findStoredSettings(tx);
    const settings = { ...before, ...change };
    await updateSettings(tx, settings);
    const changed = (Object.keys(settings) as (keyof StoredSettings)[]).filter(
      (name) => before[name] !== settings[name],
    );
    if (changed.length === 0) return;
    const details = Object.fromEntries(changed.map((name) => [name, words(settings[name])]));
    await recordAudit(tx, { ...act, action: "settings_changed", userId: null, details });
  });
  forgetSettings(db);
}

function words(value: boolean | number | null): string | number {
  if (typeof value === "number") return value;
  return value === null ? "default" : value ? "yes" : "no";
}
