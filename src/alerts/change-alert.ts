/** What people do to an alert: acknowledge, resolve, ignore or reopen it, assign it, comment on it. */
import { isLongerThan } from "../platform/character-count.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import type { Project } from "../projects/project.ts";
import { type Alert, type AlertStatus, STATUS_WORDS } from "./alert.ts";
import { announceIncidents } from "./announce-incidents.ts";
import type { ChannelEvent } from "./channel.ts";
import { findReach } from "./find-reach.ts";
import { LONGEST_COMMENT } from "./note-lengths.ts";
import { notifyAlerts } from "./notify-alerts.ts";
import {
  alertNow,
  findAlert,
  findName,
  findPossibleAssignees,
  findRelatives,
  replaceAssignees,
  updateAlertStatus,
} from "./store.ts";
import { lockAlerts } from "./store-batch.ts";
import { insertActivity, type NewActivity } from "./store-history.ts";
import { closeIncident, insertIncidentNotes, reopenIncident } from "./store-incidents.ts";
import { findSettings } from "./store-settings.ts";

export interface AlertChange {
  status?: AlertStatus | undefined;
  /** Set by callers that saw the alert open: if it was resolved meanwhile, it is not reopened (decision 0161). */
  whileOpen?: boolean | undefined;
  /** Replaces all assignees. */
  assigneeIds?: readonly number[] | undefined;
  /** Adds or removes one assignee and keeps all others, including those who were assigned meanwhile. */
  giveTo?: number | undefined;
  takeFrom?: number | undefined;
  comment?: string | undefined;
}

/**
 * Changes an alert and returns it. Resolving closes its incident if the project's settings say so.
 * @throws Problem not_found; conflict: an alert of the same fingerprint is open already, or this one was resolved meanwhile;
 *   FieldProblem invalid: an assignee who may not see the project's alerts
 */
export function changeAlert(
  platform: Platform,
  actorId: number,
  { id: projectId }: Pick<Project, "id">,
  iid: number,
  change: AlertChange,
): Promise<Alert> {
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [projectId]);
    const alert = await findAlert(tx, projectId, iid);
    if (!alert) throw new Problem("not_found", "404 Alert Not Found");
    const lines: NewActivity[] = [];
    let happening: ChannelEvent | undefined;
    const tell = (kind: NewActivity["kind"], body: string) =>
      lines.push({ alert_id: alert.id, author_id: actorId, kind, body });
    if (change.comment !== undefined) tell("comment", commentOf(change.comment));
    const assigneeIds = assigneesAfter(alert, change);
    if (assigneeIds) tell("assigned", await assign(tx, alert, assigneeIds));
    if (change.status && change.status !== alert.status) {
      await checkReopening(tx, alert, change.status, change.whileOpen ?? false);
      await updateAlertStatus(tx, [alert.id], change.status);
      happening = happeningOf(alert.status, change.status);
      tell("status", `changed the status to **${STATUS_WORDS[change.status]}**`);
      if (change.status === "resolved" && (await closeItsIncident(tx, alert, actorId))) {
        tell("incident", `closed incident #${alert.incidentIid}`);
      }
      if (alert.status === "resolved" && (await reopenItsIncident(tx, alert, actorId))) {
        tell("incident", `reopened incident #${alert.incidentIid}`);
      }
    }
    if (lines.length === 0) return alert;
    await insertActivity(tx, lines);
    if (happening) {
      const told = { projectId, alertId: alert.id, what: happening, by: await findName(tx, actorId) };
      await notifyAlerts(platform, tx, [told], await findReach(tx, [projectId]));
    }
    return alertNow(tx, projectId, iid);
  });
}

/** Returns the event of a change of status for channels; undefined if they are not notified, as when an alert is ignored. */
function happeningOf(from: AlertStatus, to: AlertStatus): ChannelEvent | undefined {
  if (to === "triggered") return from === "resolved" ? "reopened" : undefined;
  return to === "ignored" ? undefined : to;
}

/** Returns a comment as it is stored. @throws FieldProblem invalid: blank or too long */
export function commentOf(text: string): string {
  const body = text.trim();
  if (body === "") throw new FieldProblem({ comment: ["can't be blank"] });
  if (isLongerThan(body, LONGEST_COMMENT))
    throw new FieldProblem({ comment: [`is too long (maximum is ${LONGEST_COMMENT} characters)`] });
  return body;
}

/** Returns the ids of the assignees after the change, based on the locked row; undefined if they do not change. */
function assigneesAfter({ assignees }: Alert, change: AlertChange): readonly number[] | undefined {
  const { assigneeIds, giveTo, takeFrom } = change;
  if (assigneeIds || (giveTo === undefined && takeFrom === undefined)) return assigneeIds;
  const left = assignees.map(({ id }) => id).filter((id) => id !== takeFrom);
  return giveTo === undefined ? left : [...left, giveTo];
}

/** Sets the assignees and returns the activity line. Existing assignees may stay even if they have left the project since. */
async function assign(tx: Queries, alert: Alert, userIds: readonly number[]): Promise<string> {
  const wanted = [...new Set(userIds)];
  const staying = alert.assignees.filter(({ id }) => wanted.includes(id));
  const added = wanted.filter((id) => !staying.some((one) => one.id === id));
  const people = await findPossibleAssignees(tx, alert.projectId, added);
  if (people.length < added.length) {
    throw new FieldProblem({ assignee_ids: ["must be people who may see the alerts of this project"] });
  }
  await replaceAssignees(tx, alert.id, wanted);
  if (wanted.length === 0) return "removed every assignee";
  const named = [...staying, ...people].sort((a, b) => a.id - b.id);
  return `assigned ${named.map((person) => `**${person.name}**`).join(", ")}`;
}

async function checkReopening(
  tx: Queries,
  alert: Alert,
  status: AlertStatus,
  whileOpen: boolean,
): Promise<void> {
  if (alert.status !== "resolved" || status === "resolved") return;
  if (whileOpen) throw new Problem("conflict", `Alert #${alert.iid} was resolved meanwhile.`);
  if (!alert.grouped) return;
  const { openIid } = await findRelatives(tx, alert);
  if (openIid === null) return;
  throw new Problem("conflict", `An alert with the same fingerprint is already open: #${openIid}`);
}

/** Reopens the incident that was closed with its alert. */
async function reopenItsIncident(tx: Queries, alert: Alert, actorId: number): Promise<boolean> {
  const { incidentId, incidentIid, projectId } = alert;
  if (incidentId === null || incidentIid === null) return false;
  const { autoCloseIncident } = await findSettings(tx, projectId);
  const reopened = autoCloseIncident && (await reopenIncident(tx, incidentId));
  if (!reopened) return false;
  const { title } = reopened;
  const body = `reopened this incident by reopening alert #${alert.iid}`;
  await insertIncidentNotes(tx, [{ incidentId, authorId: actorId, body }]);
  await announceIncidents(tx, [
    { action: "reopened", projectId, incidentId, iid: incidentIid, title, authorId: actorId },
  ]);
  return true;
}

/** Closes the alert's incident; a shared incident is closed with the last of its alerts. */
async function closeItsIncident(tx: Queries, alert: Alert, actorId: number): Promise<boolean> {
  const { incidentId, incidentIid } = alert;
  if (incidentId === null || incidentIid === null) return false;
  const { autoCloseIncident } = await findSettings(tx, alert.projectId);
  const closed = autoCloseIncident && (await closeIncident(tx, incidentId, actorId));
  if (!closed) return false;
  const body = `closed this incident by resolving alert #${alert.iid}`;
  await insertIncidentNotes(tx, [{ incidentId, authorId: actorId, body }]);
  await announceIncidents(tx, [
    {
      action: "closed",
      projectId: alert.projectId,
      incidentId,
      iid: incidentIid,
      title: closed.title,
      authorId: actorId,
    },
  ]);
  return true;
}
