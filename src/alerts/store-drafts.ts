/** The statement by which firings become alerts with incidents; it takes many at once. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { ALERT_STATUSES } from "./alert.ts";
import { TEMPLATE_RULE } from "./incident-template.ts";
import type { AlertReport } from "./report.ts";
import { SEVERITIES } from "./severity.ts";
import { sameAlert, startsWith } from "./store-batch.ts";

/**
 * Firings of one fingerprint in one project, merged, as the alert they open if there is none. `recordDrafts` lists these members
 * again, as the columns of its input.
 */
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

/**
 * Counts drafts on the open alerts of their fingerprints, and opens alerts with their incidents for the others, numbered
 * without gaps (spec: States 2, 3). The projects are locked, so nobody opens or resolves one meanwhile; were it
 * otherwise, the unique index of open alerts would refuse the whole statement. Returns one row per draft, `ord` its index.
 */
export function recordDrafts(db: Queries, drafts: readonly AlertDraft[]): Promise<Touched[]> {
  const rows = drafts.map((draft, ord) => ({ ord, ...draft }));
  // input: the drafts, each with the open alert on which it is counted. Its columns are the members of `AlertDraft`.
  // counted: those that have one, counted on it.
  // opening: the others, with ids, and with their places among the new alerts and incidents of their project.
  // wanted, taken: how many numbers each project needs; `last` is the last number after they were taken.
  // numbered: the new alerts with their numbers (iid) and those of their incidents. The place within what was taken decides, so
  //   numbers have no gaps.
  // incidents_made, alerts_made: the rows. The name `input` is repeated there for `sameAlert`, which finds the previous alert.
  return db.many(
    TouchedRow,
    sql`with input as materialized (
        select input.*, case when input.grouped then (select a.id from alerts a
          where ${sameAlert} and a.status <> 'resolved' and a.grouped and not a.test) end as open_id
        from json_to_recordset(${json(rows)}::json) as input (ord integer,
          "projectId" bigint, "incidentBody" text, "incidentEnd" text, "sharedIncidentId" bigint, "templateId" bigint,
          untitled boolean, "authorId" bigint, "integrationId" bigint, "loggedBy" text,
          hash text, version smallint, given text, grouped boolean, events bigint, deliveries bigint,
          starts timestamptz(3)[], "startSources" text[], sources text[],
          "startedAt" timestamptz(3), "startGiven" timestamptz(3), "believedUntil" timestamptz(3),
          title text, description text, severity text, service text, tool text, runbook text, hosts text[],
          environment text, payload json, first json, test boolean, "endedAt" timestamptz(3), "silenceId" bigint)
      ), counted as (
        update alerts a set
          events = a.events + case when input.starts = '{}' then input.events
            else (select count(*) from unnest(input.starts, input."startSources") u (s, source)
              where s <> all (a.occurrence_starts) and not coalesce(a.believed_until > now()
                and input."believedUntil" is not null and a.occurrence_sources <> '{}'
                and source <> all (a.occurrence_sources), false)) end,
          deliveries = a.deliveries + input.deliveries,
          occurrence_starts = ${startsWith(sql`input.starts`)},
          occurrence_sources = (a.occurrence_sources || array(
            select s from unnest(input.sources) s where s <> all (a.occurrence_sources)))[1:20],
          hosts = (a.hosts || array(select h from unnest(input.hosts) h where h <> all (a.hosts)))[1:1000],
          last_start_given = case when input."startGiven" is not null
            then greatest(a.last_start_given, input."startGiven") end,
          payload = coalesce(input.payload, input.first), last_seen_at = now(),
          believed_until = case when input."believedUntil" is not null
            then greatest(a.believed_until, input."believedUntil") end,
          updated_at = now()
        from input where a.id = input.open_id
        returning input.ord, a.id, a.iid, a.title, a.incident_id, a.severity, a.status
      ), opening as materialized (
        select input.*, nextval('alerts_id_seq') as id,
          case when "incidentBody" is not null then nextval('incidents_id_seq') end as incident_id,
          row_number() over numbers as place, count("incidentBody") over numbers as incident_place
        from input where open_id is null
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
        insert into alerts (id, project_id, iid, integration_id, environment_id, incident_id,
          title, description, severity, service, monitoring_tool, runbook_url, hosts,
          fingerprint_hash, fingerprint_version, fingerprint_given, grouped, events, deliveries,
          occurrence_starts, occurrence_sources, started_at, last_start_given, believed_until,
          payload, first_payload, logged_by, test,
          status, ended_at, silence_id,
          recurrence_of)
        overriding system value
        select input.id, input."projectId", input.iid, input."integrationId", input.environment_id,
          coalesce(input.incident_id, input."sharedIncidentId"),
          input.title, input.description, input.severity, input.service, input.tool, input.runbook, input.hosts,
          decode(input.hash, 'hex'), input.version, input.given, input.grouped, input.events, input.deliveries,
          input.starts, input.sources, coalesce(input."startedAt", now()), input."startGiven", input."believedUntil",
          input.payload, input.first, input."loggedBy", input.test,
          case when input."endedAt" is null then 'triggered' else 'resolved' end, input."endedAt", input."silenceId",
          case when not input.test then (select a.id from alerts a
            where ${sameAlert} and a.status = 'resolved' and not a.test
            order by a.project_id desc, a.id desc limit 1) end
        from numbered input
      )
      select ord, id, iid, title, coalesce(incident_id, "sharedIncidentId") as incident_id, incident_iid,
        true as created, severity, case when "endedAt" is null then 'triggered' else 'resolved' end as status,
        environment is not null and environment_id is null as unplaced, now()::timestamptz(3) as at from numbered
      union all
      select ord, id, iid, title, incident_id, null, false, severity, status, false, now()::timestamptz(3) from counted`,
  );
}
