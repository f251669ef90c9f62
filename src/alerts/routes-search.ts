/** The search for incidents over the API, for the routes of the search (GitLab v4 API, search; decision 0293). */
import { projectFor, visibleGroup } from "../projects/access.ts";
import type { SearchOfRoom } from "../projects/wire-search.ts";
import { incidentsOver } from "./routes-all-incidents.ts";
import { incidentsIn } from "./routes-incidents.ts";
import { INCIDENT } from "./wire-answers-incidents.ts";

/** The same incidents as in the lists of a project, of a group and of all projects (decision 0278). */
export const incidentSearch: SearchOfRoom = {
  row: INCIDENT,
  search: async (platform, caller, { scope: _, ...query }, place) => {
    const { db } = platform;
    if (place.project !== undefined) {
      const project = await projectFor(db, caller, place.project, "reporter");
      return incidentsIn(platform, caller, project, query);
    }
    const group = place.group === undefined ? undefined : await visibleGroup(db, caller, place.group);
    return incidentsOver(platform, caller, { query, group });
  },
};
