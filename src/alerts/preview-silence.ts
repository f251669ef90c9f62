/** Says which of a project's alerts of now certain conditions would cover. */
import type { Queries } from "../platform/db.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Alert } from "./alert.ts";
import { fits, type Matcher, matchersFault, type Subject } from "./matcher.ts";
import { newBudget } from "./silence.ts";
import { listAlerts } from "./store-lists.ts";

/** How many of the newest open alerts are looked at. */
const LOOKED_AT = 500;

/** Those of the newest open alerts that fit. @throws FieldProblem invalid: the conditions cannot be read */
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
    { limit: LOOKED_AT, offset: 0 },
  );
  const budget = newBudget();
  return {
    alerts: open.filter((alert) => fits(matchers, subjectOfAlert(alert), budget)),
    lookedAt: open.length,
  };
}

/** An alert as silences look at it. */
export function subjectOfAlert(alert: Alert): Subject {
  return { ...alert, environment: alert.environmentName };
}
