/** Statements that write events, their replay keys and the people they name. */
import type { Queries } from "../platform/db.ts";
import { bytes, instant, integer, jsonb, list, type RowOf, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { Cap } from "./cap.ts";
import type { Window } from "./draft.ts";
import type { NewEvent } from "./event.ts";
import { upsertOf } from "./store-targets.ts";
import type { TargetChange } from "./target.ts";

/** An event whose target is known; undefined numbers are allotted. */
export interface PlacedEvent {
  event: NewEvent;
  cap: Cap;
  targetId: number | undefined;
  targetIid: number | undefined;
  targetRef: number | undefined;
}

const Placed = row({ index: integer, id: integer, createdAt: instant });

/** Targets that are inserted or changed together with their events. */
export interface TargetsToo {
  sourceId: number;
  changes: readonly TargetChange[];
  /** For each event the change of its target. */
  changeOf: readonly TargetChange[];
}

/** Inserts events in their order; each result has its index in the list. */
export function insertEvents(db: Queries, events: readonly PlacedEvent[], also?: TargetsToo) {
  const records = events.map(({ event, cap, targetId, targetIid, targetRef }, index) => ({
    index,
    reserved: event.id,
    created_at: event.createdAt?.toISOString() ?? "now",
    project_id: event.projectId,
    author_id: event.authorId,
    action: event.action,
    cap,
    target_type: event.targetType,
    target_id: targetId,
    target_iid: targetIid,
    target_ref: targetRef,
    target_kind: also?.changeOf[index]?.kind,
    target_key: also?.changeOf[index]?.key,
    push_data: event.push,
    note: event.note,
    wiki_page: event.wikiPage,
    imported_from: event.importedFrom ?? "none",
    external_id: event.externalId,
    told_as: event.toldAs,
  }));
  return db.many(
    Placed,
    sql`with ${also ? sql`targets as (${upsertOf(also.sourceId, also.changes)}),` : sql``}
      given as materialized (
        select coalesce(r.reserved, nextval('event_ids')) as id, r.*, coalesce(r.target_id,
          case when r.target_type is not null then nextval('event_target_numbers') end) as number
        from json_to_recordset(${json(records)}) as r (index integer, reserved bigint, created_at timestamptz(3), project_id bigint,
          author_id bigint, action event_action, cap event_cap, target_type event_target_type, target_id bigint,
          target_iid bigint, target_ref bigint, target_kind text, target_key text, push_data jsonb, note jsonb, wiki_page jsonb, imported_from text,
          external_id text, told_as bigint)),
      written as (
        insert into events (id, created_at, project_id, author_id, action, cap, target_type, target_id, target_iid,
          target_ref, push_data, note, wiki_page, imported_from, external_id, told_as)
        select id, created_at, project_id, author_id, action, cap, target_type, number,
          coalesce(target_iid, number), ${
            also
              ? sql`(select t.id from targets t where t.project_id = given.project_id
            and t.kind = given.target_kind and t.key = given.target_key)`
              : sql`target_ref`
          },
          push_data, note, wiki_page, imported_from, external_id, told_as
        from given order by index)
      select index, id, created_at from given order by index`,
  );
}

/**
 * When an event may have happened: from two years ago to ten minutes ahead, for clocks that are fast.
 * @param projectIds the projects whose shorter times are needed; absent: all
 */
export function findWindow(db: Queries, projectIds?: readonly number[]): Promise<Window> {
  return db.one(
    row({ now: instant, oldest: instant, latest: instant, short: jsonb<Window["short"]>() }),
    sql`select now()::timestamptz(3) as now, (now() - interval '2 years')::timestamptz(3) as oldest,
      (now() + interval '10 minutes')::timestamptz(3) as latest,
      (select coalesce(jsonb_object_agg(id, extract(epoch from now() - event_retention_days * interval '24 hours') * 1000), '{}')
        from projects where event_retention_days is not null
          and (${projectIds ?? null}::bigint[] is null or id = any (${projectIds ?? null}::bigint[]))) as short`,
  );
}

/** A replay key and what it stands for. */
export interface EventKey {
  projectId: number;
  externalId: string;
  bodyHash: Buffer;
  /** When the events happened, and how many there are. */
  createdAt: Date;
  count: number;
}

const KeyRow = row({
  projectId: integer,
  externalId: text,
  bodyHash: bytes,
  eventIds: list(integer),
  eventCreatedAt: instant,
});
export type KnownKey = RowOf<typeof KeyRow>;

/**
 * Inserts the keys that are free, each with the ids of its future events; waits for a transaction that is inserting the same key.
 */
export function insertKeys(db: Queries, keys: readonly EventKey[]): Promise<KnownKey[]> {
  return db.many(
    KeyRow,
    sql`insert into event_keys (project_id, external_id, body_hash, event_ids, event_created_at)
      select k.project_id, k.external_id, decode(k.body_hash, 'hex'),
        array(select nextval('event_ids') from generate_series(1, k.count)), k.created_at
      from json_to_recordset(${json(
        keys.map((key) => ({
          project_id: key.projectId,
          external_id: key.externalId,
          body_hash: key.bodyHash.toString("hex"),
          count: key.count,
          created_at: key.createdAt,
        })),
      )}) as k (project_id bigint, external_id text, body_hash text, count integer, created_at timestamptz(3))
      order by k.project_id, k.external_id
      on conflict do nothing
      returning project_id, external_id, body_hash, event_ids, event_created_at`,
  );
}

export function listKeys(
  db: Queries,
  keys: readonly Pick<EventKey, "projectId" | "externalId">[],
): Promise<KnownKey[]> {
  const projectIds = keys.map(({ projectId }) => projectId);
  const externalIds = keys.map(({ externalId }) => externalId);
  return db.many(
    KeyRow,
    sql`select k.project_id, k.external_id, k.body_hash, k.event_ids, k.event_created_at
      from unnest(${projectIds}::bigint[], ${externalIds}::text[]) as asked (project_id, external_id)
      join event_keys k using (project_id, external_id)`,
  );
}
