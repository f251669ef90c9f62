/** Statements about what alerts do in a project. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

export const SettingsRow = row({
  createIncident: boolean,
  autoCloseIncident: boolean,
  grouping: boolean,
  stormThreshold: integer,
  stormSeconds: integer,
  /** Whether the alerts of a storm share an incident (decision 0177). */
  collapseIncidents: boolean,
  /** Whether a firing that began before its alert ended leaves that resolved (decision 0179). */
  lateFiringsStayResolved: boolean,
  /** Without a delivery for so long an alert resolves; 0: never does. */
  resolveAfterHours: integer,
  /** The template of incidents that alerts open; null: none. */
  incidentTemplateId: nullable(integer),
  incidentTemplate: nullable(text),
});
export type AlertSettings = RowOf<typeof SettingsRow>;

/** The settings of a project; without a row they are as at first. */
export function findSettings(db: Queries, projectId: number): Promise<AlertSettings> {
  return db.one(
    SettingsRow,
    sql`select coalesce(s.create_incident, true) as create_incident,
        coalesce(s.auto_close_incident, true) as auto_close_incident, coalesce(s.grouping, true) as grouping,
        coalesce(s.storm_threshold, 30) as storm_threshold, coalesce(s.storm_seconds, 60) as storm_seconds,
        coalesce(s.collapse_incidents, false) as collapse_incidents,
        coalesce(s.late_firings_stay_resolved, false) as late_firings_stay_resolved,
        coalesce(s.resolve_after_hours, 0) as resolve_after_hours,
        s.incident_template_id, t.name as incident_template
      from (select 1) one left join alert_settings s on s.project_id = ${projectId}
        left join incident_templates t on t.id = s.incident_template_id`,
  );
}

/** What of the settings is changed; what is not named stays. */
export type SettingsChange = Partial<Omit<AlertSettings, "incidentTemplate">>;

export function upsertSettings(
  db: Queries,
  projectId: number,
  change: SettingsChange,
): Promise<AlertSettings> {
  const { createIncident = null, autoCloseIncident = null, grouping = null } = change;
  const {
    stormThreshold = null,
    stormSeconds = null,
    collapseIncidents = null,
    lateFiringsStayResolved = null,
    resolveAfterHours = null,
    incidentTemplateId = null,
  } = change;
  return db.one(
    SettingsRow,
    sql`insert into alert_settings as s
        (project_id, create_incident, auto_close_incident, grouping, storm_threshold, storm_seconds, collapse_incidents,
          late_firings_stay_resolved, reaches, resolve_after_hours, incident_template_id)
      values (${projectId}, coalesce(${createIncident}::boolean, true), coalesce(${autoCloseIncident}::boolean, true),
        coalesce(${grouping}::boolean, true), coalesce(${stormThreshold}::integer, 30),
        coalesce(${stormSeconds}::integer, 60), coalesce(${collapseIncidents}::boolean, false),
        coalesce(${lateFiringsStayResolved}::boolean, false),
        coalesce(${collapseIncidents}::boolean or ${lateFiringsStayResolved}::boolean, false), coalesce(${resolveAfterHours}::integer, 0),
        ${incidentTemplateId}::bigint)
      on conflict (project_id) do update set create_incident = coalesce(${createIncident}::boolean, s.create_incident),
        auto_close_incident = coalesce(${autoCloseIncident}::boolean, s.auto_close_incident),
        grouping = coalesce(${grouping}::boolean, s.grouping),
        storm_threshold = coalesce(${stormThreshold}::integer, s.storm_threshold),
        storm_seconds = coalesce(${stormSeconds}::integer, s.storm_seconds),
        collapse_incidents = coalesce(${collapseIncidents}::boolean, s.collapse_incidents),
        late_firings_stay_resolved = coalesce(${lateFiringsStayResolved}::boolean, s.late_firings_stay_resolved),
        reaches = s.reaches or excluded.reaches,
        resolve_after_hours = coalesce(${resolveAfterHours}::integer, s.resolve_after_hours),
        incident_template_id = case when ${change.incidentTemplateId === undefined} then s.incident_template_id
          else excluded.incident_template_id end
      returning create_incident, auto_close_incident, grouping, storm_threshold, storm_seconds, collapse_incidents,
        late_firings_stay_resolved, resolve_after_hours, incident_template_id, (select name from incident_templates where id = incident_template_id) as incident_template`,
  );
}
