/** The projects on the search page: those that match or, before a search, one's own. */
import type { Platform } from "../platform/platform.ts";
import { card, type DashboardCard } from "../ui/card.ts";
import { FOUND_PAGE, type FoundCard, foundCard, MAX_FOUND } from "../ui/found.ts";
import { html } from "../ui/html.ts";
import { projectTable } from "./pages-views.ts";
import { listProjects } from "./store.ts";

/** Finds projects by name or path, as far as the viewer may see them. */
export function foundProjects({ db }: Platform): FoundCard {
  return async (viewer, words, now) =>
    foundCard({
      id: "projects",
      heading: "Projects",
      rows: await listProjects(db.searching, viewer, { search: words, exactFirst: true, ...FOUND_PAGE }),
      list: (projects) => projectTable(projects, now),
      others: html`More fit: see <a href="${`/projects?${new URLSearchParams({ search: words })}`}">all projects that fit</a>.`,
    });
}

/** The viewer's projects with the latest activity; no card for somebody who has none. */
export function suggestedProjects({ db }: Platform): DashboardCard {
  return async (viewer, now) => {
    const own = await listProjects(db, viewer, { membership: true, limit: MAX_FOUND, offset: 0 });
    if (own.length === 0) return undefined;
    return card({ id: "projects", heading: "Your projects", flush: projectTable(own, now) });
  };
}
