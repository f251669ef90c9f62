/** Statements that list and count alerts; with a million alerts, none reads more than its page shows. */
import type { Db, Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { ALERT_STATUSES, type Alert, AlertRow, type AlertStatus } from "./alert.ts";
import { SEVERITIES, type Severity } from "./severity.ts";
import { alertColumns, bareColumns, namesOfAlert } from "./store.ts";
import { rankOf } from "./store-severities.ts";
import { WAITING } from "./store-statuses.ts";

export const ALERT_SORTS = [
  "started_at",
  "ended_at",
  "created_at",
  "updated_at",
  "event_count",
  "severity",
  "status",
] as const;
export type AlertSort = (typeof ALERT_SORTS)[number];

export interface AlertFilter {
  statuses?: readonly AlertStatus[] | undefined;
  severities?: readonly Severity[] | undefined;
  environment?: string | undefined;
  integrationId?: number | undefined;
  search?: string | undefined;
  /** Whether a silence covers it, or did until it was resolved. */
  silenced?: boolean | undefined;
  includeTest?: boolean | undefined;
  /** Only those with these iids. */
  iids?: readonly number[] | undefined;
  /** Only those assigned to one of these usernames, in any case. */
  assignees?: readonly string[] | undefined;
}

export interface AlertOrder {
  by: AlertSort;
  descending: boolean;
}

/** Returns the conditions other than project, status and severity. */
function otherConditions(projectId: number, filter: AlertFilter): Sql[] {
  const all: Sql[] = [];
  if (!filter.includeTest) all.push(sql`not a.test`);
  if (filter.environment !== undefined) {
    all.push(
      sql`a.environment_id = (select id from environments where project_id = ${projectId} and name = ${filter.environment})`,
    );
  }
  if (filter.integrationId !== undefined) all.push(sql`a.integration_id = ${filter.integrationId}`);
  if (filter.silenced !== undefined) {
    all.push(filter.silenced ? sql`a.silence_id is not null` : sql`a.silence_id is null`);
  }
  if (filter.iids?.length) all.push(sql`a.iid = any (${filter.iids}::bigint[])`);
  if (filter.assignees?.length) all.push(sql`a.id = any (${assignedTo(filter.assignees)})`);
  if (filter.search) all.push(hasWords(filter.search));
  return all;
}

/** Whether an alert `a` contains these words, in any case. Lines part the members, so that words are not found across two. */
export function hasWords(search: string): Sql {
  return sql`strpos(lower(concat_ws(chr(10), a.title, a.description, a.service, a.monitoring_tool, a.fingerprint_given,
    array_to_string(a.hosts, chr(10)))), lower(${search})) > 0`;
}

/** A subquery that is evaluated first, as an array: few alerts have assignees. */
function assignedTo(usernames: readonly string[]): Sql {
  return sql`array(select aa.alert_id from alert_assignees aa join users u on u.id = aa.user_id
    where lower(u.username) = any (${usernames.map((name) => name.toLowerCase())}::text[]))`;
}

/** Whether the filter names so few alerts that they are best looked up directly, not in the order of an index. */
function namesFew({ iids, assignees }: AlertFilter): boolean {
  return Boolean(iids?.length || assignees?.length);
}

/** Returns the statuses without duplicates, since each is read by itself. */
function statusesOf({ statuses }: AlertFilter): readonly AlertStatus[] {
  return statuses?.length ? [...new Set(statuses)] : ALERT_STATUSES;
}

function severitiesOf({ severities }: AlertFilter): readonly Severity[] {
  return severities?.length ? [...new Set(severities)] : SEVERITIES;
}

/** How many alerts a search reads, the newest first: no index supports substrings (decision 0091). */
const SEARCHED_ALERTS = 50_000;

/** Returns the alerts to which a filter is applied. */
function searchable(projectId: number, { search }: AlertFilter): Sql {
  if (!search) return sql`alerts`;
  return sql`(select * from alerts where project_id = ${projectId} order by iid desc limit ${SEARCHED_ALERTS})`;
}

/** Returns the conditions of a filter on an alert `a`. */
export function conditions(projectId: number, filter: AlertFilter): Sql {
  const all: Sql[] = [sql`a.project_id = ${projectId}`];
  if (filter.statuses?.length) all.push(sql`a.status = any (${filter.statuses}::text[])`);
  if (filter.severities?.length) all.push(sql`a.severity = any (${filter.severities}::text[])`);
  return joinSql([...all, ...otherConditions(projectId, filter)], " and ");
}

/** Sort keys that are constant within each status and severity, where the rows are read in the order of an index by start. */
const RANKS: Readonly<Partial<Record<AlertSort, Sql>>> = {
  // Most critical first is "descending" (contract-alerts, list).
  severity: sql`-${rankOf(sql`a.severity`)}`,
  status: sql`-array_position(${ALERT_STATUSES}::text[], a.status)`,
};

const COLUMNS: Readonly<Partial<Record<AlertSort, Sql>>> = {
  // Iids are assigned in the order of creation.
  created_at: sql`a.iid`,
  updated_at: sql`a.updated_at`,
  event_count: sql`a.events`,
};

/** All columns that alerts can be ordered by. */
const ordering = sql`a.id, a.iid, a.status, a.severity, a.events, a.started_at, a.ended_at, a.updated_at`;

/** Lists one page of a project's alerts; `isBare`: without payloads, which may otherwise be missing too if they are large. */
export function listAlerts(
  db: Queries,
  projectId: number,
  filter: AlertFilter,
  order: AlertOrder,
  page: { limit: number; offset: number; isBare?: boolean },
): Promise<Alert[]> {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const within = order.by === "ended_at" ? sql`a.ended_at ${direction} nulls last,` : sql``;
  const leading = RANKS[order.by] ?? COLUMNS[order.by];
  const byStart = COLUMNS[order.by] ? sql`` : sql`a.started_at ${direction},`;
  const sorted = sql`order by ${within} ${leading ? sql`${leading} ${direction},` : sql``} ${byStart} a.id ${direction}`;
  return db.many(
    AlertRow,
    sql`select ${page.isBare ? bareColumns : alertColumns} from (
        select a.id from (${candidates(projectId, filter, order, page.limit + page.offset)}) a
        ${sorted} limit ${page.limit} offset ${page.offset}
      ) chosen cross join lateral (select * from alerts where id = chosen.id offset 0) a ${namesOfAlert} ${sorted}`,
  );
}

/** Returns a query for at least the first `many` alerts in an order, with the columns to sort by. */
function candidates(projectId: number, filter: AlertFilter, order: AlertOrder, many: number): Sql {
  const direction = order.descending ? sql`desc` : sql`asc`;
  const statuses = statusesOf(filter);
  if (filter.search || namesFew(filter)) {
    return sql`select ${ordering} from ${searchable(projectId, filter)} a where ${conditions(projectId, filter)}`;
  }
  if (order.by === "created_at") {
    return sql`select ${ordering} from alerts a where ${conditions(projectId, filter)}
      order by a.iid ${direction} limit ${many}`;
  }
  const column = COLUMNS[order.by];
  if (column)
    return firstOfEachStatus(projectId, filter, sql`${column} ${direction}, a.id ${direction}`, many);
  if (order.by !== "ended_at") return firstOfEach(projectId, filter, statuses, direction, many);
  const open = statuses.filter((status) => status !== "resolved");
  const unended = firstOfEach(projectId, filter, open, direction, many);
  if (open.length === statuses.length) return unended;
  return sql`(select ${ordering} from alerts a where ${conditions(projectId, filter)} and a.ended_at is not null
      order by a.ended_at ${direction}, a.id ${direction} limit ${many})
    union all (${unended})`;
}

function firstOfEachStatus(projectId: number, filter: AlertFilter, order: Sql, many: number): Sql {
  const others = otherConditions(projectId, filter);
  if (filter.severities?.length) others.push(sql`a.severity = any (${filter.severities}::text[])`);
  return sql`select ${ordering} from unnest(${statusesOf(filter)}::text[]) as of_status (name)
    cross join lateral (
      select ${ordering} from alerts a where a.project_id = ${projectId} and a.status = of_status.name
        and ${joinSql(others, " and ")}
      order by ${order} limit ${many}
    ) a`;
}

function firstOfEach(
  projectId: number,
  filter: AlertFilter,
  statuses: readonly AlertStatus[],
  direction: Sql,
  many: number,
): Sql {
  const others = otherConditions(projectId, filter);
  return sql`select ${ordering} from unnest(${statuses}::text[]) as of_status (name)
    cross join unnest(${severitiesOf(filter)}::text[]) as of_severity (name)
    cross join lateral (
      select ${ordering} from alerts a
      where a.project_id = ${projectId} and a.status = of_status.name and a.severity = of_severity.name
        and ${joinSql(others, " and ")}
      order by a.started_at ${direction}, a.id ${direction} limit ${many}
    ) a`;
}

/** Whether the maintained counts by status and severity suffice; the few silenced alerts are counted by an index. */
function isCounted(filter: AlertFilter): boolean {
  const { environment, integrationId, search, silenced } = filter;
  const isAny = environment === undefined && integrationId === undefined && !namesFew(filter);
  return isAny && !search && silenced !== true;
}

/** Returns the silenced alerts, to be subtracted from the counts of all. */
function silencedOnes(projectId: number, filter: AlertFilter): Sql {
  return sql`alerts a where ${conditions(projectId, { ...filter, silenced: true, includeTest: false })}`;
}

/** Reads beyond this offset use `db.pooled`: the rows before a page are read up to 24 times. */
const NEAR = 1000;

/**
 * Returns the connections for a read of these alerts: one without an index may take a second, and must not delay other
 * statements.
 */
export function queriesFor(db: Db, filter: AlertFilter, offset = 0): Queries {
  if (filter.search) return db.searching;
  return isCounted(filter) && offset <= NEAR ? db : db.pooled;
}

/** Returns a query for the number of alerts that match a filter, as rows of `status, n` to be added up. */
function countsOf(projectId: number, filter: AlertFilter): Sql {
  const matching = conditions(projectId, filter);
  if (!isCounted(filter)) {
    return sql`select a.status, count(*) as n from ${searchable(projectId, filter)} a where ${matching} group by a.status`;
  }
  const parts = [
    sql`select c.status, c.n from alert_counts c where c.project_id = ${projectId}
      and c.status = any (${statusesOf(filter)}::text[]) and c.severity = any (${severitiesOf(filter)}::text[])`,
  ];
  if (filter.silenced === false) {
    parts.push(sql`select a.status, -count(*) from ${silencedOnes(projectId, filter)} group by a.status`);
  }
  if (filter.includeTest) {
    parts.push(sql`select a.status, count(*) from alerts a where ${matching} and a.test group by a.status`);
  }
  return joinSql(parts, " union all ");
}

/** Counts the alerts that match a filter. */
export async function countAlerts(db: Queries, projectId: number, filter: AlertFilter): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select coalesce(sum(n), 0)::bigint as n from (${countsOf(projectId, filter)}) counts`,
  );
  return n;
}

export const CountsRow = row({
  open: integer,
  triggered: integer,
  acknowledged: integer,
  resolved: integer,
  ignored: integer,
  all: integer,
});

/** Counts the alerts that match a filter by status; test alerts are never counted. */
export function countByStatus(db: Queries, projectId: number, filter: AlertFilter = {}) {
  return db.one(
    CountsRow,
    sql`select coalesce(sum(n) filter (where status in ${WAITING}), 0)::bigint as open,
        coalesce(sum(n) filter (where status = 'triggered'), 0)::bigint as triggered,
        coalesce(sum(n) filter (where status = 'acknowledged'), 0)::bigint as acknowledged,
        coalesce(sum(n) filter (where status = 'resolved'), 0)::bigint as resolved,
        coalesce(sum(n) filter (where status = 'ignored'), 0)::bigint as ignored, coalesce(sum(n), 0)::bigint as "all"
      from (${countsOf(projectId, { ...filter, includeTest: false })}) counts`,
  );
}
