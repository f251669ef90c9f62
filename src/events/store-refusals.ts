/** Statements about deliveries that sources refused (decision 0120). */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { json, sql } from "../platform/sql.ts";
import {
  KeptRefusalRow,
  type NewRefusal,
  type Refusal,
  type RefusalCount,
  RefusalCountRow,
  RefusalRow,
} from "./refusal.ts";

/** Most refusals stored of a source. */
const MAX_KEPT = 100;
/** Most refusals stored of a source in a minute; others are only counted. */
const MAX_A_MINUTE = 10;

const columns = sql`id, status, reason, kind, body_bytes, received_at`;

/** Counts the refusal and `more` others, and stores it unless its source stored too many just now; deletes the oldest. */
export function insertRefusal(db: Queries, refusal: NewRefusal, more: number): Promise<number> {
  const { sourceId } = refusal;
  return db.run(
    sql`with counted as (
        insert into event_refusal_counts as t (source_id, n, last_at) values (${sourceId}, ${more + 1}, now())
        on conflict (source_id) do update set n = t.n + excluded.n, last_at = excluded.last_at),
      kept as (
        insert into event_refusals (source_id, status, reason, kind, headers, raw, body_bytes)
        select ${sourceId}, ${refusal.status}, ${refusal.reason}, ${refusal.kind}, ${json(refusal.headers)}, ${refusal.raw},
          ${refusal.bodyBytes}
        where (select count(*) from event_refusals where source_id = ${sourceId}
          and received_at > now() - interval '1 minute') < ${MAX_A_MINUTE})
      delete from event_refusals where source_id = ${sourceId} and id <= (
        select id from event_refusals where source_id = ${sourceId} order by id desc offset ${MAX_KEPT - 1} limit 1)`,
  );
}

/** Counts refusals of which nothing is stored. */
export function countRefused(db: Queries, sourceId: number, n: number): Promise<number> {
  return db.run(
    sql`update event_refusal_counts set n = n + ${n}, last_at = now() where source_id = ${sourceId}`,
  );
}

/** Newest first. */
export function listRefusals(
  db: Queries,
  sourceId: number,
  page: { limit: number; offset: number },
): Promise<Refusal[]> {
  return db.many(
    RefusalRow,
    sql`select ${columns} from event_refusals where source_id = ${sourceId} order by id desc
      limit ${page.limit} offset ${page.offset}`,
  );
}

/** How many are stored. */
export function countRefusals(db: Queries, sourceId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from event_refusals where source_id = ${sourceId}`);
}

/** A refusal with its headers and the beginning of its body. */
export function findRefusal(db: Queries, sourceId: number, id: number) {
  return db.find(
    KeptRefusalRow,
    sql`select ${columns}, headers, raw from event_refusals where source_id = ${sourceId} and id = ${id}`,
  );
}

/** How many refusals each of these sources had; sources without any are left out. */
export function listRefusalCounts(db: Queries, sourceIds: readonly number[]): Promise<RefusalCount[]> {
  return db.many(
    RefusalCountRow,
    sql`select source_id, n, last_at from event_refusal_counts where source_id = any (${sourceIds}::bigint[])`,
  );
}

/** Deletes some refusals after 30 days, as with deliveries. */
export function deleteOldRefusals(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`event_refusals`, sql`received_at < now() - interval '30 days'`, most);
}
