/** Statements about the alert settings of projects. */
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
  /** After so many hours without a delivery an alert is resolved; 0: never. */
  resolveAfterHours: integer,
  /** The template of incidents that alerts open; null: none. */
  incidentTemplateId: nullable(integer),
  incidentTemplate: nullable(text),
});
export type AlertSettings = RowOf<typeof SettingsRow>;

/** The defaults, the same as of the columns. */
export const FIRST_SETTINGS: AlertSettings = {
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

/** The definition of a storm, from the settings `s` or the defaults if there is no row. */
export const stormColumns = sql`coalesce(s.storm_threshold, ${FIRST_SETTINGS.stormThreshold}) as threshold,
  coalesce(s.storm_seconds, ${FIRST_SETTINGS.stormSeconds}) as window_seconds`;

/** Returns the settings of a project; without a row the defaults. */
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
 * Locks the settings of a project until the transaction ends, and stores them if there is no row, so that what depends on
 * them, such as which integrations are active, changes one at a time.
 */
export function lockSettings(db: Queries, projectId: number): Promise<number> {
  return db.run(
    sql`insert into alert_settings as s (project_id) values (${projectId})
      on conflict (project_id) do update set grouping = s.grouping`,
  );
}

/** Updates the settings of a project, which the caller has locked. */
export function updateSettings(
  db: Queries,
  projectId: number,
  settings: Omit<AlertSettings, "incidentTemplate">,
): Promise<number> {
  // From then on, recording alerts looks up the project's reach (decision 0096).
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
