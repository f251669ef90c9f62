/** Statements about incidents and their notes. */
import type { Queries } from "../platform/db.ts";
import { json, sql } from "../platform/sql.ts";

/** Writes lines of incidents' timelines that the service itself adds. */
export function insertIncidentNotes(
  db: Queries,
  notes: readonly { incidentId: number; authorId: number; body: string }[],
): Promise<number> {
  const rows = notes.map((note) => ({
    incident_id: note.incidentId,
    author_id: note.authorId,
    body: note.body,
  }));
  return db.run(
    sql`insert into incident_notes (incident_id, author_id, body, system)
      select i.incident_id, i.author_id, i.body, true
      from jsonb_to_recordset(${json(rows)}::jsonb) as i (incident_id bigint, author_id bigint, body text)`,
  );
}
