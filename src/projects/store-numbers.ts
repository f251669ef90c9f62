/** The statement behind numbers that count within a project. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

export function takeNumbers(
  db: Queries,
  projectId: number,
  kind: string,
  count: number,
): Promise<{ last: number }> {
  return db.one(
    row({ last: integer }),
    sql`insert into project_counters as c (project_id, kind, last) values (${projectId}, ${kind}, ${count})
      on conflict (project_id, kind) do update set last = c.last + excluded.last
      returning c.last`,
  );
}
