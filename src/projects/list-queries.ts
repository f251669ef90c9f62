/** The connections for lists of projects and groups. */
import type { Db, Queries } from "../platform/db.ts";

/** Such a list, and the number beside it, examine all that the asker may see: on a pipeline they would block what is behind them. */
export function listQueries(db: Db, { search }: { search?: string | undefined }): Queries {
  return search ? db.searching : db.pooled;
}
