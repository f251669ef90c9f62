/** Creates, changes and removes incident templates (decision 0117). */
import type { Act } from "../accounts/audit.ts";
import type { Queries } from "../platform/db.ts";
import { violatedConstraint } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { holdMaintainer } from "../projects/hold-role.ts";
import type { Project } from "../projects/project.ts";
import { changedNames } from "./changed-names.ts";
import {
  type IncidentTemplate,
  MAX_TEMPLATES,
  type TemplateFields,
  templateFaults,
} from "./incident-template.ts";
import { recordChange } from "./record-change.ts";
import { lockSettings } from "./store-settings.ts";
import {
  deleteTemplate,
  findTemplate,
  insertTemplate,
  listTemplateNames,
  lockTemplate,
  updateTemplate,
} from "./store-templates.ts";

/**
 * Creates a template, or changes the one with this id.
 * @param given computes the new fields from the locked row
 * @throws FieldProblem invalid, by field; Problem not_found; unprocessable: too many; as `holdMaintainer`
 */
export async function saveTemplate(
  { db }: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  given: (before: IncidentTemplate | undefined) => TemplateFields,
  id?: number,
): Promise<IncidentTemplate> {
  try {
    return await db.transaction(async (tx) => {
      await holdMaintainer(tx, act.actorId, project.id);
      const before = id === undefined ? undefined : await lockTemplate(tx, project.id, id);
      if (id !== undefined && !before) throw noTemplate();
      const fields = given(before);
      const faults = templateFaults(fields, before?.name);
      if (Object.keys(faults).length > 0) throw new FieldProblem(faults);
      const saved = before
        ? await updateTemplate(tx, project.id, before.id, fields)
        : await insertOne(tx, project.id, fields);
      if (!saved) throw noTemplate();
      const changed = before && changedNames(before, saved, ["name", "content"]);
      if (changed === "") return saved;
      const action = before ? "incident_template_changed" : "incident_template_created";
      const details = { name: saved.name, ...(changed ? { changed } : {}) };
      await recordChange(tx, act, action, project.fullPath, details);
      return saved;
    });
  } catch (error) {
    if (violatedConstraint(error) !== "incident_templates_name") throw error;
    throw new FieldProblem({ name: ["has already been taken"] });
  }
}

async function insertOne(tx: Queries, projectId: number, fields: TemplateFields): Promise<IncidentTemplate> {
  await lockSettings(tx, projectId);
  if ((await listTemplateNames(tx, projectId)).length >= MAX_TEMPLATES)
    throw new Problem("unprocessable", `A project has at most ${MAX_TEMPLATES} incident templates.`);
  return insertTemplate(tx, projectId, fields);
}

/** @throws Problem not_found */
export async function templateOf(
  db: Queries,
  projectId: number,
  id: number | undefined,
): Promise<IncidentTemplate> {
  const found = id === undefined ? undefined : await findTemplate(db, projectId, id);
  if (!found) throw noTemplate();
  return found;
}

/** Removes a template; incidents that were opened with it keep its text. @throws Problem not_found */
export async function removeTemplate(
  { db }: Platform,
  act: Act,
  project: Pick<Project, "id" | "fullPath">,
  { id, name }: Pick<IncidentTemplate, "id" | "name">,
): Promise<void> {
  await db.transaction(async (tx) => {
    await holdMaintainer(tx, act.actorId, project.id);
    if ((await deleteTemplate(tx, project.id, id)) === 0) throw noTemplate();
    await recordChange(tx, act, "incident_template_removed", project.fullPath, { name });
  });
}

function noTemplate(): Problem {
  return new Problem("not_found", "404 Incident Template Not Found");
}
