/** Opens an incident by hand that belongs to no alert, and notifies channels of it (decisions 0117, 0129). */
import type { Platform } from "../platform/platform.ts";
import type { Project } from "../projects/project.ts";
import { announceIncidents } from "./announce-incidents.ts";
import type { Incident } from "./incident.ts";
import { incidentTexts } from "./incident-texts.ts";
import { notifyIncident } from "./notify-incident.ts";
import { lockAlerts } from "./store-batch.ts";
import { incidentNow, insertIncident } from "./store-incidents.ts";

/** The fields of a new incident. */
export type IncidentFields = Pick<Incident, "title" | "description" | "severity">;

/**
 * Returns the new incident, whose author is the person who opened it.
 * @throws FieldProblem invalid, by field
 */
export function createIncident(
  platform: Platform,
  actorId: number,
  project: Pick<Project, "id" | "fullPath">,
  fields: IncidentFields,
): Promise<Incident> {
  const { title, description } = incidentTexts(fields);
  const projectId = project.id;
  return platform.db.transaction(async (tx) => {
    await lockAlerts(tx, [projectId]);
    const { severity } = fields;
    const { id, iid } = await insertIncident(tx, {
      projectId,
      authorId: actorId,
      title,
      description,
      severity,
      storm: false,
    });
    await announceIncidents(tx, [
      { action: "created", projectId, incidentId: id, iid, title, authorId: actorId },
    ]);
    const made = await incidentNow(tx, projectId, iid);
    await notifyIncident({ platform, tx, project, actorId }, made, { what: "opened" });
    return made;
  });
}
