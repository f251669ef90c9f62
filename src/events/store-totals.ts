/** Statements that count events without reading them: from days and totals, exact at both ends of the two years (decision 0025). */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { EventQuery } from "./filter.ts";
import {
  capsOf,
  couldBeRead,
  isOfAsker,
  isOfKind,
  matches,
  memberships,
  ofSubject,
} from "./store-visible.ts";

/** How many events match and may be seen. */
export async function countEvents(db: Queries, query: EventQuery): Promise<number> {
  return (await db.one(row({ n: integer }), sql`select (${totalOf(query)}) as n`)).n;
}

/** The number as a part of a statement: what is open to the asker, and what is confidential and theirs. */
export function totalOf(query: EventQuery): Sql {
  const { asker, subject } = query;
  const seesAll = subject !== "memberships" && "projectId" in subject && subject.access >= 20;
  if (!asker || asker.isAdmin || seesAll) return openTotalOf(query);
  return sql`(${openTotalOf(query)}) + (${ownTotalOf(query)})`;
}

function openTotalOf(query: EventQuery): Sql {
  const { subject, asker } = query;
  if (subject === "memberships") {
    return sql`select coalesce(sum(e.n), 0)::bigint from (${memberships(query)}) mine
      join (${countsOf(query)}) e on e.project_id = mine.project_id where e.cap = any (mine.caps)`;
  }
  if ("projectId" in subject) {
    return sql`select coalesce(sum(e.n), 0)::bigint from (${countsOf(query)}) e
      where e.cap = any (${capsOf(query)})`;
  }
  // The roles of the asker are read at once: asking for them project by project took most of the time.
  return sql`select coalesce(sum(e.n), 0)::bigint
    from (select project_id, cap, sum(n) as n from (${countsOf(query)}) e group by project_id, cap) e
    join projects p on p.id = e.project_id
    left join (select r.project_id, r.access_level from project_roles r where r.user_id = ${asker?.id ?? null} offset 0) r
      on r.project_id = e.project_id
    where e.cap = any (event_caps(p.visibility,
      case when ${asker?.isAdmin ?? false} then 50 else coalesce(r.access_level, 0) end, ${asker !== undefined}))`;
}

/** (project_id, cap, n): what is counted, less what is of the first day and older than two years. */
function countsOf(query: EventQuery): Sql {
  const { before, after } = query.filter;
  const chosen = sql`${ofSubject(query)} and ${isOfKind(query.filter)}`;
  const whole = before === undefined && after === undefined;
  return sql`${whole ? allOf(query, chosen) : daysOf(query, chosen)}
    union all
    select e.project_id, e.cap, -1 from events e where ${chosen}
      and e.created_at >= event_edge()::timestamp at time zone 'UTC' and e.created_at < now() - interval '2 years'
      and e.created_at >= coalesce((${after ?? null}::date + 1)::timestamp at time zone 'UTC', '-infinity')
      and e.created_at < coalesce(${before ?? null}::date::timestamp at time zone 'UTC', 'infinity')`;
}

function allOf({ subject }: EventQuery, chosen: Sql): Sql {
  const byAuthor = subject !== "memberships" && "authorId" in subject;
  const totals = byAuthor ? sql`event_author_totals` : sql`event_project_totals`;
  return sql`select e.project_id, e.cap, e.n from ${totals} e where ${chosen}
    union all
    select e.project_id, e.cap, e.n from event_deltas e where ${chosen} and e.day >= event_edge()
    union all
    select e.project_id, e.cap, -e.n from event_days e where ${chosen}
      and (select day from event_totals_since) < event_edge()
      and e.day >= (select day from event_totals_since) and e.day < event_edge()`;
}

function daysOf({ filter }: EventQuery, chosen: Sql): Sql {
  const { before = null, after = null } = filter;
  const within = sql`e.day >= greatest(event_edge(), ${after}::date + 1) and e.day < coalesce(${before}::date, 'infinity')`;
  return sql`select e.project_id, e.cap, e.n from event_days e where ${chosen} and ${within}
    union all
    select e.project_id, e.cap, e.n from event_deltas e where ${chosen} and ${within}`;
}

/** Confidential ones are few and found by their targets. */
function ownTotalOf(query: EventQuery): Sql {
  const isMember =
    query.subject === "memberships"
      ? sql`e.project_id in (select r.project_id from project_roles r where r.user_id = ${query.asker?.id ?? null})`
      : ofSubject(query);
  const caps = capsOf(query);
  return sql`select count(*) from event_targets t join events e on e.target_ref = t.id
    where t.confidential and ${isOfAsker(query)} and e.cap in ('confidential', 'confidential_code')
      and ${isMember} and ${matches(query.filter)} and not e.cap = any (${caps}) and ${couldBeRead(caps)}`;
}

/** Adds to the days and totals what was written since the last time; returns how many rows were waiting. */
export async function compactCounts(db: Queries): Promise<number> {
  return (await db.one(row({ taken: integer }), sql`select compact_event_counts() as taken`)).taken;
}
