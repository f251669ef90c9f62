/** Statements by which a batch of deliveries becomes alerts; each takes many rows at once. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { TEMPLATE_RULE } from "./incident-template.ts";
import type { AlertReport } from "./report.ts";
import { SEVERITIES } from "./severity.ts";
import { closedWith } from "./store-closing.ts";

// A plan that was made while a table was small would go on to scan all of it, so the transaction allows only index scans.
const byIndex = sql`set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true)`;

/** How long a transaction waits for each lock: `shortly`, half a second; `long`, as long as every other transaction. */
export type Waits = "shortly" | "long";
const waitsShortly = sql`set_config('lock_timeout', '500ms', true),`;

/** Serialises everything that changes alerts of these projects until the transaction ends. @throws Problem unavailable */
export async function lockAlerts(
  db: Queries,
  projectIds: readonly number[],
  waits: Waits = "long",
): Promise<void> {
  // Sorted, so that two batches over the same projects cannot wait for each other.
  const keys = [...new Set(projectIds)].sort((a, b) => a - b).map((id) => `alerts of ${id}`);
  await db.run(
    sql`select ${waits === "shortly" ? waitsShortly : sql``} pg_advisory_xact_lock(hashtextextended(name, 0)), ${byIndex}
      from unnest(${keys}::text[]) as name`,
  );
}

/**
 * An alert `a` of the project and fingerprint of the input row `i`. Adding 0 keeps the planner from using indexes that begin
 * with the project: a plan made while the table was small would go on to read all alerts of a project.
 */
export const sameAlert = sql`a.fingerprint_hash = decode(i.hash, 'hex') and a.project_id + 0 = i."projectId"`;

/**
 * Columns of the open alerts `a` of the input row `i`: the one on which repeats are counted, and where grouping is off all
 * of them; each kind has an index of its own.
 */
export function openAlerts(columns: Sql): Sql {
  const open = sql`select ${columns} from alerts a where ${sameAlert} and a.status <> 'resolved' and not a.test`;
  return sql`${open} and a.grouped union all ${open} and not a.grouped offset 0`;
}

/** Returns the `ord` of the fingerprints that have an open alert on which repeats are counted. */
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
  /** The beginning of its incident's description, up to the alert's number. Null: it opens no incident. */
  incidentBody: string | null;
  /** What follows the number in the description. */
  incidentEnd: string;
  /** The incident that it shares with other alerts; null: none. */
  sharedIncidentId: number | null;
  /** The template whose text is appended to the description; null: none. */
  templateId: number | null;
  /** Whether the incident is titled by its number, because the report has no title. */
  untitled: boolean;
  authorId: number | null;
  integrationId: number | null;
  /** The source that its activity names; null: a line of its own names it. */
  loggedBy: string | null;
  hash: string;
  version: number;
  given: string | null;
  /** Whether repeats are counted on it; false for tests. */
  grouped: boolean;
  /** How many events it counts: with counting `each`, all firings; else the distinct starts. */
  events: number;
  deliveries: number;
  starts: string[];
  /** The source of each of `starts`, and all sources: while the alert holds, a start named by another source is no new event. */
  startSources: (string | null)[];
  sources: string[];
  startedAt: string | null;
  /** The start that the newest firing names. */
  startGiven: string | null;
  /** Until when it holds without a repeat; null: until its sender reports the end. */
  believedUntil: string | null;
  title: string;
  description: string | null;
  severity: AlertReport["severity"];
  service: string | null;
  tool: string | null;
  runbook: string | null;
  hosts: string[];
  environment: string | null;
  /** The newest payload; undefined: the first one is the newest. */
  payload: unknown;
  first: unknown;
  test: boolean;
  /** When it ended, if its recovery arrived before it: then it is inserted as resolved. */
  endedAt: string | null;
  /** The silence that covers it; an alert that opens under one has no incident. */
  silenceId: number | null;
}

/** The text that the template of the row adds; read only for a row that has one and opens an incident. */
const templateText = sql`case when "templateId" is null then '' else coalesce((select ${TEMPLATE_RULE} || t.content
  from incident_templates t where t.id = "templateId"), '') end`;

/** The first line of an incident's description if the report names no start: then its alert began at the receipt. */
const startedNow = sql`case when "startedAt" is null then '**Start time:** '
  || to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || E'  \\n' else '' end`;

export const TouchedRow = row({
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  incidentId: nullable(integer),
  /** The number of the incident that was opened; null: none was. */
  incidentIid: nullable(integer),
  created: boolean,
  severity: oneOf(SEVERITIES),
  status: oneOf(ALERT_STATUSES),
  /** Whether it opened in no environment, because the project has none of the name that the report gives. */
  unplaced: boolean,
  at: instant,
});
export type Touched = RowOf<typeof TouchedRow>;

/** Returns the distinct starts of the alert `a` with these added, the latest 1,000; each distinct start is one occurrence. */
export function startsWith(starts: Sql): Sql {
  return sql`case when ${starts} <@ a.occurrence_starts then a.occurrence_starts
    else (a.occurrence_starts || array(select s from unnest(${starts}) s where s <> all (a.occurrence_starts)))
      [cardinality(a.occurrence_starts) + cardinality(${starts}) - 999:] end`;
}

/**
 * Counts drafts on the open alerts of their fingerprints, and opens alerts with their incidents for the others, numbered
 * without gaps (spec: States 2, 3). The projects are locked, so nobody opens or resolves one meanwhile; were it
 * otherwise, the unique index of open alerts would refuse the whole statement. Returns one row per draft, `ord` its index.
 */
export function recordDrafts(db: Queries, drafts: readonly AlertDraft[]): Promise<Touched[]> {
  return db.many(
    TouchedRow,
    sql`with i as materialized (
        select i.*, case when i.grouped then (select a.id from alerts a
          where ${sameAlert} and a.status <> 'resolved' and a.grouped and not a.test) end as open_id
        from json_to_recordset(${json(drafts.map((draft, ord) => ({ ord, ...draft })))}::json) as i (ord integer,
          "projectId" bigint, "incidentBody" text, "incidentEnd" text, "sharedIncidentId" bigint, "templateId" bigint, untitled boolean, "authorId" bigint, "integrationId" bigint,
          "loggedBy" text, hash text, version smallint, given text, grouped boolean, events bigint, deliveries bigint,
          starts timestamptz(3)[], "startSources" text[], sources text[], "startedAt" timestamptz(3), "startGiven" timestamptz(3),
          "believedUntil" timestamptz(3), title text,
          description text, severity text, service text, tool text, runbook text, hosts text[], environment text,
          payload json, first json, test boolean, "endedAt" timestamptz(3), "silenceId" bigint)
      ), counted as (
        update alerts a set
          events = a.events + case when i.starts = '{}' then i.events
            else (select count(*) from unnest(i.starts, i."startSources") u (s, source)
              where s <> all (a.occurrence_starts) and not coalesce(a.believed_until > now()
                and i."believedUntil" is not null and a.occurrence_sources <> '{}'
                and source <> all (a.occurrence_sources), false)) end,
          deliveries = a.deliveries + i.deliveries,
          occurrence_starts = ${startsWith(sql`i.starts`)},
          occurrence_sources = (a.occurrence_sources || array(
            select s from unnest(i.sources) s where s <> all (a.occurrence_sources)))[1:20],
          hosts = (a.hosts || array(select h from unnest(i.hosts) h where h <> all (a.hosts)))[1:1000],
          last_start_given = i."startGiven", payload = coalesce(i.payload, i.first), last_seen_at = now(),
          believed_until = case when i."believedUntil" is not null
            then greatest(a.believed_until, i."believedUntil") end,
          updated_at = now()
        from i where a.id = i.open_id
        returning i.ord, a.id, a.iid, a.title, a.incident_id, a.severity, a.status
      ), opening as materialized (
        select i.*, nextval('alerts_id_seq') as id,
          case when "incidentBody" is not null then nextval('incidents_id_seq') end as incident_id,
          row_number() over numbers as place, count("incidentBody") over numbers as incident_place
        from i where open_id is null
        window numbers as (partition by "projectId" order by ord)
      ), wanted as materialized (
        select o."projectId" as project_id, k.kind, k.n
        from (select "projectId", max(place) as alerts, max(incident_place) as incidents from opening group by 1) o
        cross join lateral (values ('alert', o.alerts), ('incident', o.incidents)) k (kind, n)
        where k.n > 0
      ), taken as (
        insert into project_counters as c (project_id, kind, last) select * from wanted order by project_id, kind
        on conflict (project_id, kind) do update set last = c.last + excluded.last
        returning project_id, kind, last
      ), numbered as materialized (
        select o.*, o.place + (select last - n from taken join wanted using (project_id, kind)
            where project_id = o."projectId" and kind = 'alert') as iid,
          case when o.incident_id is not null then o.incident_place + (select last - n
            from taken join wanted using (project_id, kind) where project_id = o."projectId" and kind = 'incident')
          end as incident_iid,
          case when o.environment is not null then (select e.id from environments e
            where e.project_id = o."projectId" and e.name = o.environment) end as environment_id
        from opening o
      ), incidents_made as (
        insert into incidents (id, project_id, iid, title, description, severity, author_id)
        overriding system value
        select incident_id, "projectId", incident_iid,
          case when untitled then 'New: Incident ' || incident_iid else title end,
          ${startedNow} || "incidentBody" || iid || "incidentEnd" || ${templateText}, severity, "authorId"
        from numbered where incident_id is not null
      ), alerts_made as (
        insert into alerts (id, project_id, iid, integration_id, environment_id, incident_id, title, description,
          severity, service, monitoring_tool, runbook_url, hosts, fingerprint_hash, fingerprint_version,
          fingerprint_given, grouped, events, deliveries, occurrence_starts, occurrence_sources, started_at, last_start_given, believed_until,
          payload, first_payload, logged_by, test, status, ended_at, silence_id, recurrence_of)
        overriding system value
        select i.id, i."projectId", i.iid, i."integrationId", i.environment_id, coalesce(i.incident_id, i."sharedIncidentId"), i.title, i.description, i.severity, i.service, i.tool, i.runbook, i.hosts,
          decode(i.hash, 'hex'), i.version, i.given, i.grouped, i.events, i.deliveries, i.starts, i.sources,
          coalesce(i."startedAt", now()), i."startGiven", i."believedUntil", i.payload, i.first, i."loggedBy", i.test, case when i."endedAt" is null then 'triggered' else 'resolved' end, i."endedAt", i."silenceId",
          case when not i.test then (select a.id from alerts a
            where ${sameAlert} and a.status = 'resolved' and not a.test
            order by a.project_id desc, a.id desc limit 1) end
        from numbered i
      )
      select ord, id, iid, title, coalesce(incident_id, "sharedIncidentId") as incident_id, incident_iid, true as created, severity, case when "endedAt" is null then 'triggered' else 'resolved' end as status,
        environment is not null and environment_id is null as unplaced, now()::timestamptz(3) as at from numbered
      union all
      select ord, id, iid, title, incident_id, null, false, severity, status, false, now()::timestamptz(3) from counted`,
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
  /** `closed`: an incident that was closed with its last open alert, under the alert's `ord`. */
  what: oneOf(["resolved", "late", "closed"]),
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  incidentId: nullable(integer),
  at: instant,
  /** The start of its newest occurrence, before which a recovery is late; null: nobody gave one, or it is an incident. */
  newestStart: nullable(instant),
});
export type Recovered = RowOf<typeof RecoveredRow>;

/**
 * Resolves the open alerts of the fingerprints and closes their incidents (spec: States 1). A recovery whose end is before
 * the start of the newest occurrence is late: it counts as a delivery, and nothing else changes. A recovery without a row in
 * the result matches no open alert.
 */
export function resolveOpenAlerts(db: Queries, rows: readonly RecoveryRow[], closedBy: number) {
  return db.many(
    RecoveredRow,
    sql`with i as materialized (
        select * from json_to_recordset(${json(rows)}::json)
          as i (ord integer, "projectId" bigint, hash text, "endedAt" timestamptz(3), payload json)
      ), target as (
        select i.ord, o.id, o.iid, o.title, o.incident_id, i."endedAt" as ended_at,
          i.payload, o.last_start_given, coalesce(i."endedAt" < o.last_start_given, false) as late
        from i cross join lateral (
          ${openAlerts(sql`a.id, a.iid, a.title, a.incident_id, a.last_start_given`)}
        ) o
      ), resolved as (
        update alerts a set status = 'resolved', ended_at = greatest(coalesce(t.ended_at, now()), a.started_at),
          deliveries = a.deliveries + 1, payload = t.payload, last_seen_at = now(), updated_at = now()
        from target t where a.id = t.id and not t.late
      ), late as (
        update alerts a set deliveries = a.deliveries + 1, updated_at = now() from target t where a.id = t.id and t.late
      ), ${closedWith(sql`ord`, sql`not late`, closedBy)}
      select case when late then 'late' else 'resolved' end as what, ord, id, iid, title, incident_id,
        now()::timestamptz(3) as at, last_start_given as newest_start from target
      union all select 'closed', place, id, iid, title, null, now()::timestamptz(3), null from closed
      order by ord, id`,
  );
}

/** Counts further late recoveries on open alerts: each row is an alert with the deliveries that brought them. */
export function countLateRecoveries(
  db: Queries,
  rows: readonly { id: number; deliveries: number }[],
): Promise<number> {
  return db.run(
    sql`update alerts a set deliveries = a.deliveries + i.deliveries, updated_at = now()
      from json_to_recordset(${json(rows)}::json) as i (id bigint, deliveries integer) where a.id = i.id`,
  );
}
