/** Statements by which a batch of deliveries becomes alerts; each takes many rows at once. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, oneOf, row, text } from "../platform/row.ts";
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

/** Firings of one fingerprint in one project, merged. */
export interface FiringRow {
  ord: number;
  projectId: number;
  integrationId: number;
  hash: string;
  version: number;
  grouped: boolean;
  /** Of counting `each`: the number of firings; of `starts`: of distinct starts. */
  events: number;
  deliveries: number;
  starts: string[];
  startGiven: string | null;
  hosts: string[];
  payload: unknown;
}

export const TouchedRow = row({
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  incidentId: nullable(integer),
  incidentIid: nullable(integer),
  created: boolean,
});

const firingInput = (rows: readonly FiringRow[]) => sql`json_to_recordset(${json(
  rows.map(({ projectId, integrationId, startGiven, ...rest }) => ({
    ...rest,
    project_id: projectId,
    integration_id: integrationId,
    start_given: startGiven,
  })),
)}::json) as i (ord integer, project_id bigint, integration_id bigint, hash text, version smallint, grouped boolean,
  events bigint, deliveries bigint, starts timestamptz(3)[], start_given timestamptz(3), hosts text[], payload json)`;

/** Adds firings to the open alerts of their fingerprints; what it does not return has none (spec: States 3). */
export function countOnOpenAlerts(db: Queries, rows: readonly FiringRow[]) {
  return db.many(
    TouchedRow,
    sql`update alerts a set
        events = a.events + case when i.starts = '{}' then i.events
          else (select count(*) from unnest(i.starts) s where s <> all (a.occurrence_starts)) end,
        deliveries = a.deliveries + i.deliveries,
        occurrence_starts = (a.occurrence_starts || array(
          select s from unnest(i.starts) s where s <> all (a.occurrence_starts)))[1:1000],
        hosts = (a.hosts || array(select h from unnest(i.hosts) h where h <> all (a.hosts)))[1:1000],
        last_start_given = i.start_given, payload = i.payload, last_seen_at = now(), updated_at = now()
      from ${firingInput(rows)}
      where i.grouped and a.grouped and a.project_id = i.project_id and a.fingerprint_hash = decode(i.hash, 'hex')
        and a.status <> 'resolved' and not a.test
      returning i.ord, a.id, a.iid, a.title, a.incident_id, null::bigint as incident_iid, false as created`,
  );
}

/** A new alert, with the numbers taken for it; `incidentIid` null: it opens no incident. */
export interface NewAlertRow {
  ord: number;
  projectId: number;
  iid: number;
  incidentIid: number | null;
  incidentTitle: string;
  incidentBody: string;
  authorId: number | null;
  integrationId: number | null;
  hash: string;
  version: number;
  given: string | null;
  grouped: boolean;
  events: number;
  deliveries: number;
  starts: string[];
  startedAt: string | null;
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

/**
 * Opens alerts and their incidents. The unique index of open alerts is the arbiter: where another transaction was
 * faster after all, the firing is counted on its alert (`created` false).
 */
export function insertAlerts(db: Queries, rows: readonly NewAlertRow[]) {
  const input = json(
    rows.map((one) =>
      Object.fromEntries(Object.entries(one).map(([name, value]) => [name.toLowerCase(), value])),
    ),
  );
  return db.many(
    TouchedRow,
    sql`with i as materialized (
        select * from json_to_recordset(${input}::json) as i (ord integer, projectid bigint, iid bigint,
          incidentiid bigint, incidenttitle text, incidentbody text, authorid bigint, integrationid bigint, hash text,
          version smallint, given text, grouped boolean, events bigint, deliveries bigint, starts timestamptz(3)[],
          startedat timestamptz(3), startgiven timestamptz(3), title text, description text, severity text,
          service text, tool text, runbook text, hosts text[], environment text, payload json, first json, test boolean)
      ), n as (
        insert into incidents (project_id, iid, title, description, severity, author_id)
        select projectid, incidentiid, incidenttitle, incidentbody, severity, authorid from i
        where incidentiid is not null
        returning id, project_id, iid
      ), a as (
        insert into alerts as a (project_id, iid, integration_id, environment_id, incident_id, title, description,
          severity, service, monitoring_tool, runbook_url, hosts, fingerprint_hash, fingerprint_version,
          fingerprint_given, grouped, events, deliveries, occurrence_starts, started_at, last_start_given, payload,
          first_payload, test, recurrence_of)
        select i.projectid, i.iid, i.integrationid,
          (select e.id from environments e where e.project_id = i.projectid and e.name = i.environment),
          n.id, i.title, i.description, i.severity, i.service, i.tool, i.runbook, i.hosts, decode(i.hash, 'hex'),
          i.version, i.given, i.grouped, i.events, i.deliveries, i.starts, coalesce(i.startedat, now()), i.startgiven,
          i.payload, i.first, i.test,
          case when not i.test then (select max(p.id) from alerts p where p.project_id = i.projectid
            and p.fingerprint_hash = decode(i.hash, 'hex') and not p.test) end
        from i left join n on n.project_id = i.projectid and n.iid = i.incidentiid
        order by i.ord
        on conflict (project_id, fingerprint_hash) where status <> 'resolved' and grouped and not test
        do update set events = a.events + excluded.events, deliveries = a.deliveries + excluded.deliveries,
          payload = excluded.payload, last_seen_at = now(), updated_at = now()
        returning a.id, a.project_id, a.iid, a.title, a.incident_id, a.fingerprint_hash, a.grouped
      )
      select i.ord, a.id, a.iid, a.title, a.incident_id, i.incidentiid as incident_iid, a.iid = i.iid as created
      from i join a on a.project_id = i.projectid
        and (a.iid = i.iid or a.grouped and i.grouped and a.fingerprint_hash = decode(i.hash, 'hex'))
      order by i.ord`,
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
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  outcome: oneOf(["resolved", "late"]),
  /** The incident that was closed with it. */
  incidentId: nullable(integer),
  incidentIid: nullable(integer),
});

/**
 * Resolves the open alerts of the fingerprints and closes their incidents (spec: States 1). An end before the start
 * that the newest occurrence brought is late: nothing changes. What has no row has no open alert.
 */
export function resolveOpenAlerts(db: Queries, rows: readonly RecoveryRow[], closedBy: number) {
  const input = json(
    rows.map(({ projectId, endedAt, ...rest }) => ({ ...rest, project_id: projectId, ended_at: endedAt })),
  );
  return db.many(
    RecoveredRow,
    sql`with i as materialized (
        select * from json_to_recordset(${input}::json)
          as i (ord integer, project_id bigint, hash text, ended_at timestamptz(3), payload json)
      ), target as (
        select i.ord, a.id, a.iid, a.title, i.ended_at, i.payload,
          coalesce(i.ended_at < a.last_start_given, false) as late
        from i join alerts a on a.project_id = i.project_id and a.fingerprint_hash = decode(i.hash, 'hex')
        where a.status <> 'resolved' and not a.test
        for update of a
      ), resolved as (
        update alerts a set status = 'resolved', ended_at = greatest(coalesce(t.ended_at, now()), a.started_at),
          deliveries = a.deliveries + 1, payload = t.payload, last_seen_at = now(), updated_at = now()
        from target t where a.id = t.id and not t.late
        returning a.id, a.project_id, a.incident_id
      ), closed as (
        update incidents n set state = 'closed', closed_at = now(), closed_by = ${closedBy}, updated_at = now()
        from resolved r left join alert_settings s on s.project_id = r.project_id
        where n.id = r.incident_id and n.state = 'opened' and coalesce(s.auto_close_incident, true)
        returning n.id, n.iid
      )
      select t.ord, t.id, t.iid, t.title, case when t.late then 'late' else 'resolved' end as outcome,
        c.id as incident_id, c.iid as incident_iid
      from target t left join resolved r on r.id = t.id left join closed c on c.id = r.incident_id
      order by t.ord, t.id`,
  );
}
