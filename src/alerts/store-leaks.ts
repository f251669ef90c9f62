/** Statements about authorization keys that were reported as leaked. */
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** Returns the integration or heartbeat with this key, also if it is a previous key that still works. */
export function findLeakedKey(db: Queries, digest: Buffer) {
  return db.find(
    row({ projectId: integer, project: text, name: text }),
    sql`select p.id as project_id, p.full_path as project, k.name from (
        select project_id, name from alert_integrations
          where key_digest = ${digest} or (old_key_digest = ${digest} and old_key_until > now())
        union all
        select project_id, name from alert_heartbeats where key_digest = ${digest}) k
      join projects p on p.id = k.project_id limit 1`,
  );
}
