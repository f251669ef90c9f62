/** Statements about incident templates. */
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type IncidentTemplate, type TemplateFields, TemplateRow } from "./incident-template.ts";

const columns = sql`id, project_id, name, content, created_at, updated_at`;

/** All of a project, by name. */
export function listTemplates(db: Queries, projectId: number): Promise<IncidentTemplate[]> {
  return db.many(
    TemplateRow,
    sql`select ${columns} from incident_templates where project_id = ${projectId} order by lower(name), id`,
  );
}

/** The names alone, for choices. */
export function listTemplateNames(db: Queries, projectId: number) {
  return db.many(
    row({ id: integer, name: text }),
    sql`select id, name from incident_templates where project_id = ${projectId} order by lower(name), id`,
  );
}

export function findTemplate(
  db: Queries,
  projectId: number,
  id: number,
  isLocked = false,
): Promise<IncidentTemplate | undefined> {
  return db.find(
    TemplateRow,
    sql`select ${columns} from incident_templates where project_id = ${projectId} and id = ${id}
      ${isLocked ? sql`for no key update` : sql``}`,
  );
}

/** The text below incidents that alerts of this project open; undefined where none was chosen. */
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

/** Undefined: it is gone. */
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

/** Where it was the one of alerts, there is none from now on. */
export function deleteTemplate(db: Queries, projectId: number, id: number): Promise<number> {
  return db.run(sql`delete from incident_templates where project_id = ${projectId} and id = ${id}`);
}
