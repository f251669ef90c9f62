/** Finds which of a project's open alerts certain conditions would cover. */
import type { Queries } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Alert } from "./alert.ts";
import { fits, type Matcher, matchersFault, type Subject } from "./matcher.ts";
import { readPayloads } from "./read-payloads.ts";
import { newBudget } from "./silence.ts";
import { listAlerts } from "./store-lists.ts";

/** How many of the newest open alerts are checked. */
const LOOKED_AT = 500;

/** Returns the newest open alerts that match, without their payloads. @throws FieldProblem invalid: the conditions are wrong */
export async function previewSilence(
  db: Queries,
  projectId: number,
  matchers: readonly Matcher[],
): Promise<{ alerts: Alert[]; lookedAt: number }> {
  const fault = matchersFault(matchers);
  if (fault) throw new FieldProblem({ matchers: [fault] });
  const open = await listAlerts(
    db,
    projectId,
    { statuses: ["triggered", "acknowledged", "ignored"] },
    { by: "started_at", descending: true },
    { limit: LOOKED_AT, offset: 0, isBare: true },
  );
  const budget = newBudget();
  const ofPayload = matchers.filter(({ field }) => field === "payload");
  const others = matchers.filter(({ field }) => field !== "payload");
  const likely =
    others.length === 0 ? open : open.filter((alert) => fits(others, subjectOfAlert(alert), budget));
  if (ofPayload.length === 0) return { alerts: likely, lookedAt: open.length };
  const alerts: Alert[] = [];
  for await (const alert of readPayloads(db, likely, { withFirst: false })) {
    if (fits(ofPayload, subjectOfAlert(alert), budget)) alerts.push({ ...alert, payload: null });
  }
  return { alerts, lookedAt: open.length };
}

/** Returns an alert's members that silences match. */
export function subjectOfAlert(alert: Alert): Subject {
  return { ...alert, environment: alert.environmentName };
}
