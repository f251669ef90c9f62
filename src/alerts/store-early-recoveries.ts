/** Statements about recoveries that arrived before their firings (decision 0180). */
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { instant, integer, row } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";

/** The same as for answers that are kept for repeats. */
const KEPT = sql`interval '72 hours'`;

/**
 * Stores the ends of fingerprints without an open alert, unless their newest alert ended no earlier: then that suffices. The
 * caller has locked the projects.
 */
export function keepEarlyRecoveries(
  db: Queries,
  rows: readonly { projectId: number; hash: string; endedAt: string | null }[],
): Promise<number> {
  return db.run(
    sql`insert into alert_early_recoveries as r (project_id, fingerprint_hash, ended_at)
      select i.project_id, i.hash, max(i.ended_at)
      from (select "projectId" as project_id, decode(hash, 'hex') as hash, coalesce("endedAt", now()::timestamptz(3)) as ended_at
        from json_to_recordset(${json(rows)}::json) as i ("projectId" bigint, hash text, "endedAt" timestamptz(3))) i
      where i.ended_at > coalesce((select a.ended_at from alerts a
          where a.fingerprint_hash = i.hash and a.project_id + 0 = i.project_id and a.status = 'resolved' and not a.test
          order by a.project_id desc, a.id desc limit 1), '-infinity')
      group by 1, 2
      on conflict (project_id, fingerprint_hash) do update
        set ended_at = greatest(r.ended_at, excluded.ended_at), received_at = excluded.received_at`,
  );
}

/**
 * Returns those firings that had ended before they arrived, with their ends, and deletes the stored recoveries, which the new
 * alerts replace. The caller has locked the projects.
 */
export function takeEarlyRecoveries(
  db: Queries,
  rows: readonly { ord: number; projectId: number; hash: string; began: string }[],
) {
  return db.many(
    row({ ord: integer, endedAt: instant }),
    sql`with met as materialized (
        select i.ord, r.place, r.ended_at
        from json_to_recordset(${json(rows)}::json) as i (ord integer, "projectId" bigint, hash text, began timestamptz(3))
        cross join lateral (
          select r.ctid as place, r.ended_at from alert_early_recoveries r
          where r.project_id = i."projectId" and r.fingerprint_hash = decode(i.hash, 'hex') and r.ended_at >= i.began
            and r.received_at > now() - ${KEPT}
          offset 0
        ) r
      ), spent as (
        delete from alert_early_recoveries where ctid = any (array(select place from met))
      )
      select ord, ended_at from met`,
  );
}

/** Deletes up to `limit` that are older than three days. Returns how many were deleted. */
export function deleteOldEarlyRecoveries(db: Queries, limit: number): Promise<number> {
  return deleteSome(db, sql`alert_early_recoveries`, sql`received_at < now() - ${KEPT}`, limit);
}
