/** Closes, reopens and edits an incident; closing it resolves its alerts (contract-alerts, project settings). */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Project } from "../projects/project.ts";
import { STATUS_WORDS } from "./alert.ts";
import { announceIncidents } from "./announce-incidents.ts";
import { findReach } from "./find-reach.ts";
import type { Incident } from "./incident.ts";
import { incidentTexts } from "./incident-texts.ts";
import type { IncidentTransaction } from "./incident-transaction.ts";
import { notifyAlerts } from "./notify-alerts.ts";
import { notifyIncident } from "./notify-incident.ts";
import { isWorse, type Severity } from "./severity.ts";
import { findName, listAlertsClosedWith, listOpenAlertsOfIncident, updateAlertStatus } from "./store.ts";
import { lockAlerts } from "./store-batch.ts";
import { insertActivity } from "./store-history.ts";
import {
  countAlertsOfIncident,
  findIncident,
  incidentNow,
  insertIncidentNotes,
  updateIncident,
} from "./store-incidents.ts";

export interface IncidentEdit {
  stateEvent?: "close" | "reopen" | undefined;
  title?: string | undefined;
  description?: string | undefined;
  severity?: Severity | undefined;
}

/**
 * Changes an incident and returns it.
 * @throws Problem not_found; FieldProblem invalid
 */
export function changeIncident(
  platform: Platform,
  actorId: number,
  project: Pick<Project, "id" | "fullPath">,
  iid: number,
  edit: IncidentEdit,
): Promise<Incident> {
  const projectId = project.id;
  return platform.db.transaction(async (tx) => {
    const transaction = { platform, tx, project, actorId };
    await lockAlerts(tx, [projectId]);
    const before = await findIncident(tx, projectId, iid);
    if (!before) throw noIncident();
    const written = incidentTexts({ title: edit.title ?? before.title, description: edit.description ?? "" });
    const { title } = written;
    const state = stateAfter(before, edit);
    const description = edit.description === undefined ? before.description : written.description;
    const severity = edit.severity ?? before.severity;
    const change = { title, description, severity, state, closedBy: actorId };
    // The project may be in the middle of its removal, which deletes rows in portions.
    if ((await updateIncident(tx, before.id, change)) === 0) throw noIncident();
    if (severity !== before.severity) {
      const body = `changed the severity from **${before.severity}** to **${severity}**`;
      await insertIncidentNotes(tx, [{ incidentId: before.id, authorId: actorId, body }]);
    }
    if (state !== before.state) await followState(transaction, { ...before, title, state });
    const after = await incidentNow(tx, projectId, iid);
    if (state !== before.state) await tellChannels(transaction, after);
    else if (state === "opened" && isWorse(severity, before.severity))
      await tellRaised(transaction, after, before.severity);
    return after;
  });
}

function noIncident(): Problem {
  return new Problem("not_found", "404 Issue Not Found");
}

function stateAfter({ state }: Incident, { stateEvent }: IncidentEdit): Incident["state"] {
  if (stateEvent === undefined) return state;
  return stateEvent === "close" ? "closed" : "opened";
}

/** Writes down the new state of an incident, and closes or reopens its alerts with it. */
async function followState(transaction: IncidentTransaction, incident: Incident): Promise<void> {
  const { tx, actorId } = transaction;
  const { state } = incident;
  const words = state === "closed" ? "closed this incident" : "reopened this incident";
  await insertIncidentNotes(tx, [{ incidentId: incident.id, authorId: actorId, body: words }]);
  const closing = `changed the status to **Resolved** by closing incident #${incident.iid}`;
  if (state === "closed") {
    const alerts = await listOpenAlertsOfIncident(tx, incident.id);
    await moveAlerts(transaction, incident, alerts, { to: "resolved", line: closing });
  } else {
    // Alerts that were resolved by closing the incident are reopened with it; those that their tool resolved stay resolved.
    const alerts = await listAlertsClosedWith(tx, incident.id, closing);
    for (const to of ["triggered", "ignored"] as const) {
      const line = `changed the status to **${STATUS_WORDS[to]}** by reopening incident #${incident.iid}`;
      const these = alerts.filter(({ ignored }) => ignored === (to === "ignored"));
      await moveAlerts(transaction, incident, these, { to, line });
    }
  }
  await announceIncidents(tx, [
    {
      action: state === "closed" ? "closed" : "reopened",
      projectId: incident.projectId,
      incidentId: incident.id,
      iid: incident.iid,
      title: incident.title,
      authorId: actorId,
    },
  ]);
}

/**
 * Notifies channels of the incident itself if it has no alerts or is a storm's; otherwise the notifications of its alerts
 * suffice.
 */
async function tellChannels(transaction: IncidentTransaction, incident: Incident): Promise<void> {
  if (!incident.storm && (await countAlertsOfIncident(transaction.tx, incident.id)).all > 0) return;
  const what = incident.state === "closed" ? "closed" : "reopened";
  await notifyIncident(transaction, incident, { what });
}

/** Notifies the channels that an open incident did not concern before somebody made it more severe (decision 0277). */
async function tellRaised(
  transaction: IncidentTransaction,
  incident: Incident,
  severityBefore: Severity,
): Promise<void> {
  const [alert] = incident.storm ? [] : await listOpenAlertsOfIncident(transaction.tx, incident.id);
  await notifyIncident(transaction, incident, { what: "raised", severityBefore, alertId: alert?.id });
}

/**
 * Changes the status of an incident's alerts and adds `line` to the activity of each. Channels are notified of each alert,
 * except in a storm's incident, which exists to avoid so many messages.
 */
async function moveAlerts(
  { platform, tx, actorId }: IncidentTransaction,
  { projectId, storm }: Incident,
  alerts: readonly { id: number }[],
  { to, line }: { to: "resolved" | "triggered" | "ignored"; line: string },
): Promise<void> {
  if (alerts.length === 0) return;
  await updateAlertStatus(
    tx,
    alerts.map(({ id }) => id),
    to,
  );
  // Channels are not notified of ignored alerts.
  if (!storm && to !== "ignored") {
    const what: "resolved" | "reopened" = to === "resolved" ? "resolved" : "reopened";
    const by = await findName(tx, actorId);
    const told = alerts.map(({ id }) => ({ projectId, alertId: id, what, by }));
    await notifyAlerts(platform, tx, told, await findReach(tx, [projectId]));
  }
  await insertActivity(
    tx,
    alerts.map(({ id }) => ({ alert_id: id, author_id: actorId, kind: "status", body: line })),
  );
}
