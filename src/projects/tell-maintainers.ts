/** Notifies the maintainers of a project that one of its secrets was found where others can read it (decision 0208). */
import type { Leak } from "../accounts/leak.ts";
import { tellLeak } from "../accounts/tell-leak.ts";
import type { Db } from "../platform/db.ts";
import { listMaintainers } from "./store-members.ts";

/** What the secret belongs to, by its name. */
export interface LeakedFrom {
  projectId: number;
  /** Its path. */
  project: string;
  name: string;
}

export async function tellMaintainers(
  db: Db,
  leak: Leak,
  { projectId, project, name }: LeakedFrom,
): Promise<void> {
  await tellLeak(db, leak, await listMaintainers(db, projectId), { name, project });
}
