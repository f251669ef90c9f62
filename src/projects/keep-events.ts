/** Sets for how many days a project keeps its events (decision 0119). */
import type { Act } from "../accounts/audit.ts";
import { recordAudit } from "../accounts/record-audit.ts";
import type { Db } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import { holdMaintainer } from "./hold-role.ts";
import { MAX_DAYS, type Project } from "./project.ts";
import { updateEventRetention } from "./store.ts";

/**
 * Older events are no longer shown from now on, and a sweep removes them.
 * @param days null: the two years of all
 * @throws FieldProblem: not a whole number of days from 1 to 731; Problem as `holdMaintainer`
 */
export async function keepEvents(db: Db, act: Act, project: Project, days: number | null): Promise<void> {
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS)) {
    throw new FieldProblem({ event_retention_days: [`must be between 1 and ${MAX_DAYS}`] });
  }
  await db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    if ((await updateEventRetention(tx, project.id, days)) === 0) return;
    const details = { project: project.fullPath, days: days ?? "two years" };
    await recordAudit(tx, { ...act, action: "event_retention_changed", userId: null, details });
  });
}
