/** Statements about refusals of applications' requests. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { integer, row } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import {
  type ApplicationEvent,
  ApplicationEventRow,
  EVENT_DAYS,
  type EventEndpoint,
  MAX_EVENTS,
  type Refusal,
} from "./application-event.ts";

/** Earlier request ids of an entry that can be searched for, besides the last one. */
const EARLIER_IDS = 20;

/**
 * Stores refusals, each with its count, adding to entries of the same kind. Those of deleted applications are dropped, and
 * deleted users are left out.
 */
export function insertApplicationEvents(
  db: Queries,
  counted: readonly (Refusal & { kind: Buffer; times: number; secondsAgo: number })[],
): Promise<number> {
  const of = <T>(member: (refusal: (typeof counted)[number]) => T) => counted.map(member);
  return db.run(
    sql`insert into application_events as known
        (kind, application_id, at, first_at, endpoint, grant_type, answer, reason, request_id, network, user_id, times)
      select e.kind, e.application_id, now() - make_interval(secs => e.seconds_ago),
        now() - make_interval(secs => e.seconds_ago), e.endpoint, e.grant_type, e.answer, e.reason, e.request_id, e.network, u.id, e.times
      from unnest(${of((e) => e.applicationId)}::bigint[], ${of((e) => e.secondsAgo)}::double precision[],
          ${of((e) => e.endpoint)}::text[], ${of((e) => e.grantType)}::text[], ${of((e) => e.answer)}::text[],
          ${of((e) => e.reason)}::text[], ${of((e) => e.requestId)}::text[], ${of((e) => e.network)}::text[],
          ${of((e) => e.userId)}::bigint[], ${of((e) => e.times)}::integer[], ${of((e) => e.kind)}::bytea[])
        as e (application_id, seconds_ago, endpoint, grant_type, answer, reason, request_id, network, user_id, times, kind)
        join applications a on a.id = e.application_id left join users u on u.id = e.user_id
      order by e.kind
      on conflict (kind) do update set times = least(known.times::bigint + excluded.times, 2000000000),
        at = excluded.at, request_id = excluded.request_id,
        earlier_request_ids = (known.request_id || known.earlier_request_ids)[1:${EARLIER_IDS}::integer]`,
  );
}

/** The filter of a list of events. */
export interface EventFilter {
  endpoint?: EventEndpoint | undefined;
  answer?: string | undefined;
  /** Part of the reason or of a username, or a whole request id. */
  search?: string | undefined;
}

const matching = ({ endpoint, answer, search }: EventFilter): Sql =>
  joinSql(
    [
      endpoint !== undefined && sql`e.endpoint = ${endpoint}`,
      answer !== undefined && sql`e.answer = ${answer}`,
      ...(search === undefined
        ? []
        : [
            sql`(e.request_id = ${search} or ${search} = any (e.earlier_request_ids) or strpos(lower(e.reason || ' ' || coalesce(u.username, '')), lower(${search})) > 0)`,
          ]),
    ],
    " and ",
  );

/**
 * Applications have few entries each: without `offset 0` the planner would look for them among the newest of all applications.
 */
const eventsOf = (applicationId: number): Sql =>
  sql`(select * from application_events where application_id = ${applicationId} offset 0) e left join users u on u.id = e.user_id`;

/** Newest first. */
export function listApplicationEvents(
  db: Queries,
  applicationId: number,
  filter: EventFilter,
  page: { limit: number; offset: number },
): Promise<ApplicationEvent[]> {
  return db.many(
    ApplicationEventRow,
    sql`select e.id, e.at, coalesce(e.first_at, e.at) as first_at, e.endpoint, e.grant_type, e.answer, e.reason, e.request_id, e.network, e.user_id, u.username,
        e.times
      from ${eventsOf(applicationId)} where ${matching(filter)}
      order by e.at desc, e.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export function countApplicationEvents(
  db: Queries,
  applicationId: number,
  filter: EventFilter,
): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${eventsOf(applicationId)} where ${matching(filter)}`);
}

/** Deletes up to `most` entries that are older than the limit; returns how many. */
export function deleteOldApplicationEvents(db: Queries, most: number): Promise<number> {
  return deleteSome(
    db,
    sql`application_events`,
    sql`at < now() - make_interval(days => ${EVENT_DAYS})`,
    most,
  );
}

/** Returns the applications that have more entries than are kept; counted in the index. */
export async function listCrowdedApplications(db: Queries): Promise<number[]> {
  const crowded = await db.many(
    row({ id: integer }),
    sql`select application_id as id from application_events group by application_id having count(*) > ${MAX_EVENTS}`,
  );
  return crowded.map(({ id }) => id);
}

/**
 * Keeps the `MAX_EVENTS` entries of an application. Endpoints, error codes and whether a person is known take turns, and within
 * each of them networks do, so that a flood of one kind only displaces its own entries.
 */
export function deleteCrowdedEvents(db: Queries, applicationId: number): Promise<number> {
  const kind = sql`endpoint, answer, user_id is null`;
  return db.run(
    sql`delete from application_events where id in (
      select id from (
        select id, row_number() over (order by turn, at desc, id desc) as place from (
          select id, at, row_number() over (partition by ${kind} order by own, at desc, id desc) as turn from (
            select *, row_number() over (partition by ${kind}, network order by at desc, id desc) as own
            from application_events where application_id = ${applicationId}) of_network) of_kind) placed
      where place > ${MAX_EVENTS})`,
  );
}
