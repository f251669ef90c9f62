/** Counts the open alerts and incidents of a project, for the links in its navigation. */
import type { Platform } from "../platform/platform.ts";
import type { CountOpen } from "../projects/page-route.ts";
import { countOpenWork } from "./store-incidents.ts";

/** Counts open alerts and incidents for the pages of projects (passed in by `page-doors.ts`). */
export function countOpen({ db }: Platform): CountOpen {
  return (projectId) => countOpenWork(db, projectId);
}
