/** The statements behind the start page and the page of all open alerts: those of all projects of one person. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { SEVERITIES, type Severity } from "./severity.ts";
import { hasWords } from "./store-lists.ts";
import { rankOf } from "./store-severities.ts";
import { WAITING } from "./store-statuses.ts";

export const ShownAlertRow = row({
  iid: integer,
  title: text,
  severity: oneOf(SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  service: nullable(text),
  events: integer,
  lastSeenAt: instant,
  projectName: text,
  projectFullPath: text,
  assignedToViewer: integer,
  silenced: boolean,
});
/** An alert of any project, as short lists show it. */
export type ShownAlert = RowOf<typeof ShownAlertRow>;

const UrgentAlertRow = row({ ...ShownAlertRow.columns, startedAt: instant, total: integer });
export type UrgentAlert = RowOf<typeof UrgentAlertRow>;

/** The statuses of alerts that need attention. */
export const URGENT_STATUSES = ["triggered", "acknowledged"] as const;
export type UrgentStatus = (typeof URGENT_STATUSES)[number];

interface UrgentKind {
  status?: UrgentStatus | undefined;
  severity?: Severity | undefined;
}

export interface UrgentFilter extends UrgentKind {
  /** Only those assigned to the person. */
  assigned: boolean;
  /** Only those that contain these words. */
  words?: string | undefined;
}

/** How many alerts a search reads: as many as that of everything (decisions 0192, 0290). */
export const SEARCHED_OPEN = 20_000;

interface Page {
  limit: number;
  offset: number;
}

/**
 * Lists the triggered and acknowledged alerts of projects in which the person is at least Developer and that are not archived,
 * the most critical first, then the newest; `total` is the number of all that match.
 */
export function listUrgentAlerts(
  db: Queries,
  userId: number,
  filter: UrgentFilter,
  page: Page,
): Promise<UrgentAlert[]> {
  return db.many(
    UrgentAlertRow,
    sql`with ${mineOf(userId)}${filter.assigned ? sql`` : sql`, ${waitingOf(filter)}, ${neededFor(page)}`}
      select a.iid, a.title, a.severity, a.status, a.service, a.events, a.started_at, a.last_seen_at, a.name as project_name,
        a.full_path as project_full_path,
        (select count(*) from alert_assignees g where g.alert_id = a.id and g.user_id = ${userId}) as assigned_to_viewer,
        a.silence_id is not null as silenced, a.total
      from (${pageOf(userId, filter, page)}) a ${MAX_URGENT_FIRST}`,
  );
}

const UrgentCountsRow = row({
  projects: integer,
  triggered: integer,
  acknowledged: integer,
  searchable: integer,
});
export type UrgentCounts = RowOf<typeof UrgentCountsRow>;

/** Counts the same alerts by status, the projects that may have some, and the alerts that a search would have to read. */
export function countUrgentAlerts(
  db: Queries,
  userId: number,
  { severity, assigned, words }: Omit<UrgentFilter, "status">,
): Promise<UrgentCounts> {
  const found = assigned ? assignedTo(userId, { severity, words }) : words && withWords(words);
  const counts = found ? sql`select a.status, 1 as n ${found}` : sql`select status, n from waiting`;
  return db.one(
    UrgentCountsRow,
    sql`with ${mineOf(userId)}${assigned ? sql`` : sql`, ${waitingOf({ severity })}`}
      select (select count(*) from mine) as projects,
        coalesce(sum(n) filter (where status = 'triggered'), 0)::bigint as triggered,
        coalesce(sum(n) filter (where status = 'acknowledged'), 0)::bigint as acknowledged,
        ${assigned ? sql`0` : sql`(select coalesce(sum(n), 0)::bigint from waiting)`} as searchable
      from (${counts}) counts`,
  );
}

const UrgentProjectRow = row({
  name: text,
  fullPath: text,
  critical: integer,
  high: integer,
  open: integer,
  projects: integer,
});
/** A project with open alerts; `projects` is the number of all such projects. */
export type UrgentProject = RowOf<typeof UrgentProjectRow>;

/** Lists the projects of these alerts: those with the most critical ones first, then those with the most. */
export function listUrgentProjects(
  db: Queries,
  userId: number,
  filter: UrgentKind,
  limit: number,
): Promise<UrgentProject[]> {
  return db.many(
    UrgentProjectRow,
    sql`with ${mineOf(userId)}, ${waitingOf(filter)}
      select name, full_path, coalesce(sum(n) filter (where severity = 'critical'), 0)::bigint as critical,
        coalesce(sum(n) filter (where severity = 'high'), 0)::bigint as high, sum(n)::bigint as open,
        count(*) over () as projects
      from waiting group by id, name, full_path order by critical desc, open desc, full_path limit ${limit}`,
  );
}

const MAX_URGENT_FIRST = sql`order by ${rankOf(sql`a.severity`)}, a.started_at desc, a.id desc`;

const mineOf = (userId: number): Sql => sql`mine as materialized (
  select p.id, p.name, p.full_path from project_roles r join projects p on p.id = r.project_id
  where r.user_id = ${userId} and r.access_level >= 30 and not p.archived)`;

/** Returns the conditions on an alert, or a count of alerts, `a`. */
function conditions({ status, severity }: UrgentKind): Sql {
  const all = [status ? sql`a.status = ${status}` : sql`a.status in ${WAITING}`];
  if (severity) all.push(sql`a.severity = ${severity}`);
  return joinSql(all, " and ");
}

/** Returns the alerts of a page, with the name and path of their projects. */
function pageOf(userId: number, filter: UrgentFilter, page: Page): Sql {
  if (!filter.assigned && !filter.words) return ofWaiting(page);
  const place = filter.assigned ? sql`mine` : sql`w`;
  const found = filter.assigned ? assignedTo(userId, filter) : withWords(filter.words ?? "");
  return sql`select a.*, ${place}.name, ${place}.full_path, count(*) over () as total ${found}
    ${MAX_URGENT_FIRST} limit ${page.limit} offset ${page.offset}`;
}

/** The ids of the assigned alerts are looked up first, as an array, so that no other alerts are read. */
const assignedTo = (userId: number, filter: UrgentKind & Pick<UrgentFilter, "words">): Sql => sql`
  from alerts a join mine on mine.id = a.project_id
  where a.id = any (array(select g.alert_id from alert_assignees g where g.user_id = ${userId}))
    and ${conditions(filter)} and not a.test ${filter.words ? sql`and ${hasWords(filter.words)}` : sql``}`;

/**
 * Of the alerts that wait, those that contain the words. If there are more than a search reads, these are the newest of each
 * project, status and severity, an equal share.
 */
const withWords = (words: string): Sql => sql`
  from waiting w cross join lateral (
    select * from alerts a
    where a.project_id = w.id and a.status = w.status and a.severity = w.severity and not a.test
    order by a.started_at desc, a.id desc
    limit (select case when sum(n) <= ${SEARCHED_OPEN}::integer then ${SEARCHED_OPEN}::integer
      else greatest(1, ${SEARCHED_OPEN}::integer / count(*)) end from waiting)) a
  where ${hasWords(words)}`;

/** How many alerts each project has of each status and severity. */
const waitingOf = (filter: UrgentKind): Sql => sql`waiting as materialized (
  select mine.*, a.status, a.severity, a.n from mine join alert_counts a on a.project_id = mine.id
  where ${conditions(filter)} and a.n > 0)`;

/**
 * The severities that have rows on the page: `before` is the number of alerts listed before each, and its first `many` alerts are
 * needed. `since` bounds how far back these reach: it is the start of the `many`th newest alert among an equal share of the newest
 * of each project and status, so at least `many` alerts started since then.
 */
const neededFor = ({ limit, offset }: Page): Sql => sql`levels as materialized (
    select severity, sum(n)::bigint as n, count(*) as parts,
      (sum(sum(n)) over (order by ${rankOf(sql`severity`)}) - sum(n))::bigint as before
    from waiting group by severity
  ), shown as materialized (
    select severity, parts, before, least(n, ${limit + offset}::bigint - before) as many from levels
    where before < ${limit + offset}::bigint and before + n > ${offset}::bigint
  ), shares as materialized (
    select w.severity, s.started_at, row_number() over (partition by w.severity order by s.started_at desc) as place
    from shown join waiting w on w.severity = shown.severity cross join lateral (
      select a.started_at from alerts a
      where a.project_id = w.id and a.status = w.status and a.severity = w.severity and not a.test
      order by a.started_at desc, a.id desc limit (shown.many + shown.parts - 1) / shown.parts) s
  ), needed as materialized (
    select shown.severity, before, many, s.started_at as since
    from shown left join shares s on s.severity = shown.severity and s.place = many)`;

const ofWaiting = ({ limit, offset }: Page): Sql => sql`
  select a.*, w.name, w.full_path, (select sum(n) from waiting)::bigint as total
  from needed d join waiting w on w.severity = d.severity cross join lateral (
    select * from alerts a
    where a.project_id = w.id and a.status = w.status and a.severity = w.severity and not a.test
      and a.started_at >= coalesce(d.since, '-infinity')
    order by a.started_at desc, a.id desc limit d.many) a
  ${MAX_URGENT_FIRST} limit ${limit} offset ${offset}::bigint - (select min(before) from needed)`;
