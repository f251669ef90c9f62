/** Changes a project's alert settings. */
import type { Act } from "../accounts/audit.ts";
import type { Queries } from "../platform/db.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Project } from "../projects/project.ts";
import { recordChange } from "./record-change.ts";
import { type AlertSettings, findSettings, lockSettings, updateSettings } from "./store-settings.ts";
import { listTemplateNames } from "./store-templates.ts";

/** The settings to change, with the template by its name; absent ones stay. */
export type SettingsEdit = Partial<Omit<AlertSettings, "incidentTemplateId">>;

/**
 * Changes the settings and returns them.
 * @throws FieldProblem invalid: the project has no template of that name; Problem unprocessable: its plan has no grouping; as
 * `holdMaintainer`
 */
export function changeSettings(
  { db }: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath" | "plan">,
  { incidentTemplate: name, ...named }: SettingsEdit,
): Promise<AlertSettings> {
  const edit = allowedByPlan(project, named);
  return db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    await lockSettings(tx, project.id);
    const before = await findSettings(tx, project.id);
    const after = {
      ...before,
      ...edit,
      ...(name !== undefined && (await templateNamed(tx, project.id, name))),
    };
    await updateSettings(tx, project.id, after);
    const changed = SHOWN.filter((one) => before[one] !== after[one]);
    if (changed.length === 0) return after;
    const words = Object.fromEntries(changed.map((one) => [SETTING_WORDS[one], wordOf(after[one])]));
    await recordChange(tx, act, "alert_settings_changed", project.fullPath, words);
    return after;
  });
}

/** Checks a change against the plan. "No grouping" is dropped on a plan without grouping, to keep the choice for a later plan. */
function allowedByPlan<Edit extends SettingsEdit>({ plan }: Pick<Project, "plan">, edit: Edit): Edit {
  if (plan === "premium") return edit;
  if (edit.grouping) {
    throw new Problem(
      "unprocessable",
      "Grouping of identical payloads is not part of the free plan. A fingerprint groups on every plan.",
    );
  }
  const { grouping: _, ...others } = edit;
  return others as Edit;
}

/** Returns the settings that name this template; null: none. @throws FieldProblem: the project has no such template */
async function templateNamed(tx: Queries, projectId: number, name: string | null) {
  if (!name) return { incidentTemplateId: null, incidentTemplate: null };
  const named = (await listTemplateNames(tx, projectId)).find((one) => one.name === name);
  if (!named) throw new FieldProblem({ incident_template: ["is not a template of this project"] });
  return { incidentTemplateId: named.id, incidentTemplate: name };
}

type Shown = Exclude<keyof AlertSettings, "incidentTemplateId">;

/** The settings' names in the API. */
const SETTING_WORDS: Readonly<Record<Shown, string>> = {
  createIncident: "create_incident",
  autoCloseIncident: "auto_close_incident",
  grouping: "grouping",
  stormThreshold: "storm_threshold",
  stormSeconds: "storm_seconds",
  collapseIncidents: "collapse_incidents",
  lateFiringsStayResolved: "late_firings_stay_resolved",
  resolveAfterHours: "resolve_after_hours",
  incidentTemplate: "incident_template",
};
const SHOWN = Object.keys(SETTING_WORDS) as Shown[];

function wordOf(value: string | number | boolean | null): string | number {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value ?? "none";
}
