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

/** Of a project that never chose anything, as the columns say too. */
const FIRST_SETTINGS: AlertSettings = {
  createIncident: true,
  autoCloseIncident: true,
  grouping: true,
  stormThreshold: 30,
  stormSeconds: 60,
  collapseIncidents: false,
  lateFiringsStayResolved: false,
  resolveAfterHours: 0,
  incidentTemplateId: null,
  incidentTemplate: null,
};

/** Columns that say what a storm is where the settings `s` are, or are not there. */
export const stormColumns = sql`coalesce(s.storm_threshold, ${FIRST_SETTINGS.stormThreshold}) as threshold,
  coalesce(s.storm_seconds, ${FIRST_SETTINGS.stormSeconds}) as window_seconds`;

/** The settings of a project; without a row they are as at first. */
export async function findSettings(db: Queries, projectId: number): Promise<AlertSettings> {
  const stored = await db.find(
    SettingsRow,
    sql`select s.create_incident, s.auto_close_incident, s.grouping, s.storm_threshold, s.storm_seconds,
        s.collapse_incidents, s.late_firings_stay_resolved, s.resolve_after_hours, s.incident_template_id,
        t.name as incident_template
      from alert_settings s left join incident_templates t on t.id = s.incident_template_id
      where s.project_id = ${projectId}`,
  );
  return stored ?? FIRST_SETTINGS;
}

/**
 * Holds the settings of a project, which are stored from now on, until the transaction ends: what depends on them, such as
 * which integrations are on, changes one after another.
 */
export function lockSettings(db: Queries, projectId: number): Promise<number> {
  return db.run(
    sql`insert into alert_settings as s (project_id) values (${projectId})
      on conflict (project_id) do update set grouping = s.grouping`,
  );
}

/** Of a project whose settings are held. */
export function updateSettings(
  db: Queries,
  projectId: number,
  settings: Omit<AlertSettings, "incidentTemplate">,
): Promise<number> {
  // What reaches beyond the recording of alerts is asked for from then on (decision 0096).
  const reaches = settings.collapseIncidents || settings.lateFiringsStayResolved;
  return db.run(
    sql`update alert_settings set create_incident = ${settings.createIncident},
        auto_close_incident = ${settings.autoCloseIncident}, grouping = ${settings.grouping},
        storm_threshold = ${settings.stormThreshold}, storm_seconds = ${settings.stormSeconds},
        collapse_incidents = ${settings.collapseIncidents},
        late_firings_stay_resolved = ${settings.lateFiringsStayResolved},
        resolve_after_hours = ${settings.resolveAfterHours}, incident_template_id = ${settings.incidentTemplateId},
        reaches = reaches or ${reaches}
      where project_id = ${projectId}`,
  );
}
