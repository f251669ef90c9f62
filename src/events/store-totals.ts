/**
 * Counts events without reading them, from sums, totals and days, exactly at both ends of the two years (decisions 0025, 0093,
 * 0119).
 */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { isAtLeast } from "../projects/role.ts";
import { isFiltered, isOfAllKinds, type SoughtQuery, spanOf } from "./filter.ts";
import { isOfKind, matches } from "./store-filter.ts";
import { hasManyRoles } from "./store-many-roles.ts";
import {
  authorOf,
  isKept,
  isOfAsker,
  isOfSubject,
  isOpen,
  isOwnMatter,
  mayBeSeen,
  ofSubject,
  places,
  rightsText,
  singlesOf,
} from "./store-visible.ts";
import { isOfProject, isWide } from "./subject.ts";
import { ceilDay, dayOf, floorDay } from "./utc-day.ts";

type Counted = Pick<SoughtQuery, "subject" | "asker" | "filter" | "isShared">;

/**
 * The number of events, as part of a statement that begins with `rightsAnd`; without the asker's own confidential ones, which
 * `ownTotalOf` counts.
 */
export function openTotalOf(query: Counted): Sql {
  const { filter } = query;
  // There are no counts by text.
  if (filter.search !== undefined) return countedOf(query, isOpen(query));
  if (!isFiltered(filter) && !isOfProject(query.subject)) return sumOf(query);
  return keptOf(query);
}

/** The number of all events of the list. */
export function totalOf(query: Counted): Sql {
  const { filter } = query;
  if (filter.search !== undefined) return countedOf(query, mayBeSeen(query));
  return mayOwn(query) ? sql`(${openTotalOf(query)} + ${ownTotalOf(query)})` : openTotalOf(query);
}

/** Whether the asker could see any events only as author or assignee. */
export function mayOwn({ asker, subject }: Counted): boolean {
  if (!asker || asker.isAdmin) return false;
  return subject.kind !== "project" || !isAtLeast(subject.access, "reporter");
}

/** Whether there is a confidential target of which the asker is author or assignee. */
export function ownsAny(query: Counted): Sql {
  if (!mayOwn(query)) return sql`false`;
  return sql`(exists (select from event_targets t where t.confidential and ${isOfAsker(query)}))`;
}

/** Counts the events one by one. */
function countedOf(query: Counted, isSeen: Sql): Sql {
  return sql`(select count(*) from events e ${places(query, query.filter)}
    where ${ofSubject(query)} and ${matches(query.filter)} and ${isKept(query)} and ${isSeen})`;
}

/**
 * The number of events of a list without filters: a few rows of sums, and the single projects in which the asker has a role of
 * their own.
 */
function sumOf(query: Counted): Sql {
  const { asker } = query;
  const author = authorOf(query);
  const totals = author ? sql`event_author_totals` : sql`event_project_totals`;
  const chosen = sql`${ofSubject(query)} and ${isOpen(query)}`;
  const single = sql`coalesce((select sum(e.n) from ${totals} e ${places(query)}
      where e.project_id = any (${singlesOf(query)}) and ${isOfSubject(query)} and ${isOpen(query)}
        and not (${isAround(query, sql`p.lineage`)} and ${isOpenByNamespace(query)})), 0)`;
  const sums = author
    ? sql`event_sums s join namespaces n on n.id = s.namespace_id cross join rights r
      where s.author_id = ${author} and ${isAround(query, sql`n.lineage`)}`
    : sumsAround(query);
  return sql`(coalesce((select sum(${seenOf(query)}) from ${sums}), 0)
    + ${asker && !asker.isAdmin ? single : query.subject.kind === "memberships" ? single : sql`0`}
    + ${waitingOf(query, chosen)})::bigint`;
}

const sumsAround = (query: Counted): Sql => aroundWith(query, sql`event_sums where author_id = 0 and`);

/**
 * Sums `s` by namespace `n`, only for the namespaces of the list: there may be thousands.
 * @param sums the table, and a condition that another one may follow
 */
function aroundWith(query: Counted, sums: Sql): Sql {
  return sql`(select n.id, n.lineage from namespaces n cross join rights r where ${isAround(query, sql`n.lineage`)} offset 0) n
    cross join lateral (select * from ${sums} namespace_id = n.id offset 0) s cross join rights r`;
}

/** Of sums `s` and their namespace `n`: how many of the events the asker may see by visibility and by roles in groups. */
function seenOf({ asker }: Counted): Sql {
  if (!asker) return sql`case when s.visibility = 'public' then s.n_open + s.n_code else 0 end`;
  return sql`case when ${asker.isAdmin}::boolean or n.lineage && r.n20
      then s.n_open + s.n_code + s.n_planner + s.n_reporter
    else case when s.visibility <> 'private' then s.n_open + s.n_code
        when n.lineage && r.n10 then s.n_open else 0 end
      + case when n.lineage && r.n15 then s.n_planner else 0 end end`;
}

/** Of a lineage: the condition of the subject, as far as it depends on namespaces. */
function isAround({ subject }: Counted, lineage: Sql): Sql {
  switch (subject.kind) {
    case "memberships":
      return sql`${lineage} && r.n10`;
    case "group":
      return sql`${lineage} @> array[${subject.groupId}::bigint]`;
    case "project":
    case "reference":
    case "author":
    case "person":
      return sql`true`;
  }
}

/** Like `isOpen`, without roles in single projects. */
function isOpenByNamespace({ asker }: Counted): Sql {
  return sql`(${asker?.isAdmin ?? false}::boolean
    or p.visibility <> 'private' and e.cap <= 'snippet'
    or p.lineage && r.n20
    or e.cap in ('project', 'issue', 'milestone', 'wiki', 'snippet') and p.lineage && r.n10
    or e.cap in ('confidential', 'internal') and p.lineage && r.n15)`;
}

/** Counts that are not in the sums and totals yet, less events in them that are no longer shown. */
function waitingOf(query: Counted, chosen: Sql): Sql {
  const author = authorOf(query);
  const quick = author ? sql`author_id = ${author}` : sql`true`;
  const kinds = sql`project_id, author_id, action, target_type, cap`;
  return sql`coalesce((select sum(e.n) from (
        select ${kinds}, n from event_deltas where ${quick} and day >= event_edge()
        union all select ${kinds}, -n from event_days where ${quick}
          and (select day from event_totals_since) < event_edge()
          and day >= (select day from event_totals_since) and day < event_edge()
        union all ${cutOf(query)}
        union all select ${kinds}, -1 from ${overdueOf(query)}) e ${places(query, query.filter)}
      where ${chosen}), 0)`;
}

/** Events of the first day that are older than two years, to be subtracted. */
function cutOf(query: Counted): Sql {
  const author = authorOf(query);
  const project = isOfProject(query.subject) ? sql`(select id from place)` : sql`null`;
  const cut = sql`select project_id, author_id, action, target_type, cap, -1 from cut_events(${author ?? sql`null`}, ${project})`;
  if (!author && !isOfProject(query.subject)) return cut;
  const of = author ? sql`author_id = ${author}` : sql`project_id = (select id from place)`;
  return sql`${cut} where exists (select from event_days where day = event_edge() and ${of})
    or exists (select from event_deltas where day = event_edge() and ${of})`;
}

/** Events that their projects no longer keep and no sweep has removed yet, to be subtracted (decision 0119). */
export function overdueOf(query: Counted): Sql {
  const project = isOfProject(query.subject) ? sql`(select id from place)` : sql`null`;
  const isAny = isOfProject(query.subject)
    ? sql`(select kept_from from place) > '-infinity'`
    : sql`(select min(event_retention_days) from projects) is not null`;
  return sql`(select * from overdue_events(${authorOf(query) ?? sql`null`}, ${project}) where ${isAny}) overdue`;
}

/**
 * The number for a project, or with filters: totals by project, author and kind, or counts of whole days and the events of
 * partial days.
 */
function keptOf(query: Counted): Sql {
  const { filter } = query;
  const chosen = sql`${ofSubject(query)} and ${isOfKind(filter)} and ${isOpen(query)}`;
  const { from, to } = spanOf(filter);
  const joined = places(query, filter);
  if (!from && !to) {
    const totals = isOfPeople(query) ? sql`event_author_totals` : sql`event_project_totals`;
    return sql`(coalesce((select sum(e.n) from ${totals} e ${joined} where ${chosen}), 0)
      + ${waitingOf(query, chosen)})::bigint`;
  }
  const first = from && ceilDay(from);
  const last = to && floorDay(to);
  if (first && last && first > last) return countedOf(query, isOpen(query));
  const [since, until] = [first ? dayOf(first) : null, last ? dayOf(last) : null];
  const days = sql`e.day >= greatest(event_edge(), ${since}::date) and e.day < coalesce(${until}::date, 'infinity')`;
  const begun = [
    ...(from && first && from < first ? [begunOf(query, from, first)] : []),
    ...(to && last && last < to ? [begunOf(query, last, to)] : []),
  ];
  const counted =
    isWide(query.subject) && isOfAllKinds(filter)
      ? sql`(${sumsOfDays(query)}) e where ${days}`
      : sql`${daysOf(query)} e ${joined} where ${chosen} and ${days}`;
  return sql`(coalesce((select sum(e.n) from ${counted}), 0)
    + coalesce((select sum(e.n) from event_deltas e ${joined} where ${chosen} and ${days}), 0)
    + coalesce((select sum(e.n) from (${cutOf(query)}) e (project_id, author_id, action, target_type, cap, n)
        ${joined} where ${chosen} and event_edge() >= coalesce(${since}::date, '-infinity')
          and event_edge() < coalesce(${until}::date, 'infinity')), 0)
    - (select count(*) from (select * from ${overdueOf(query)}) e ${joined} where ${chosen} and ${days})
    + ${joinSql(begun, " + ", "0")})::bigint`;
}

/** The table of counts by day for the list: without people (decision 0189) if it asks for none. */
export function daysOf(query: Counted): Sql {
  return isOfPeople(query) ? sql`event_days` : sql`event_project_days`;
}

/**
 * For many projects and all kinds of events: rows of `day` and `n`, of what the asker may see by visibility and roles in groups,
 * and of single projects in which they have a role of their own.
 */
export function sumsOfDays(query: Counted): Sql {
  return sql`select s.day, ${seenOf(query)} as n from ${aroundWith(query, sql`event_day_sums where`)}
    union all select e.day, e.n from event_project_days e ${places(query)}
      where e.project_id = any (${singlesOf(query)}) and ${isOfSubject(query)} and ${isOpen(query)}
        and not (${isAround(query, sql`p.lineage`)} and ${isOpenByNamespace(query)})`;
}

/** Whether the counts must be by person. */
function isOfPeople(query: Counted): boolean {
  const { authorIds, authorNames, notAuthorIds, notAuthorNames } = query.filter;
  const names = authorIds ?? authorNames ?? notAuthorIds ?? notAuthorNames;
  return authorOf(query) !== undefined || names !== undefined;
}

/** Counts the events of the partial day in which a filter begins or ends. */
function begunOf(query: Counted, from: Date, to: Date): Sql {
  const { before: _, after: __, ...filter } = query.filter;
  return countedOf({ ...query, filter: { ...filter, from, to } }, isOpen(query));
}

/** The asker's own confidential events are few and found by their targets. */
function ownTotalOf(query: Counted): Sql {
  return sql`(select count(*) from event_targets t join events e on e.target_ref = t.id ${places(query, query.filter)}
    where t.confidential and ${isOfAsker(query)} and ${ofSubject(query)} and ${matches(query.filter)}
      and ${isKept(query)} and not ${isOpen(query)} and ${isOwnMatter(query)})`;
}

/**
 * A version that changes whenever the list does: how often its events changed, how often anything else did that lists show, and
 * the asker's rights. It never returns to an earlier value (decision 0094).
 */
export function versionOf(query: Counted): Sql {
  const world = sql`coalesce((select changes from event_versions where id = 0), 0)
    + (select count(*) from event_deltas where project_id = 0)`;
  return sql`(${changesOf(query)})::text || ' ' || (${world})::text || ' ' || ${rightsText(query)}`;
}

function changesOf(query: Counted): Sql {
  const author = authorOf(query);
  if (author) {
    return sql`coalesce((select changes from event_versions where id = -${author}), 0)
      + (select count(*) from event_deltas where author_id = ${author})`;
  }
  if (isOfProject(query.subject)) {
    return sql`coalesce((select changes from event_versions where id = (select id from place)), 0)
      + (select count(*) from event_deltas where project_id = (select id from place))`;
  }
  const around = sql`coalesce((select sum(changes) from ${sumsAround(query)}), 0)`;
  const waiting = sql`event_deltas e ${places(query)} where ${ofSubject(query)}`;
  if (query.subject.kind !== "memberships") return sql`${around} + (select count(*) from ${waiting})`;
  // In a project where the asker has a role of their own and one by its group, changes count twice, before compaction as after
  // it: so compaction does not change the sum, and no project has to be looked up.
  return sql`${around}
    + coalesce((select sum(changes) from event_versions where id = any (${singlesOf(query)})), 0)
    + coalesce((select sum((p.lineage && r.n10)::integer + (${hasOwnRole(query)})::integer) from ${waiting}), 0)`;
}

const hasOwnRole = ({ asker }: Counted) =>
  hasManyRoles(asker) ? sql`p.id <@ (select r10 from singles)` : sql`p.id = any (r.p10)`;

/** Rows that are compacted in one statement, which takes a small machine a few seconds. */
export const COUNTED_AT_ONCE = 50_000;

/** Adds some appended counts to the days and totals; returns how many rows it added: fewer than `most`, none is left. */
export async function compactCounts(db: Queries, most = COUNTED_AT_ONCE): Promise<number> {
  const { taken } = await db.one(
    row({ taken: integer }),
    sql`select compact_event_counts(${most}::bigint) as taken`,
  );
  return taken;
}
