/** Requests about the alert settings of a project, and their record on the API (contract §3; contract-alerts). */
import type { Described } from "../platform/answers.ts";
import { given } from "../platform/given.ts";
import Type, { type Static } from "../platform/schema.ts";
import type { Project } from "../projects/project.ts";
import type { SettingsEdit } from "./change-settings.ts";
import { SETTING_LIMITS } from "./setting-limits.ts";
import type { AlertSettings } from "./store-settings.ts";
import type { SETTINGS } from "./wire-answers-integrations.ts";

export const SettingsBody = Type.Object({
  create_incident: Type.Optional(Type.Boolean({ description: "true: open an incident for each new alert" })),
  auto_close_incident: Type.Optional(
    Type.Boolean({ description: "true: close an incident when its alert is resolved" }),
  ),
  grouping: Type.Optional(
    Type.Boolean({
      description:
        "true: count identical payloads as occurrences of the open alert instead of opening another; not available on the free plan (422)",
    }),
  ),
  storm_threshold: Type.Optional(
    Type.Integer({
      ...SETTING_LIMITS.stormThreshold,
      description:
        "if more new alerts than this concern a channel within `storm_seconds`, it is a storm, and the channel gets summaries in place of single messages; 0: storm handling is off",
    }),
  ),
  storm_seconds: Type.Optional(
    Type.Integer({
      ...SETTING_LIMITS.stormSeconds,
      description: "length in seconds of the period that `storm_threshold` refers to",
    }),
  ),
  collapse_incidents: Type.Optional(
    Type.Boolean({ description: "true: in a storm, alerts beyond `storm_threshold` share one incident" }),
  ),
  late_firings_stay_resolved: Type.Optional(
    Type.Boolean({
      description:
        "true: count a firing that began before its alert ended as an occurrence of that alert, instead of opening another",
    }),
  ),
  resolve_after_hours: Type.Optional(
    Type.Integer({
      ...SETTING_LIMITS.resolveAfterHours,
      description: "hours without a delivery after which an open alert is resolved; 0: never",
    }),
  ),
  incident_template: Type.Optional(
    Type.Union([Type.Null(), Type.String()], {
      description:
        "name of the template that is appended to the description of incidents that alerts open; null: none",
    }),
  ),
});
export type SettingsBody = Static<typeof SettingsBody>;

/** The settings that a body names; the template is given by its name. */
export function settingsChangeOf(body: SettingsBody): SettingsEdit {
  return given({
    createIncident: body.create_incident,
    autoCloseIncident: body.auto_close_incident,
    grouping: body.grouping,
    stormThreshold: body.storm_threshold,
    stormSeconds: body.storm_seconds,
    collapseIncidents: body.collapse_incidents,
    lateFiringsStayResolved: body.late_firings_stay_resolved,
    resolveAfterHours: body.resolve_after_hours,
    incidentTemplate: body.incident_template,
  });
}

/** The settings in effect: grouping is off on the free plan, whatever was chosen. */
export function settingsRecord(
  settings: AlertSettings,
  { plan }: Pick<Project, "plan">,
): Described<typeof SETTINGS> {
  return {
    create_incident: settings.createIncident,
    auto_close_incident: settings.autoCloseIncident,
    grouping: settings.grouping && plan === "premium",
    storm_threshold: settings.stormThreshold,
    storm_seconds: settings.stormSeconds,
    collapse_incidents: settings.collapseIncidents,
    late_firings_stay_resolved: settings.lateFiringsStayResolved,
    resolve_after_hours: settings.resolveAfterHours,
    incident_template: settings.incidentTemplate,
  };
}
