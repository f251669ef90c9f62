/** Finds the incident that the path of a request names, for whoever has the role in its project. */
import { idIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { projectFor } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Role } from "../projects/role.ts";
import { findIncident } from "./store-incidents.ts";

/** Returns the incident and its project. @throws Problem not_found; forbidden: less than `role` */
export async function incidentFor(
  platform: Platform,
  asker: Asker,
  named: { id: string; iid: string },
  role: Role,
) {
  const project = await projectFor(platform.db, asker, named.id, role);
  const incident = await findIncident(platform.db, project.id, idIn(named.iid));
  if (!incident) throw new Problem("not_found", "404 Issue Not Found");
  return { project, incident };
}
