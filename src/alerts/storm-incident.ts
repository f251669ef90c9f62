/** Lets the alerts of a storm share one incident, in projects with the setting (reference alerts D9; decision 0177). */
import type { AlertTransaction } from "./alert-transaction.ts";
import type { IncidentChange } from "./announce-incidents.ts";
import { withTemplate } from "./incident-template.ts";
import { isWorse, type Severity } from "./severity.ts";
import { findProjectPath } from "./store.ts";
import { insertIncident } from "./store-incidents.ts";
import { findIncidentStorm, raiseIncident, upsertIncidentStorm } from "./store-shared-incidents.ts";
import { findTemplateOfAlerts } from "./store-templates.ts";
import { isOver, NO_STORM, openedInWindow, type Storm, withOpened } from "./storm.ts";

/** Which incidents the alerts that are about to open belong to. */
export interface Sharing {
  /** How many of them, counted from the first, open an incident of their own. */
  own: number;
  /** The incident of the others. */
  shared: { id: number; iid: number } | undefined;
  /** The event of its opening, if it was opened by this call. */
  made: IncidentChange | undefined;
}

/**
 * Counts the alerts that are about to open with an incident, one by each of `severities`, and finds or opens the incident
 * that those beyond the threshold share. Whether a storm is over is judged when the next alert opens. If somebody closed the
 * incident of a storm that lasts, another is opened.
 */
export async function shareIncident(
  transaction: AlertTransaction,
  projectId: number,
  severities: readonly Severity[],
): Promise<Sharing> {
  const { tx } = transaction;
  const { kept, incidentId, incidentIid, ...clock } = await findIncidentStorm(tx, projectId);
  const known = { ...NO_STORM, ...kept };
  const lasts = known.since !== null && !isOver(known, clock);
  const before = withOpened(lasts ? known : { ...NO_STORM, slots: known.slots }, clock, 0);
  const after = withOpened(before, clock, severities.length);
  const left = lasts ? 0 : Math.max(0, clock.threshold - openedInWindow(before));
  const own = after.since === null ? severities.length : Math.min(left, severities.length);
  const [worst, ...rest] = severities.slice(own);
  const severity = worst && rest.reduce((one, other) => (isWorse(other, one) ? other : one), worst);
  let shared =
    lasts && incidentId !== null && incidentIid !== null ? { id: incidentId, iid: incidentIid } : undefined;
  let made: IncidentChange | undefined;
  if (severity && shared) await raiseIncident(tx, shared.id, severity);
  else if (severity) {
    made = await openForStorm(transaction, projectId, clock, severity);
    shared = { id: made.incidentId, iid: made.iid };
  }
  const { slots, since, opened } = after;
  await upsertIncidentStorm(tx, projectId, { slots, since, opened, incidentId: shared?.id ?? null });
  return { own, shared, made };
}

async function openForStorm(
  { platform, tx, botId }: AlertTransaction,
  projectId: number,
  clock: Pick<Storm, "now" | "threshold" | "windowSeconds">,
  severity: Severity,
): Promise<IncidentChange> {
  const { fullPath } = await findProjectPath(tx, projectId);
  const title = `Alert storm: more than ${clock.threshold} alerts within ${clock.windowSeconds} seconds`;
  const description = [
    `**Start time:** ${clock.now.toISOString()}`,
    `**Alerts:** ${platform.config.publicUrl}/${fullPath}/-/alerts`,
    "**Why one incident:** so many alerts opened at once that the later ones share this incident. It closes when the last of them is resolved; closing it resolves all of them.",
  ].join("  \n");
  const { id, iid } = await insertIncident(tx, {
    projectId,
    authorId: botId,
    title,
    description: withTemplate(description, await findTemplateOfAlerts(tx, projectId)),
    severity,
    storm: true,
  });
  return { action: "created", projectId, incidentId: id, iid, title, authorId: botId };
}

/** Returns the activity line of an alert that shares an incident. */
export function sharedLine({ iid }: { iid: number }): string {
  return `joined incident #${iid}, which is shared by an alert storm`;
}
