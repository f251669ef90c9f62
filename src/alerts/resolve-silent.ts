/** Resolves alerts that are no longer reported: in portions, each with its history, incidents and messages. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { alertBot } from "./alert-bot.ts";
import { announceIncidents } from "./announce-incidents.ts";
import { eachProject } from "./each-project.ts";
import { activityLine } from "./effects.ts";
import { findReach } from "./find-reach.ts";
import { notifyAlerts } from "./notify-alerts.ts";
import { lockAlerts } from "./store-batch.ts";
import type { SilentPortion } from "./store-closing.ts";
import { insertActivity } from "./store-history.ts";
import { insertIncidentNotes } from "./store-incidents.ts";

/** How many alerts are resolved in one transaction, for which requests of the project's senders wait. */
const PORTION = 100;

/** An alert that was just resolved, and the incident that closed with it. */
export interface Silent {
  id: number;
  title: string;
  incidentId: number | null;
  /** The iid and title of its incident, if that closed with this alert. */
  closedIid: number | null;
  closedTitle: string | null;
}

export interface Silence<A extends Silent> {
  resolve: (tx: Queries, portion: SilentPortion) => Promise<A[]>;
  /** Why the alert is resolved, for its activity. */
  why: (alert: A) => string;
  /** The note of an incident that closes with it. */
  note: (alert: A) => string;
}

/** Resolves all such alerts of these projects, in portions; several processes may do it at a time. */
export async function resolveSilent<A extends Silent>(
  platform: Platform,
  projectIds: readonly number[],
  silence: Silence<A>,
): Promise<void> {
  await eachProject(platform, projectIds, async (projectId) => {
    const botId = await alertBot(platform);
    let resolved = PORTION;
    while (resolved === PORTION)
      resolved = await resolvePortion(platform, { projectId, limit: PORTION, botId }, silence);
  });
}

function resolvePortion<A extends Silent>(
  platform: Platform,
  portion: SilentPortion,
  silence: Silence<A>,
): Promise<number> {
  const { projectId } = portion;
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [projectId]);
    const alerts = await silence.resolve(tx, portion);
    if (alerts.length === 0) return 0;
    await insertActivity(
      tx,
      alerts.flatMap((alert) => linesOf(alert, silence.why(alert))),
    );
    await noteClosedIncidents(tx, portion, alerts, silence.note);
    const happenings = alerts.map(({ id }) => ({ projectId, alertId: id, what: "resolved" as const }));
    await notifyAlerts(platform, tx, happenings, await findReach(tx, [projectId]));
    return alerts.length;
  });
}

/** Returns the activity lines of a recovery, with its reason. */
function linesOf({ id, closedIid }: Silent, why: string) {
  return [
    activityLine(id, "recovered", why),
    activityLine(id, "status", "changed the status to **Resolved**"),
    ...(closedIid === null ? [] : [activityLine(id, "incident", `closed incident #${closedIid}`)]),
  ];
}

async function noteClosedIncidents<A extends Silent>(
  tx: Queries,
  { projectId, botId }: SilentPortion,
  alerts: readonly A[],
  note: (alert: A) => string,
): Promise<void> {
  const all = alerts.flatMap((alert) => {
    const { incidentId, closedIid: iid, closedTitle: title } = alert;
    if (incidentId === null || iid === null || title === null) return [];
    return [{ incidentId, iid, title, body: note(alert) }];
  });
  if (all.length === 0) return;
  await insertIncidentNotes(
    tx,
    all.map(({ incidentId, body }) => ({ incidentId, authorId: botId, body })),
  );
  await announceIncidents(
    tx,
    all.map(({ incidentId, iid, title }) => ({
      action: "closed",
      projectId,
      incidentId,
      iid,
      title,
      authorId: botId,
    })),
  );
}

/** Formats an instant for activity lines, to the second. */
export function instantWords(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
