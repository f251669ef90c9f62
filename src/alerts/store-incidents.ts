/** Statements about incidents and their notes. */
import { USER_STATES } from "../accounts/user.ts";
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { INCIDENT_STATES, type Incident, type IncidentFilter, IncidentRow, isSought } from "./incident.ts";
import { hasOpenAlert } from "./store-closing.ts";
import { isFound } from "./store-incident-filter.ts";
import { WAITING } from "./store-statuses.ts";

/** The columns of an incident `n`, with its author `u` and its closer `c`. */
export const incidentColumns = sql`n.id, n.project_id, n.iid, n.title, n.description, n.severity, n.state, n.storm, n.author_id,
  u.username as author_username, u.name as author_name, u.state as author_state, n.closed_at, n.closed_by as closed_by_id,
  c.username as closed_by_username, c.name as closed_by_name, c.state as closed_by_state,
  (select count(*) from incident_notes t where t.incident_id = n.id and not t.system) as note_count,
  n.created_at, n.updated_at`;
export const incidentsWithPeople = sql`incidents n left join users u on u.id = n.author_id
  left join users c on c.id = n.closed_by`;

/** How many incidents a search reads, the newest first, as for alerts (decision 0091). */
export const SEARCHED_INCIDENTS = 50_000;

/** The incidents of a project that match the filter in any state, among the newest. */
const found = (projectId: number, asked: IncidentFilter) => sql`(
  select id, state, created_at, updated_at from (
    select id, iid, state, created_at, updated_at, title, description, author_id from incidents
    where project_id = ${projectId} ${asked.iids ? sql`and iid = any (${asked.iids}::bigint[])` : sql``}
    order by iid desc limit ${SEARCHED_INCIDENTS}) newest
  where ${isFound(asked)})`;

/**
 * Lists a page of incidents, by the time of opening or of the last change. With only a state filtered and by the time of
 * opening, only the rows up to the end of the page are read.
 */
export function listIncidents(
  db: Queries,
  projectId: number,
  filter: IncidentFilter,
  page: { limit: number; offset: number; ascending?: boolean; byChange?: boolean },
): Promise<Incident[]> {
  const direction = page.ascending ? sql`asc` : sql`desc`;
  const moment = page.byChange ? sql`n.updated_at` : sql`n.created_at`;
  const order = sql`order by ${moment} ${direction}, n.id ${direction}`;
  const states = filter.state === undefined ? INCIDENT_STATES : [filter.state];
  // The index is ordered within each state.
  const candidates =
    isSought(filter) || page.byChange
      ? sql`select n.id, ${moment} from ${found(projectId, filter)} n where n.state = any (${states}::text[])`
      : sql`select n.id, n.created_at from unnest(${states}::text[]) as of_state (name) cross join lateral (
        select n.id, n.created_at from incidents n where n.project_id = ${projectId} and n.state = of_state.name
        ${order} limit ${page.limit + page.offset}) n`;
  // The planner does not know how long a page is, and would scan whole tables; `offset 0` makes it look up each row by itself.
  return db.many(
    IncidentRow,
    sql`select ${incidentColumns} from (
        select n.id from (${candidates}) n ${order} limit ${page.limit} offset ${page.offset}
      ) chosen
      cross join lateral (select * from incidents i where i.id = chosen.id offset 0) n
      left join lateral (select * from users where id = n.author_id offset 0) u on true
      left join lateral (select * from users where id = n.closed_by offset 0) c on true ${order}`,
  );
}

export const IncidentCountsRow = row({ opened: integer, closed: integer, all: integer });

/** Counts incidents. Single incidents are never removed and their iids have no gaps, so the last iid is the number of all. */
export function countIncidents(db: Queries, projectId: number, filter: IncidentFilter = {}) {
  return db.one(
    IncidentCountsRow,
    isSought(filter)
      ? sql`select count(*) filter (where n.state = 'opened') as opened,
          count(*) filter (where n.state = 'closed') as closed, count(*) as "all" from ${found(projectId, filter)} n`
      : sql`select opened, greatest("all" - opened, 0) as closed, "all" from
          (select count(*) as opened from incidents where project_id = ${projectId} and state = 'opened') o,
          (select coalesce(max(last), 0)::bigint as "all" from project_counters
            where project_id = ${projectId} and kind = 'incident') c`,
  );
}

/**
 * Counts the open alerts and incidents of a project. Every page of a project needs them, so incidents are counted only up to a
 * thousand: the navigation shows no larger number.
 */
export function countOpenWork(db: Queries, projectId: number) {
  return db.one(
    row({ openAlerts: integer, openIncidents: integer }),
    sql`select (select coalesce(sum(n), 0)::bigint from alert_counts where project_id = ${projectId}
          and status in ${WAITING}) as open_alerts,
        (select count(*) from (select from incidents where project_id = ${projectId} and state = 'opened'
          limit 1000) first_ones) as open_incidents`,
  );
}

const byIid = (projectId: number, iid: number) =>
  sql`select ${incidentColumns} from ${incidentsWithPeople} where n.project_id = ${projectId} and n.iid = ${iid}`;

export function findIncident(db: Queries, projectId: number, iid: number): Promise<Incident | undefined> {
  return db.find(IncidentRow, byIid(projectId, iid));
}

/** Returns an incident that this transaction has inserted or updated, so that nobody can have removed it. */
export function incidentNow(tx: Queries, projectId: number, iid: number): Promise<Incident> {
  return tx.one(IncidentRow, byIid(projectId, iid));
}

export interface IncidentChange {
  title: string;
  description: string;
  severity: Incident["severity"];
  state: Incident["state"];
  /** Who closes it now; an incident that is closed already keeps its closer. */
  closedBy: number;
}

export function updateIncident(db: Queries, id: number, change: IncidentChange): Promise<number> {
  return db.run(
    sql`update incidents set title = ${change.title}, description = ${change.description}, severity = ${change.severity},
        state = ${change.state},
        closed_at = case when ${change.state} = 'closed' then coalesce(closed_at, now()) end,
        closed_by = case when ${change.state} = 'closed'
          then case when state = 'closed' then closed_by else ${change.closedBy}::bigint end end,
        updated_at = now()
      where id = ${id}`,
  );
}

/** Closes an incident without open alerts; undefined if it is closed already or has one. */
export function closeIncident(db: Queries, id: number, closedBy: number) {
  return db.find(
    row({ title: text }),
    sql`update incidents set state = 'closed', closed_at = now(), closed_by = ${closedBy}, updated_at = now()
      where id = ${id} and state = 'opened' and not ${hasOpenAlert(sql`${id}`)} returning title`,
  );
}

/** Reopens a closed incident; undefined if it is not closed. */
export function reopenIncident(db: Queries, id: number) {
  return db.find(
    row({ title: text }),
    sql`update incidents set state = 'opened', closed_at = null, closed_by = null, updated_at = now()
      where id = ${id} and state = 'closed' returning title`,
  );
}

/** Inserts the incident of an alert that has none, titled by its number if `untitled`; the caller has locked the project. */
export function insertIncidentOfAlert(
  db: Queries,
  alert: { id: number; projectId: number; title: string; severity: Incident["severity"] },
  made: { authorId: number; description: string; untitled: boolean },
): Promise<{ id: number; iid: number; title: string }> {
  return db.one(
    row({ id: integer, iid: integer, title: text }),
    sql`with counter as (
        insert into project_counters as c (project_id, kind, last) values (${alert.projectId}, 'incident', 1)
        on conflict (project_id, kind) do update set last = c.last + 1 returning last
      ), incident as (
        insert into incidents (project_id, iid, title, description, severity, author_id)
        select ${alert.projectId}, last, case when ${made.untitled}::boolean then 'New: Incident ' || last
          else ${alert.title} end, ${made.description}, ${alert.severity}, ${made.authorId}::bigint
        from counter returning id, iid, title
      ), linked as (
        update alerts set incident_id = incident.id, updated_at = now() from incident where alerts.id = ${alert.id}
      )
      select id, iid, title from incident`,
  );
}

/** Inserts an incident without an alert, or of a storm. */
export function insertIncident(
  db: Queries,
  made: Pick<Incident, "projectId" | "title" | "description" | "severity" | "storm"> & { authorId: number },
): Promise<{ id: number; iid: number }> {
  return db.one(
    row({ id: integer, iid: integer }),
    sql`with counter as (
        insert into project_counters as c (project_id, kind, last) values (${made.projectId}, 'incident', 1)
        on conflict (project_id, kind) do update set last = c.last + 1 returning last
      )
      insert into incidents (project_id, iid, title, description, severity, author_id, storm)
      select ${made.projectId}, last, ${made.title}, ${made.description}, ${made.severity}, ${made.authorId}::bigint,
        ${made.storm}::boolean
      from counter returning id, iid`,
  );
}

/** Lists the alerts of an incident: the open ones, then the others, a hundred at most. */
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
      order by status = 'resolved', id limit 100`,
  );
}

/** Counts the alerts of an incident, and the open ones among them. */
export function countAlertsOfIncident(db: Queries, incidentId: number) {
  return db.one(
    row({ open: integer, all: integer }),
    sql`select count(*) filter (where status <> 'resolved') as open, count(*) as "all" from alerts
      where incident_id = ${incidentId}`,
  );
}

/** A note of an incident, or a line of an alert's activity as a note. */
export const NoteRow = row({
  id: integer,
  body: text,
  system: boolean,
  authorId: nullable(integer),
  authorUsername: nullable(text),
  authorName: nullable(text),
  authorState: nullable(oneOf(USER_STATES)),
  createdAt: instant,
  updatedAt: instant,
});
export type Note = RowOf<typeof NoteRow>;

const noteColumns = sql`t.id, t.body, t.system, t.author_id, u.username as author_username, u.name as author_name,
  u.state as author_state, t.created_at, t.updated_at`;

/** Which notes: those that people wrote, or the lines that the service added. */
export type NoteKind = "comments" | "activity";

const isOfKind = (kind: NoteKind | undefined) =>
  kind === undefined ? sql`true` : kind === "comments" ? sql`not system` : sql`system`;

/** Lists a page of notes; with `letters`, only the beginning of each. */
export function listNotes(
  db: Queries,
  incidentId: number,
  page: { limit: number; offset: number; ascending?: boolean; letters?: number; kind?: NoteKind | undefined },
): Promise<Note[]> {
  const direction = page.ascending ? sql`asc` : sql`desc`;
  const order = sql`order by t.created_at ${direction}, t.id ${direction}`;
  const body = page.letters === undefined ? sql`body` : sql`left(body, ${page.letters}) as body`;
  return db.many(
    NoteRow,
    sql`select ${noteColumns} from (
        select id, ${body}, system, author_id, created_at, updated_at from (
          select * from incident_notes t where incident_id = ${incidentId} and ${isOfKind(page.kind)}
          ${order} limit ${page.limit} offset ${page.offset}) page
      ) t left join users u on u.id = t.author_id ${order}`,
  );
}

export function findNote(db: Queries, incidentId: number, id: number): Promise<Note | undefined> {
  const from = sql`incident_notes t left join users u on u.id = t.author_id`;
  return db.find(
    NoteRow,
    sql`select ${noteColumns} from ${from} where t.id = ${id} and t.incident_id = ${incidentId}`,
  );
}

export function countNotes(db: Queries, incidentId: number, kind?: NoteKind): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from incident_notes where incident_id = ${incidentId} and ${isOfKind(kind)}`,
  );
}

export function insertNote(
  db: Queries,
  { incidentId, authorId, body }: { incidentId: number; authorId: number; body: string },
): Promise<Note> {
  return db.one(
    NoteRow,
    sql`with t as (
        insert into incident_notes (incident_id, author_id, body) values (${incidentId}, ${authorId}, ${body})
        returning id, body, system, author_id, created_at, updated_at
      )
      select ${noteColumns} from t left join users u on u.id = t.author_id`,
  );
}

/** Inserts lines that the service itself adds to incidents' timelines. */
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
