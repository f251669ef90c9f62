/** Opens the incident of an alert by hand; an alert has one at most (reference alerts A8). */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { announceIncidents } from "./announce-incidents.ts";
import { type Incident, incidentBody, saidByRule } from "./incident.ts";
import { withTemplate } from "./incident-template.ts";
import { notifyIncident } from "./notify-incident.ts";
import { UNTITLED } from "./senders/member.ts";
import { findAlert } from "./store.ts";
import { lockAlerts } from "./store-batch.ts";
import { insertActivity } from "./store-history.ts";
import { incidentNow, insertIncidentOfAlert } from "./store-incidents.ts";
import { findTemplateOfAlerts } from "./store-templates.ts";

/**
 * Returns the new incident, whose author is the person who opened it.
 * @throws Problem not_found; conflict: the alert has an incident; unprocessable: a test alert
 */
export function openIncident(
  platform: Platform,
  actorId: number,
  project: { id: number; fullPath: string },
  alertIid: number,
): Promise<Incident> {
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [project.id]);
    const alert = await findAlert(tx, project.id, alertIid);
    if (!alert) throw new Problem("not_found", "404 Alert Not Found");
    if (alert.incidentIid !== null) {
      throw new Problem("conflict", `An issue already exists: incident #${alert.incidentIid}`);
    }
    if (alert.test) throw new Problem("unprocessable", "A test alert cannot have an incident.");
    const url = `${platform.config.publicUrl}/${project.fullPath}/-/alerts/${alert.iid}`;
    const template = await findTemplateOfAlerts(tx, project.id);
    const { id, iid, title } = await insertIncidentOfAlert(tx, alert, {
      authorId: actorId,
      description: withTemplate(incidentBody(alert, url) + saidByRule(alert.payload), template),
      untitled: alert.title === UNTITLED,
    });
    const body = `created incident #${iid} for this alert`;
    await insertActivity(tx, [{ alert_id: alert.id, author_id: actorId, kind: "incident", body }]);
    const { projectId } = alert;
    await announceIncidents(tx, [
      { action: "created", projectId, incidentId: id, iid, title, authorId: actorId },
    ]);
    const made = await incidentNow(tx, project.id, iid);
    const transaction = { platform, tx, project, actorId };
    await notifyIncident(transaction, made, { what: "opened", alertId: alert.id });
    return made;
  });
}
