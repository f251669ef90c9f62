/** Statements that read how often alerts occurred: occurrences, activity, and figures. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { instant, integer, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { WAITING } from "./store-statuses.ts";

export const ActivityRow = row({
  id: integer,
  kind: oneOf(["fired", "recovered", "incident", "status", "assigned", "comment"]),
  body: text,
  authorName: nullable(text),
  authorUsername: nullable(text),
  createdAt: instant,
});
export type Activity = RowOf<typeof ActivityRow>;

/** How many stored lines of activity an alert's page shows; one more is listed if there are older ones. */
export const MAX_LINES = 500;

/**
 * Lists the newest lines in ascending order. The first two lines of an alert are derived from its row and not stored, since a
 * storm would insert them a million times.
 */
export function listActivity(db: Queries, alertId: number): Promise<Activity[]> {
  return db.many(
    ActivityRow,
    sql`select t.id, t.kind, t.body, u.name as author_name, u.username as author_username, t.created_at from (
        select -1::bigint as id, 'fired' as kind, 'logged an alert from **' || a.logged_by || '**' as body,
          null::bigint as author_id, a.created_at
        from alerts a where a.id = ${alertId} and a.logged_by is not null
        union all
        select 0, 'incident', 'created incident #' || n.iid || ' for this alert', null, a.created_at
        from alerts a join incidents n on n.id = a.incident_id
        where a.id = ${alertId} and a.logged_by is not null and not n.storm and not exists (select from alert_activity t
          where t.alert_id = a.id and t.kind = 'incident' and t.body like 'created incident %')
        union all
        (select id, kind, body, author_id, created_at from alert_activity where alert_id = ${alertId}
        order by id desc limit ${MAX_LINES + 1})
      ) t left join users u on u.id = t.author_id order by t.id`,
  );
}

export const OccurrenceRow = row({
  id: integer,
  kind: oneOf(["firing", "recovery"]),
  hosts: list(text),
  receiptId: text,
  item: integer,
  receivedAt: instant,
});
export type Occurrence = RowOf<typeof OccurrenceRow>;

export function listOccurrences(
  db: Queries,
  alertId: number,
  page: { limit: number; offset: number },
): Promise<Occurrence[]> {
  return db.many(
    OccurrenceRow,
    sql`select id, kind, hosts, receipt_id, item, received_at from alert_occurrences where alert_id = ${alertId}
      order by received_at desc, id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export const BucketRow = row({ alertId: integer, bucket: integer, n: integer });

/** Counts occurrences of several alerts in the last 12 hours, by hour (0: the oldest). */
export function countOccurrencesByHour(db: Queries, alertIds: readonly number[]) {
  return db.many(
    BucketRow,
    sql`select alert_id, floor(extract(epoch from received_at - (now() - interval '12 hours')) / 3600)::bigint as bucket,
        count(*) as n
      from alert_occurrences
      where alert_id = any (${alertIds}::bigint[]) and kind = 'firing' and received_at > now() - interval '12 hours'
      group by alert_id, bucket`,
  );
}

/** Counts firings of one alert in `parts` equal spans from its first to its newest. */
export function countOccurrencesInSpans(db: Queries, alertId: number, parts: number) {
  return db.many(
    row({ bucket: integer, n: integer, firstAt: instant, lastAt: instant }),
    sql`with o as (select received_at from alert_occurrences where alert_id = ${alertId} and kind = 'firing'),
        span as (select min(received_at) as first_at, max(received_at) as last_at from o)
      select least(${parts}::integer - 1, floor(${parts}::integer * extract(epoch from o.received_at - s.first_at)
          / greatest(extract(epoch from s.last_at - s.first_at), 1)))::bigint as bucket,
        count(*) as n, s.first_at, s.last_at
      from o cross join span s group by bucket, s.first_at, s.last_at order by bucket`,
  );
}

export function countOccurrences(db: Queries, alertId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from alert_occurrences where alert_id = ${alertId}`);
}

/**
 * Returns the open and critical open alerts, occurrences in 24 hours, and median seconds to resolve (of the last thousand in
 * 30 days).
 */
export function findFigures(db: Queries, projectId: number) {
  return db.one(
    row({ open: integer, criticalOpen: integer, occurrences: integer, medianSeconds: nullable(integer) }),
    sql`select
      (select coalesce(sum(n), 0)::bigint from alert_counts where project_id = ${projectId}
        and status in ${WAITING}) as open,
      (select coalesce(sum(n), 0)::bigint from alert_counts where project_id = ${projectId}
        and status in ${WAITING} and severity = 'critical') as critical_open,
      (select count(*) from alert_occurrences o join alerts a on a.id = o.alert_id
        where a.project_id = ${projectId} and not a.test and o.kind = 'firing' and a.status = any (${ALERT_STATUSES}::text[]) and a.updated_at > now() - interval '24 hours'
          and o.received_at > now() - interval '24 hours') as occurrences,
      (select round(percentile_cont(0.5) within group (order by extract(epoch from ended_at - started_at)))::bigint
        from (select ended_at, started_at from alerts where project_id = ${projectId} and not test
          and ended_at > now() - interval '30 days' order by ended_at desc, id desc limit 1000) lately) as median_seconds`,
  );
}

/** Counts firings of a project in the last 24 hours, by hour (0: the oldest) and severity. */
export function countOccurrencesBySeverity(db: Queries, projectId: number) {
  return db.many(
    row({ bucket: integer, severity: text, n: integer }),
    sql`select floor(extract(epoch from o.received_at - (date_trunc('hour', now()) - interval '23 hours')) / 3600)::bigint
        as bucket, a.severity, count(*) as n
      from alert_occurrences o join alerts a on a.id = o.alert_id
      where a.project_id = ${projectId} and not a.test and o.kind = 'firing'
        and a.status = any (${ALERT_STATUSES}::text[]) and a.updated_at >= date_trunc('hour', now()) - interval '23 hours'
        and o.received_at >= date_trunc('hour', now()) - interval '23 hours'
      group by bucket, a.severity`,
  );
}
