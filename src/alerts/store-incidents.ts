/** Statements about incidents and their notes. */
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { type Incident, IncidentRow } from "./incident.ts";

const incidentColumns = sql`n.id, n.project_id, n.iid, n.title, n.description, n.severity, n.state, n.author_id,
  u.username as author_username, u.name as author_name, u.state as author_state, n.closed_at, n.closed_by as closed_by_id,
  c.username as closed_by_username, c.name as closed_by_name,
  (select count(*) from incident_notes t where t.incident_id = n.id and not t.system) as note_count,
  n.created_at, n.updated_at`;
const incidentsWithPeople = sql`incidents n left join users u on u.id = n.author_id
  left join users c on c.id = n.closed_by`;

export interface IncidentFilter {
  state?: Incident["state"] | undefined;
  search?: string | undefined;
}

const chosen = (projectId: number, filter: IncidentFilter) => sql`n.project_id = ${projectId}
  and (${filter.state ?? null}::text is null or n.state = ${filter.state ?? null})
  and (${filter.search ?? null}::text is null
    or strpos(lower(n.title || ' ' || n.description), lower(${filter.search ?? null})) > 0)`;

export function listIncidents(
  db: Queries,
  projectId: number,
  filter: IncidentFilter,
  page: { limit: number; offset: number; ascending?: boolean },
): Promise<Incident[]> {
  const direction = page.ascending ? sql`asc` : sql`desc`;
  return db.many(
    IncidentRow,
    sql`select ${incidentColumns} from ${incidentsWithPeople} where ${chosen(projectId, filter)}
      order by n.created_at ${direction}, n.id ${direction} limit ${page.limit} offset ${page.offset}`,
  );
}

export const IncidentCountsRow = row({ opened: integer, closed: integer, all: integer });

export function countIncidents(db: Queries, projectId: number, filter: IncidentFilter = {}) {
  return db.one(
    IncidentCountsRow,
    sql`select count(*) filter (where n.state = 'opened') as opened,
        count(*) filter (where n.state = 'closed') as closed, count(*) as "all"
      from incidents n where ${chosen(projectId, filter)}`,
  );
}

/** How many alerts and incidents of a project are open. */
export function countOpenWork(db: Queries, projectId: number) {
  return db.one(
    row({ openAlerts: integer, openIncidents: integer }),
    sql`select (select coalesce(sum(n), 0)::bigint from alert_counts where project_id = ${projectId}
          and status in ('triggered', 'acknowledged')) as open_alerts,
        (select count(*) from incidents where project_id = ${projectId} and state = 'opened') as open_incidents`,
  );
}

export function findIncident(db: Queries, projectId: number, iid: number): Promise<Incident | undefined> {
  return db.find(
    IncidentRow,
    sql`select ${incidentColumns} from ${incidentsWithPeople} where n.project_id = ${projectId} and n.iid = ${iid}`,
  );
}

export interface IncidentChange {
  title: string;
  description: string;
  state: Incident["state"];
  /** Who closes it now; what was closed before keeps its closer. */
  closedBy: number;
}

export function updateIncident(db: Queries, id: number, change: IncidentChange): Promise<number> {
  return db.run(
    sql`update incidents set title = ${change.title}, description = ${change.description}, state = ${change.state},
        closed_at = case when ${change.state} = 'closed' then coalesce(closed_at, now()) end,
        closed_by = case when ${change.state} = 'closed'
          then case when state = 'closed' then closed_by else ${change.closedBy}::bigint end end,
        updated_at = now()
      where id = ${id}`,
  );
}

/** Closes an open incident; 1 if it was open. */
export function closeIncident(db: Queries, id: number, closedBy: number): Promise<number> {
  return db.run(
    sql`update incidents set state = 'closed', closed_at = now(), closed_by = ${closedBy}, updated_at = now()
      where id = ${id} and state = 'opened'`,
  );
}

/** Opens a closed incident again; 1 if it was closed. */
export function reopenIncident(db: Queries, id: number): Promise<number> {
  return db.run(
    sql`update incidents set state = 'opened', closed_at = null, closed_by = null, updated_at = now()
      where id = ${id} and state = 'closed'`,
  );
}

/** Makes the incident of an alert that has none; the project is locked. */
export function insertIncidentOfAlert(
  db: Queries,
  alert: { id: number; projectId: number; title: string; severity: Incident["severity"] },
  made: { authorId: number; description: string },
): Promise<{ id: number; iid: number }> {
  return db.one(
    row({ id: integer, iid: integer }),
    sql`with counter as (
        insert into project_counters as c (project_id, kind, last) values (${alert.projectId}, 'incident', 1)
        on conflict (project_id, kind) do update set last = c.last + 1 returning last
      ), incident as (
        insert into incidents (project_id, iid, title, description, severity, author_id)
        select ${alert.projectId}, last, ${alert.title}, ${made.description}, ${alert.severity}, ${made.authorId}::bigint
        from counter returning id, iid
      ), linked as (
        update alerts set incident_id = incident.id, updated_at = now() from incident where alerts.id = ${alert.id}
      )
      select id, iid from incident`,
  );
}

/** Makes an incident of no alert. */
export function insertIncident(
  db: Queries,
  projectId: number,
  authorId: number,
  made: Pick<Incident, "title" | "description" | "severity">,
): Promise<{ id: number; iid: number }> {
  return db.one(
    row({ id: integer, iid: integer }),
    sql`with counter as (
        insert into project_counters as c (project_id, kind, last) values (${projectId}, 'incident', 1)
        on conflict (project_id, kind) do update set last = c.last + 1 returning last
      )
      insert into incidents (project_id, iid, title, description, severity, author_id)
      select ${projectId}, last, ${made.title}, ${made.description}, ${made.severity}, ${authorId}::bigint
      from counter returning id, iid`,
  );
}

/** The alerts that belong to an incident. */
export function listAlertsOfIncident(db: Queries, incidentId: number) {
  return db.many(
    row({
      iid: integer,
      title: text,
      severity: oneOf(["critical", "high", "medium", "low", "info", "unknown"]),
      status: oneOf(["triggered", "acknowledged", "resolved", "ignored"]),
      events: integer,
      startedAt: instant,
    }),
    sql`select iid, title, severity, status, events, started_at from alerts where incident_id = ${incidentId}
      order by id limit 100`,
  );
}

export const NoteRow = row({
  id: integer,
  body: text,
  system: boolean,
  authorId: nullable(integer),
  authorUsername: nullable(text),
  authorName: nullable(text),
  authorState: nullable(oneOf(["active", "blocked"])),
  createdAt: instant,
  updatedAt: instant,
});
export type Note = RowOf<typeof NoteRow>;

const noteColumns = sql`t.id, t.body, t.system, t.author_id, u.username as author_username, u.name as author_name,
  u.state as author_state, t.created_at, t.updated_at`;

export function listNotes(
  db: Queries,
  incidentId: number,
  page: { limit: number; offset: number; ascending?: boolean },
): Promise<Note[]> {
  const direction = page.ascending ? sql`asc` : sql`desc`;
  return db.many(
    NoteRow,
    sql`select ${noteColumns} from incident_notes t left join users u on u.id = t.author_id
      where t.incident_id = ${incidentId}
      order by t.created_at ${direction}, t.id ${direction} limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countNotes(db: Queries, incidentId: number): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from incident_notes where incident_id = ${incidentId}`,
  );
  return n;
}

export function insertNote(db: Queries, incidentId: number, authorId: number, body: string): Promise<Note> {
  return db.one(
    NoteRow,
    sql`with t as (
        insert into incident_notes (incident_id, author_id, body) values (${incidentId}, ${authorId}, ${body})
        returning id, body, system, author_id, created_at, updated_at
      )
      select ${noteColumns} from t left join users u on u.id = t.author_id`,
  );
}

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
