/** Does timed work project by project, so that one in which it fails does not keep the others waiting. */
import { isAwayForAll } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";

/**
 * What fails is written to the log, and its turn comes again with the next round.
 * @throws Problem unavailable: the database is away, which is no project's fault
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
