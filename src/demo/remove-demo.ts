/** Removes the demo: its people, groups and projects with all their data, and nothing else. */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import {
  countFigures,
  type DemoFigures,
  deleteDeeds,
  deleteEmptyGroups,
  deletePeople,
  deleteProjects,
  findBelongings,
  forgetCounts,
  lockDemo,
} from "./store.ts";

export interface RemovedDemo extends DemoFigures {
  people: number;
  groups: number;
  projects: number;
}

/**
 * Removes the demo and returns its figures (decision 0060). Also deletes what the demo's people did elsewhere.
 * @throws Problem not_found: there is no demo; conflict: somebody else created something inside the demo's groups
 */
export function removeDemo(db: Db): Promise<RemovedDemo> {
  return db.transaction(async (tx) => {
    await lockDemo(tx);
    const { userIds, groupIds, projectIds, foreignPaths } = await findBelongings(tx);
    if (userIds.length === 0) throw new Problem("not_found", "There is no demo.");
    if (foreignPaths.length > 0) {
      const paths = foreignPaths.join(", ");
      throw new Problem(
        "conflict",
        `Somebody else created these in the groups of the demo: ${paths}. Delete them first, then remove the demo.`,
      );
    }
    const figures = await countFigures(tx, projectIds);
    await deleteDeeds(tx, userIds);
    await deleteProjects(tx, projectIds);
    while ((await deleteEmptyGroups(tx, groupIds)) > 0);
    await deletePeople(tx, userIds);
    await forgetCounts(tx);
    return { people: userIds.length, groups: groupIds.length, projects: projectIds.length, ...figures };
  });
}
