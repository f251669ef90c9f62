/** Finds projects and groups by the paths that they have, or had and keep, for the audit log (decision 0293). */
import type { FindPlacesNamed } from "../accounts/audit-event.ts";
import { listGroupsNamed, listProjectsNamed } from "./store-named.ts";

/** A former path counts as long as it redirects to the project or group; see `FindPlacesNamed`. */
export const findPlacesNamed: FindPlacesNamed = async (db, type, by) => {
  if ("paths" in by && by.paths.length === 0) return [];
  const asked = "id" in by ? by : { paths: [...new Set(by.paths.map((path) => path.toLowerCase()))] };
  return type === "Project" ? listProjectsNamed(db, asked) : listGroupsNamed(db, asked);
};
