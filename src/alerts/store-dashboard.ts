/** The statements behind the start page and the page of all open alerts: those of all projects of one person. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { SEVERITIES, type Severity } from "./severity.ts";
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

const UrgentAlertRow = row({ ...ShownAlertRow.columns, total: integer });
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
}

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
      select a.iid, a.title, a.severity, a.status, a.service, a.events, a.last_seen_at, a.name as project_name,
        a.full_path as project_full_path,
        (select count(*) from alert_assignees g where g.alert_id = a.id and g.user_id = ${userId}) as assigned_to_viewer,
        a.silence_id is not null as silenced, a.total
      from (${filter.assigned ? ofAssigned(userId, filter, page) : ofWaiting(page)}) a ${MOST_URGENT_FIRST}`,
  );
}

const UrgentCountsRow = row({ projects: integer, triggered: integer, acknowledged: integer });
export type UrgentCounts = RowOf<typeof UrgentCountsRow>;

/** Counts the same alerts by status, and the projects that may have some. */
export function countUrgentAlerts(
  db: Queries,
  userId: number,
  { severity, assigned }: Omit<UrgentFilter, "status">,
): Promise<UrgentCounts> {
  const counts = assigned
    ? sql`select a.status, 1 as n ${assignedTo(userId, { severity })}`
    : sql`select status, n from waiting`;
  return db.one(
    UrgentCountsRow,
    sql`with ${mineOf(userId)}${assigned ? sql`` : sql`, ${waitingOf({ severity })}`}
      select (select count(*) from mine) as projects,
        coalesce(sum(n) filter (where status = 'triggered'), 0)::bigint as triggered,
        coalesce(sum(n) filter (where status = 'acknowledged'), 0)::bigint as acknowledged
      from (${counts}) counts`,
  );
}

const MOST_URGENT_FIRST = sql`order by ${rankOf(sql`a.severity`)}, a.started_at desc, a.id desc`;

const mineOf = (userId: number): Sql => sql`mine as materialized (
  select p.id, p.name, p.full_path from project_roles r join projects p on p.id = r.project_id
  where r.user_id = ${userId} and r.access_level >= 30 and not p.archived)`;

/** Returns the conditions on an alert, or a count of alerts, `a`. */
function conditions({ status, severity }: UrgentKind): Sql {
  const all = [status ? sql`a.status = ${status}` : sql`a.status in ${WAITING}`];
  if (severity) all.push(sql`a.severity = ${severity}`);
  return joinSql(all, " and ");
}

/** The ids of the assigned alerts are looked up first, as an array, so that no other alerts are read. */
const assignedTo = (userId: number, filter: UrgentKind): Sql => sql`
  from alerts a join mine on mine.id = a.project_id
  where a.id = any (array(select g.alert_id from alert_assignees g where g.user_id = ${userId}))
    and ${conditions(filter)} and not a.test`;

const ofAssigned = (userId: number, filter: UrgentFilter, { limit, offset }: Page): Sql => sql`
  select a.*, mine.name, mine.full_path, count(*) over () as total ${assignedTo(userId, filter)}
  ${MOST_URGENT_FIRST} limit ${limit} offset ${offset}`;

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
  ${MOST_URGENT_FIRST} limit ${limit} offset ${offset}::bigint - (select min(before) from needed)`;
