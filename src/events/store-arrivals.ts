/** Statements that read events in the order of their arrival, without gaps while others write (decision 0026). */
import type { Queries } from "../platform/db.ts";
import { integer, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { EventRow } from "./event.ts";
import type { EventQuery } from "./filter.ts";
import type { Arrival, Horizon } from "./position.ts";
import { matches } from "./store-filter.ts";
import { eventColumns, joinShown, shownColumns } from "./store-pages.ts";
import { mayBeSeen, ofPlace, ofSubject, placeOfEach, rightsAnd } from "./store-visible.ts";
import { isWide } from "./subject.ts";

export function findHorizon(db: Queries): Promise<Horizon> {
  // A number that was settled in another epoch and came along in a copy of the database lies ahead of its own: it means nothing
  // here.
  return db.one(
    row({ epoch: text, horizon: text, upcoming: text, settled: text }),
    sql`select e.epoch, pg_snapshot_xmin(now.seen)::text as horizon, pg_snapshot_xmax(now.seen)::text as upcoming,
        case when e.settled < pg_snapshot_xmax(now.seen) then (e.settled::text::bigint + 1)::text else '0' end as settled
      from event_epoch e, (select pg_current_snapshot() as seen) now`,
  );
}

/** Commits a transaction that records its own number as settled, so that its commit is on disk; returns the number after it. */
export async function settleTransactions(db: Queries): Promise<string> {
  const { settled } = await db.one(
    row({ settled: text }),
    sql`update event_epoch set settled = greatest(settled, pg_current_xact_id())
      returning (settled::text::bigint + 1)::text as settled`,
  );
  return settled;
}

/** The last id that was given to an event, and the horizon. */
export function findArrivalState(db: Queries) {
  return db.one(
    row({ lastId: integer, horizon: text }),
    sql`select last_value as last_id, pg_snapshot_xmin(pg_current_snapshot())::text as horizon from event_ids`,
  );
}

/** A transaction number after those of all running transactions; the `xmax` of a snapshot is only after those that have ended. */
export async function findUpcoming(db: Queries): Promise<bigint> {
  const { upcoming } = await db.one(
    row({ upcoming: text }),
    sql`select pg_current_xact_id()::text as upcoming`,
  );
  return BigInt(upcoming);
}

const ArrivedRow = row({ ...EventRow.columns, arrivedIn: text });
export type ArrivedEvent = RowOf<typeof ArrivedRow>;

/** Events that arrived after a position, in the order of arrival; those beyond the horizon must not be sent yet. */
export function listArrived(db: Queries, query: EventQuery, after: Arrival): Promise<ArrivedEvent[]> {
  const { subject, limit } = query;
  const waiting = sql`(e.arrived_in, e.id) > (${after.transaction}::xid8, ${after.id}::bigint)
    and ${matches(query.filter)} and ${mayBeSeen(query)}`;
  const ordered = sql`order by e.arrived_in, e.id limit ${limit}`;
  // Of several projects, each one's events are read in their order of arrival, from the position on.
  const wanted = isWide(subject)
    ? sql`select e.* from (select ${ofPlace} from projects p cross join rights r where ${ofSubject(query)} offset 0) mine
        cross join lateral (select ${eventColumns}, e.arrived_in
          from events e, (select mine.*) p, rights r
          where e.project_id = mine.id and ${waiting} ${ordered}) e ${ordered}`
    : sql`select ${eventColumns}, e.arrived_in from events e ${placeOfEach(query, query.filter)}
        where ${ofSubject(query)} and ${waiting} ${ordered}`;
  return db.many(
    ArrivedRow,
    sql`with ${rightsAnd(query)}
      select ${shownColumns}, page.arrived_in::text as arrived_in from (${wanted}) page ${joinShown}
      order by page.arrived_in, page.id`,
  );
}
