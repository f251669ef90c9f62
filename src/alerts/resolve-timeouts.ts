/** Resolves alerts of which nothing came for as long as their project says (decision 0116). */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { alertBot } from "./alert-bot.ts";
import { announceIncidents } from "./announce-incidents.ts";
import { activityLine } from "./effects.ts";
import { findReach } from "./find-reach.ts";
import { notifyAlerts } from "./notify-alerts.ts";
import { lockAlerts } from "./store-batch.ts";
import { insertHistory } from "./store-history.ts";
import { insertIncidentNotes } from "./store-incidents.ts";
import { listTimedOut, lookAtTimeouts, resolveTimedOut, type TimedOut } from "./store-timeouts.ts";

/** How many are resolved in one transaction; senders of the project wait that long. */
const PORTION = 100;

/** One round over all projects; several processes may do it at a time. */
export async function resolveTimeouts(platform: Platform): Promise<void> {
  await lookAtTimeouts(platform.db);
  for (const projectId of await listTimedOut(platform.db)) {
    const botId = await alertBot(platform);
    let resolved = PORTION;
    while (resolved === PORTION) resolved = await resolveOf(platform, projectId, botId);
  }
}

function resolveOf(platform: Platform, projectId: number, botId: number): Promise<number> {
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [projectId]);
    const alerts = await resolveTimedOut(tx, projectId, PORTION, botId);
    if (alerts.length === 0) return 0;
    await insertHistory(tx, [], alerts.flatMap(linesOf));
    await tellIncidents(tx, projectId, alerts, botId);
    const happenings = alerts.map(({ id }) => ({ projectId, alertId: id, what: "resolved" as const }));
    await notifyAlerts(platform, tx, happenings, await findReach(tx, [projectId]));
    return alerts.length;
  });
}

function linesOf({ id, lastSeenAt, hours, closedIid }: TimedOut) {
  const seen = `${lastSeenAt.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const words = `nothing came since **${seen}**; this project resolves alerts after **${hours} h** without a delivery`;
  return [
    activityLine(id, "recovered", words),
    activityLine(id, "status", "changed the status to **Resolved**"),
    ...(closedIid === null ? [] : [activityLine(id, "incident", `closed incident #${closedIid}`)]),
  ];
}

async function tellIncidents(
  tx: Queries,
  projectId: number,
  alerts: readonly TimedOut[],
  botId: number,
): Promise<void> {
  // Several alerts may share an incident, which closes once.
  const closed = new Map(
    alerts.flatMap(({ incidentId, closedIid, title }) =>
      incidentId === null || closedIid === null ? [] : [[incidentId, { incidentId, iid: closedIid, title }]],
    ),
  );
  const all = [...closed.values()];
  if (all.length === 0) return;
  const body = "closed this incident: nothing came of its alert any more";
  await insertIncidentNotes(
    tx,
    all.map(({ incidentId }) => ({ incidentId, authorId: botId, body })),
  );
  await announceIncidents(
    tx,
    all.map((one) => ({ action: "closed", projectId, authorId: botId, ...one })),
  );
}
