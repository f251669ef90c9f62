/** The alerts on the page of search results. */
import type { Platform } from "../platform/platform.ts";
import { FOUND_PAGE, type FoundCard, foundCard } from "../ui/found.ts";
import { alertTable } from "./pages-dashboard.ts";
import { listFoundAlerts } from "./store-found.ts";

/** Returns matching alerts of all projects whose alerts the viewer may read. */
export function foundAlerts({ db }: Platform): FoundCard {
  return async (viewer, words, now) =>
    foundCard({
      id: "alerts",
      heading: "Alerts",
      rows: await listFoundAlerts(db.searching, viewer, words, FOUND_PAGE.limit),
      list: (alerts) => alertTable("Alerts", alerts, now, { words }),
      others: "There are more. The name of a project above leads to all of its matching alerts.",
    });
}
