/** Statements by which a batch of deliveries becomes alerts; each takes many rows at once. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { AlertReport } from "./report.ts";

/** Serialises everything that changes alerts of these projects until the transaction ends. */
export async function lockAlerts(db: Queries, projectIds: readonly number[]): Promise<void> {
  // Sorted, so that two batches over the same projects cannot wait for each other.
  const keys = [...new Set(projectIds)].sort((a, b) => a - b).map((id) => `alerts of ${id}`);
  await db.run(
    sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${keys}::text[]) as name`,
  );
}

/**
 * An alert `a` of the project and fingerprint of the input row `i`. Adding 0 keeps the planner from the indexes that
 * begin with the project: a plan made while the table was young would read all alerts of a project from then on.
 */
const sameAlert = sql`a.fingerprint_hash = decode(i.hash, 'hex') and a.project_id + 0 = i."projectId"`;

/** Of these fingerprints, the `ord` of those that have an open alert to be counted on. */
export async function findOpenAlerts(
  db: Queries,
  keys: readonly { ord: number; projectId: number; hash: string }[],
): Promise<Set<number>> {
  const found = await db.many(
    row({ ord: integer }),
    sql`select i.ord from json_to_recordset(${json(keys)}::json) as i (ord integer, "projectId" bigint, hash text)
      where (select a.id from alerts a where ${sameAlert} and a.status <> 'resolved' and a.grouped and not a.test)
        is not null`,
  );
  return new Set(found.map(({ ord }) => ord));
}

/** Firings of one fingerprint in one project, merged, as the alert they open if there is none. */
export interface AlertDraft {
  projectId: number;
  /** Undefined: there is an open alert, so no number was taken. */
  iid: number | undefined;
  /** Null: it opens no incident. */
  incidentIid: number | null;
  incidentTitle: string;
  incidentBody: string;
  authorId: number | null;
  integrationId: number | null;
  hash: string;
  version: number;
  given: string | null;
  grouped: boolean;
  /** Of counting `each`: the number of firings; of `starts`: of distinct starts. */
  events: number;
  deliveries: number;
  starts: string[];
  startedAt: string | null;
  /** The start that the newest of them brought. */
  startGiven: string | null;
  title: string;
  description: string | null;
  severity: AlertReport["severity"];
  service: string | null;
  tool: string | null;
  runbook: string | null;
  hosts: string[];
  environment: string | null;
  payload: unknown;
  first: unknown;
  test: boolean;
}

export const TouchedRow = row({
  id: integer,
  projectId: integer,
  iid: integer,
  hash: text,
  title: text,
  incidentId: nullable(integer),
  created: boolean,
});
export type Touched = RowOf<typeof TouchedRow>;

/**
 * Opens alerts with their incidents, or counts on the open ones: the unique index of open alerts decides which (spec:
 * States 2, 3). A draft without a number must meet one; if it did not, the row would come back with a number below 1.
 */
export function upsertAlerts(db: Queries, drafts: readonly AlertDraft[]): Promise<Touched[]> {
  return db.many(
    TouchedRow,
    sql`with i as materialized (
        select *, case when "incidentIid" is not null then nextval('incidents_id_seq') end as incident_id
        from json_to_recordset(${json(drafts.map((draft, ord) => ({ ord, ...draft })))}::json) as i (ord integer,
          "projectId" bigint, iid bigint, "incidentIid" bigint, "incidentTitle" text, "incidentBody" text,
          "authorId" bigint, "integrationId" bigint, hash text, version smallint, given text, grouped boolean,
          events bigint, deliveries bigint, starts timestamptz(3)[], "startedAt" timestamptz(3),
          "startGiven" timestamptz(3), title text, description text, severity text, service text, tool text,
          runbook text, hosts text[], environment text, payload json, first json, test boolean)
      ), n as (
        insert into incidents (id, project_id, iid, title, description, severity, author_id)
        overriding system value
        select incident_id, "projectId", "incidentIid", "incidentTitle", "incidentBody", severity, "authorId" from i
        where incident_id is not null
      )
      insert into alerts as a (project_id, iid, integration_id, environment_id, incident_id, title, description,
        severity, service, monitoring_tool, runbook_url, hosts, fingerprint_hash, fingerprint_version,
        fingerprint_given, grouped, events, deliveries, occurrence_starts, started_at, last_start_given, payload,
        first_payload, test, recurrence_of)
      select i."projectId", coalesce(i.iid, -i.ord), i."integrationId",
        (select e.id from environments e where e.project_id = i."projectId" and e.name = i.environment),
        i.incident_id, i.title, i.description, i.severity, i.service, i.tool, i.runbook, i.hosts,
        decode(i.hash, 'hex'), i.version, i.given, i.grouped, i.events, i.deliveries, i.starts,
        coalesce(i."startedAt", now()), i."startGiven", i.payload, i.first, i.test,
        case when i.iid is not null and not i.test then (select max(a.id) from alerts a
          where ${sameAlert} and not a.test) end
      from i order by i.ord
      on conflict (project_id, fingerprint_hash) where status <> 'resolved' and grouped and not test
      do update set
        events = a.events + case when excluded.occurrence_starts = '{}' then excluded.events
          else (select count(*) from unnest(excluded.occurrence_starts) s where s <> all (a.occurrence_starts)) end,
        deliveries = a.deliveries + excluded.deliveries,
        occurrence_starts = (a.occurrence_starts || array(
          select s from unnest(excluded.occurrence_starts) s where s <> all (a.occurrence_starts)))[1:1000],
        hosts = (a.hosts || array(select h from unnest(excluded.hosts) h where h <> all (a.hosts)))[1:1000],
        last_start_given = excluded.last_start_given, payload = excluded.payload, last_seen_at = now(),
        updated_at = now()
      returning a.id, a.project_id, a.iid, encode(a.fingerprint_hash, 'hex') as hash, a.title, a.incident_id,
        a.xmax = 0 as created`,
  );
}

export interface RecoveryRow {
  ord: number;
  projectId: number;
  hash: string;
  endedAt: string | null;
  payload: unknown;
}

export const RecoveredRow = row({
  /** `closed`: an incident that was closed with its alert, under the alert's `ord`. */
  what: oneOf(["resolved", "late", "closed"]),
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  incidentId: nullable(integer),
});

/**
 * Resolves the open alerts of the fingerprints and closes their incidents (spec: States 1). An end before the start
 * that the newest occurrence brought is late: nothing changes. What has no row has no open alert.
 */
export function resolveOpenAlerts(db: Queries, rows: readonly RecoveryRow[], closedBy: number) {
  return db.many(
    RecoveredRow,
    sql`with i as materialized (
        select * from json_to_recordset(${json(rows)}::json)
          as i (ord integer, "projectId" bigint, hash text, "endedAt" timestamptz(3), payload json)
      ), target as (
        select i.ord, o.id, o.iid, o.title, o.incident_id, i."projectId" as project_id, i."endedAt" as ended_at,
          i.payload, coalesce(i."endedAt" < o.last_start_given, false) as late
        from i cross join lateral (
          select a.id, a.iid, a.title, a.incident_id, a.last_start_given from alerts a
          where ${sameAlert} and a.status <> 'resolved' and not a.test
          offset 0 for update
        ) o
      ), resolved as (
        update alerts a set status = 'resolved', ended_at = greatest(coalesce(t.ended_at, now()), a.started_at),
          deliveries = a.deliveries + 1, payload = t.payload, last_seen_at = now(), updated_at = now()
        from target t where a.id = t.id and not t.late
      ), closed as (
        update incidents n set state = 'closed', closed_at = now(), closed_by = ${closedBy}, updated_at = now()
        from target t left join alert_settings s on s.project_id = t.project_id
        where n.id = t.incident_id and not t.late and n.state = 'opened' and coalesce(s.auto_close_incident, true)
        returning t.ord, n.id, n.iid, t.title
      )
      select case when late then 'late' else 'resolved' end as what, ord, id, iid, title, incident_id from target
      union all select 'closed', ord, id, iid, title, null from closed
      order by ord, id`,
  );
}
