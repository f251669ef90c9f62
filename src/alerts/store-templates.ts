/** Statements about incident templates. */
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type IncidentTemplate, type TemplateFields, TemplateRow } from "./incident-template.ts";

const columns = sql`id, project_id, name, content, created_at, updated_at`;

/** Lists the templates of a project, by name. */
export function listTemplates(db: Queries, projectId: number): Promise<IncidentTemplate[]> {
  return db.many(
    TemplateRow,
    sql`select ${columns} from incident_templates where project_id = ${projectId} order by lower(name), id`,
  );
}

/** Lists the names only, for choices. */
export function listTemplateNames(db: Queries, projectId: number) {
  return db.many(
    row({ id: integer, name: text }),
    sql`select id, name from incident_templates where project_id = ${projectId} order by lower(name), id`,
  );
}

const template = (projectId: number, id: number): Sql =>
  sql`select ${columns} from incident_templates where project_id = ${projectId} and id = ${id}`;

export function findTemplate(
  db: Queries,
  projectId: number,
  id: number,
): Promise<IncidentTemplate | undefined> {
  return db.find(TemplateRow, template(projectId, id));
}

/** Returns a template and locks it until the transaction ends. */
export function lockTemplate(
  tx: Queries,
  projectId: number,
  id: number,
): Promise<IncidentTemplate | undefined> {
  return tx.find(TemplateRow, sql`${template(projectId, id)} for no key update`);
}

/** Returns the template text for incidents of this project's alerts; undefined if none is selected. */
export async function findTemplateOfAlerts(db: Queries, projectId: number): Promise<string | undefined> {
  const found = await db.find(
    row({ content: text }),
    sql`select t.content from alert_settings s join incident_templates t on t.id = s.incident_template_id
      where s.project_id = ${projectId}`,
  );
  return found?.content;
}

export function insertTemplate(
  db: Queries,
  projectId: number,
  { name, content }: TemplateFields,
): Promise<IncidentTemplate> {
  return db.one(
    TemplateRow,
    sql`insert into incident_templates (project_id, name, content) values (${projectId}, ${name}, ${content})
      returning ${columns}`,
  );
}

/** Updates a template; undefined if it does not exist. */
export function updateTemplate(
  db: Queries,
  projectId: number,
  id: number,
  { name, content }: TemplateFields,
): Promise<IncidentTemplate | undefined> {
  return db.find(
    TemplateRow,
    sql`update incident_templates set name = ${name}, content = ${content}, updated_at = now()
      where project_id = ${projectId} and id = ${id} returning ${columns}`,
  );
}

/** Deletes a template; if it was selected for alerts, none is selected any more. */
export function deleteTemplate(db: Queries, projectId: number, id: number): Promise<number> {
  return db.run(sql`delete from incident_templates where project_id = ${projectId} and id = ${id}`);
}
