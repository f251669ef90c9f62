/** Resolves alerts whose sender said how long to believe them and fell silent (decision 0113). */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import type { RowOf } from "../platform/row.ts";
import { alertBot } from "./alert-bot.ts";
import { announceIncidents } from "./announce-incidents.ts";
import { activityLine } from "./effects.ts";
import { findReach } from "./find-reach.ts";
import { notifyAlerts } from "./notify-alerts.ts";
import { lockAlerts } from "./store-batch.ts";
import { insertHistory } from "./store-history.ts";
import { insertIncidentNotes } from "./store-incidents.ts";
import { listUnheard, lookAtBeliefs, resolveUnheardAlerts, type UnheardRow } from "./store-unheard.ts";

/** How many are resolved in one transaction; senders of the project wait that long. */
const PORTION = 100;

type Unheard = RowOf<typeof UnheardRow>;

/** One round over all projects; several processes may do it at a time. */
export async function resolveUnheard(platform: Platform): Promise<void> {
  await lookAtBeliefs(platform.db);
  for (const { projectId } of await listUnheard(platform.db)) {
    const botId = await alertBot(platform);
    let resolved = PORTION;
    while (resolved === PORTION) resolved = await resolveOf(platform, projectId, botId);
  }
}

function resolveOf(platform: Platform, projectId: number, botId: number): Promise<number> {
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [projectId]);
    const alerts = await resolveUnheardAlerts(tx, projectId, PORTION, botId);
    if (alerts.length === 0) return 0;
    await insertHistory(tx, [], alerts.flatMap(linesOf));
    await tellIncidents(tx, projectId, alerts, botId);
    const happenings = alerts.map(({ id }) => ({ projectId, alertId: id, what: "resolved" as const }));
    await notifyAlerts(platform, tx, happenings, await findReach(tx, [projectId]));
    return alerts.length;
  });
}

/** The lines of a recovery, with why there is one. */
function linesOf({ id, lastSeenAt, believedUntil, closedIid }: Unheard) {
  const words = `not heard of since **${timeWords(lastSeenAt)}**; its sender said to believe it until **${timeWords(believedUntil)}**`;
  return [
    activityLine(id, "recovered", words),
    activityLine(id, "status", "changed the status to **Resolved**"),
    ...(closedIid === null ? [] : [activityLine(id, "incident", `closed incident #${closedIid}`)]),
  ];
}

function timeWords(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

async function tellIncidents(
  tx: Queries,
  projectId: number,
  alerts: readonly Unheard[],
  botId: number,
): Promise<void> {
  // Several alerts may share an incident, which closes once.
  const closed = new Map(
    alerts.flatMap((one) =>
      one.incidentId === null || one.closedIid === null
        ? []
        : [[one.incidentId, { ...one, incidentId: one.incidentId, incidentIid: one.closedIid }] as const],
    ),
  );
  const all = [...closed.values()];
  if (all.length === 0) return;
  await insertIncidentNotes(
    tx,
    all.map(({ incidentId, iid }) => ({
      incidentId,
      authorId: botId,
      body: `closed this incident: alert #${iid} was not heard of any more`,
    })),
  );
  await announceIncidents(
    tx,
    all.map(({ incidentId, incidentIid, title }) => ({
      action: "closed",
      projectId,
      incidentId,
      iid: incidentIid,
      title,
      authorId: botId,
    })),
  );
}
