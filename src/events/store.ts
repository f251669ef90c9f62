/** Statements that write events, their replay keys and the people they name. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, row } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { Cap } from "./cap.ts";
import type { NewEvent } from "./event.ts";

/** An event whose target is known; numbers that are undefined are allotted. */
export interface PlacedEvent {
  event: NewEvent;
  cap: Cap;
  targetId: number | undefined;
  targetIid: number | undefined;
  targetRef: number | undefined;
}

const Placed = row({ index: integer, id: integer, createdAt: instant });

/** Inserts events in their order; the answers carry their places in the list. */
export function insertEvents(db: Queries, events: readonly PlacedEvent[]) {
  const records = events.map(({ event, cap, targetId, targetIid, targetRef }, index) => ({
    index,
    created_at: event.createdAt?.toISOString() ?? "now",
    project_id: event.projectId,
    author_id: event.authorId,
    action: event.action,
    cap,
    target_type: event.targetType,
    target_id: targetId,
    target_iid: targetIid,
    target_ref: targetRef,
    push_data: event.push,
    note: event.note,
    wiki_page: event.wikiPage,
    imported_from: event.importedFrom ?? "none",
    external_id: event.externalId,
  }));
  return db.many(
    Placed,
    sql`with given as materialized (
        select nextval('event_ids') as id, r.*, coalesce(r.target_id,
          case when r.target_type is not null then nextval('event_target_numbers') end) as number
        from json_to_recordset(${json(records)}) as r (index integer, created_at timestamptz(3), project_id bigint,
          author_id bigint, action event_action, cap event_cap, target_type event_target_type, target_id bigint,
          target_iid bigint, target_ref bigint, push_data jsonb, note jsonb, wiki_page jsonb, imported_from text,
          external_id text)),
      written as (
        insert into events (id, created_at, project_id, author_id, action, cap, target_type, target_id, target_iid,
          target_ref, push_data, note, wiki_page, imported_from, external_id)
        select id, created_at, project_id, author_id, action, cap, target_type, number,
          coalesce(target_iid, number), target_ref, push_data, note, wiki_page, imported_from, external_id
        from given order by index)
      select index, id, created_at from given order by index`,
  );
}

/** The moment of the transaction, or of the statement. */
export async function findNow(db: Queries): Promise<Date> {
  return (await db.one(row({ now: instant }), sql`select now()::timestamptz(3) as now`)).now;
}
