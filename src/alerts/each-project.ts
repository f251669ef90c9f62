/** Runs periodic work project by project, so that a failure in one does not delay the others. */
import { isAwayForAll } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";

/**
 * Calls `work` for each project. Failures are logged and tried again in the next round.
 * @throws Problem unavailable: the database cannot be reached
 */
export async function eachProject(
  { log }: Pick<Platform, "log">,
  projectIds: readonly number[],
  work: (projectId: number) => Promise<void>,
): Promise<void> {
  for (const projectId of projectIds) {
    try {
      await work(projectId);
    } catch (error) {
      if (isAwayForAll(error)) throw error;
      log.error({ err: error, projectId }, "work on the alerts of a project failed");
    }
  }
}
