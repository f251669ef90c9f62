/** Remembers who has roles in very many single projects: a guess that only chooses how the roles are looked up. */
import type { Queries } from "../platform/db.ts";
import { dropOldest } from "../platform/drop-oldest.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** From so many roles on it pays to find a project among them by binary search. */
const MANY = 100;
const LOOKED_AT_AFTER_MS = 300_000;
const MAX_KNOWN = 5000;
const known = new Map<number, { isMany: boolean; until: number }>();

/** Whether the asker had many roles when this process last counted them. */
export function hasManyRoles(asker: { id: number } | undefined): boolean {
  return asker !== undefined && known.get(asker.id)?.isMany === true;
}

/** Counts at most once in five minutes for each asker. */
export async function lookAtRoles(db: Queries, asker: { id: number } | undefined): Promise<void> {
  const now = Date.now();
  const last = asker && known.get(asker.id);
  if (!asker || (last && last.until > now)) return;
  if (known.size >= MAX_KNOWN) dropOldest(known);
  known.set(asker.id, { isMany: last?.isMany ?? false, until: now + LOOKED_AT_AFTER_MS });
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from (
      select from members where user_id = ${asker.id} and project_id is not null limit ${MANY}) roles`,
  );
  known.set(asker.id, { isMany: n >= MANY, until: now + LOOKED_AT_AFTER_MS });
}
