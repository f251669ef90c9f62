/** The transaction in which a person opens or changes an incident, with what every step of it needs. */
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import type { Project } from "../projects/project.ts";

/** A transaction in which an incident of a project is opened or changed, and the person who does so. */
export interface IncidentTransaction {
  platform: Platform;
  tx: Queries;
  project: Pick<Project, "id" | "fullPath">;
  actorId: number;
}
