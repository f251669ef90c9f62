/** Statements about authorization keys that were reported as leaked. */
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** The integration or heartbeat whose key this is, or was until a time that is still to come. */
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
