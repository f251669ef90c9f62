/** Statements about open alerts whose sender stopped repeating them (decision 0113). */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { closedWith, type SilentPortion } from "./store-closing.ts";

const grace = sql`interval '1 minute'`;
/** Conditions on an alert and its project; once that is unarchived, an alert holds for as long again (decision 0153). */
const unheard = sql`a.status <> 'resolved' and a.believed_until <= now() - ${grace} and not p.archived
  and coalesce(p.awake_since + (a.believed_until - a.last_seen_at) <= now() - ${grace}, true)`;

/**
 * Records that the clock was checked. After a minute without a check nobody could repeat anything either, so alerts that
 * expired meanwhile get the time that they had left. Locked alerts are being repeated and are skipped, which avoids deadlocks
 * with batches.
 */
export function lookAtBeliefs(db: Queries): Promise<number> {
  return countOf(
    db,
    sql`with before as (select looked_at from alert_belief_watch for update),
      looked as (update alert_belief_watch set looked_at = now()),
      spared as (
        update alerts set believed_until = believed_until + (now() - before.looked_at) from before
        where id in (select a.id from alerts a, before b
          where b.looked_at < now() - interval '1 minute' and a.status <> 'resolved'
            and a.believed_until between b.looked_at - ${grace} and now()
          for update of a skip locked)
        returning id)
      select count(*) as n from spared`,
  );
}

/** Lists projects with open alerts that were not repeated for a minute beyond the time until which they hold. */
export function listUnheard(db: Queries) {
  return db.many(
    row({ projectId: integer }),
    sql`select distinct a.project_id from alerts a join projects p on p.id = a.project_id
      where ${unheard} limit 50`,
  );
}

export const UnheardRow = row({
  id: integer,
  iid: integer,
  title: text,
  lastSeenAt: instant,
  believedUntil: instant,
  incidentId: nullable(integer),
  /** The iid and title of the incident that closed with it, which several alerts may have shared. */
  closedIid: nullable(integer),
  closedTitle: nullable(text),
});

/**
 * Resolves up to `limit` of a project's expired alerts as of the time until which they held, and closes their incidents. The
 * caller has locked the project, so that no repeat comes in between.
 */
export function resolveUnheardAlerts(tx: Queries, { projectId, limit, botId }: SilentPortion) {
  return tx.many(
    UnheardRow,
    sql`with target as materialized (
        select a.id, a.iid, a.title, a.last_seen_at, a.believed_until, a.incident_id
        from alerts a join projects p on p.id = a.project_id where ${unheard} and a.project_id = ${projectId} order by a.believed_until, a.id limit ${limit}
      ), resolved as (
        update alerts a set status = 'resolved', ended_at = greatest(a.believed_until, a.started_at), updated_at = now()
        from target t where a.id = t.id
      ), ${closedWith(sql`id`, sql`true`, botId)}
      select t.id, t.iid, t.title, t.last_seen_at, t.believed_until, t.incident_id, c.iid as closed_iid, c.title as closed_title
      from target t left join closed c on c.id = t.incident_id and c.place = t.id
      order by t.believed_until, t.id`,
  );
}
