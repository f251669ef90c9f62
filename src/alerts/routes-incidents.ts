/** The API of incidents, in the shapes of issues and notes (contract §3). */
import type { FastifyInstance } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { authorRecord } from "../accounts/wire.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Project } from "../projects/project.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { addNote } from "./add-note.ts";
import { changeIncident } from "./change-incident.ts";
import { createIncident } from "./create-incident.ts";
import { isSought } from "./incident.ts";
import { incidentFor } from "./incident-for.ts";
import { severityOf } from "./severity.ts";
import { countIncidents, countNotes, findNote, listIncidents, listNotes } from "./store-incidents.ts";
import { countParticipants, listParticipants } from "./store-participants.ts";
import { IncidentParameters, type ItemParameters } from "./wire.ts";
import {
  CHANGED_INCIDENT_ANSWERS,
  INCIDENT_ANSWERS,
  INCIDENTS_ANSWERS,
  NEW_INCIDENT_ANSWERS,
  NEW_NOTE_ANSWERS,
  NOTE_ANSWERS,
  NOTES_ANSWERS,
  PARTICIPANTS_ANSWERS,
} from "./wire-answers-incidents.ts";
import { incidentFilterOf } from "./wire-incident-filters.ts";
import {
  IssueBody,
  IssuesQuery,
  issueRecord,
  NewIssueBody,
  NoteBody,
  NoteParameters,
  NotesQuery,
  noteKindOf,
  noteRecord,
  ParticipantsQuery,
} from "./wire-incidents.ts";

type OfIncident = { Params: ItemParameters };

export function incidentRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
  participantRoutes(app, platform);
  noteRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: IssuesQuery }>(
    "/projects/:id/issues",
    {
      ...answering(needsScope(platform, "read_api", "api"), INCIDENTS_ANSWERS),
      schema: { params: ProjectParameters, querystring: IssuesQuery },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "reporter");
      const { query } = request;
      const { total, records } = await incidentsIn(platform, caller, project, query);
      setPageHeaders(request, reply, config.publicUrl, pageOf(query), total);
      return records;
    },
  );
  app.post<{ Params: Static<typeof ProjectParameters>; Body: NewIssueBody }>(
    "/projects/:id/issues",
    {
      ...answering(needsScope(platform, "api"), NEW_INCIDENT_ANSWERS),
      schema: { params: ProjectParameters, body: NewIssueBody },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "reporter");
      const { title, description = "" } = request.body;
      const severity = severityOf(request.body.severity) ?? "unknown";
      const made = await createIncident(platform, caller.id, project, { title, description, severity });
      return reply.code(201).send(issueRecord(made, project.fullPath, config.publicUrl));
    },
  );
}

/** A page of the incidents of a project as records, and the number of all. */
export async function incidentsIn(
  { db, config }: Platform,
  asker: Asker,
  project: Project,
  query: IssuesQuery,
) {
  const filter = incidentFilterOf(query, asker.id);
  const byChange = query.order_by === "updated_at";
  const range = { ...rowsOf(pageOf(query)), ascending: query.sort === "asc", byChange };
  const way = filter && (isSought(filter) || byChange) ? db.pooled : db;
  const [incidents, counts] = filter
    ? await Promise.all([
        listIncidents(way, project.id, filter, range),
        countIncidents(way, project.id, filter),
      ])
    : [[], undefined];
  const records = incidents.map((incident) => issueRecord(incident, project.fullPath, config.publicUrl));
  return { total: counts?.[filter?.state ?? "all"] ?? 0, records };
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { config } = platform;
  app.get<OfIncident>(
    "/projects/:id/issues/:iid",
    {
      ...answering(needsScope(platform, "read_api", "api"), INCIDENT_ANSWERS),
      schema: { params: IncidentParameters },
    },
    async (request) => {
      const caller = callerOf(request);
      const { project, incident } = await incidentFor(platform, caller, request.params, "reporter");
      return issueRecord(incident, project.fullPath, config.publicUrl);
    },
  );
  app.put<OfIncident & { Body: IssueBody }>(
    "/projects/:id/issues/:iid",
    {
      ...answering(needsScope(platform, "api"), CHANGED_INCIDENT_ANSWERS),
      schema: { params: IncidentParameters, body: IssueBody },
    },
    async (request) => {
      const caller = callerOf(request);
      const { project, incident } = await incidentFor(platform, caller, request.params, "developer");
      const { state_event, title, description, severity } = request.body;
      const edit = { stateEvent: state_event, title, description, severity: severityOf(severity) };
      const changed = await changeIncident(platform, caller.id, project, incident.iid, edit);
      return issueRecord(changed, project.fullPath, config.publicUrl);
    },
  );
}

function participantRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<OfIncident & { Querystring: ParticipantsQuery }>(
    "/projects/:id/issues/:iid/participants",
    {
      ...answering(needsScope(platform, "read_api", "api"), PARTICIPANTS_ANSWERS),
      schema: { params: IncidentParameters, querystring: ParticipantsQuery },
    },
    async (request, reply) => {
      const { incident } = await incidentFor(platform, callerOf(request), request.params, "reporter");
      const page = pageOf(request.query);
      const [total, people] = await Promise.all([
        countParticipants(db, incident.id),
        listParticipants(db, incident.id, rowsOf(page)),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return people.map((person) => authorRecord(person, config.publicUrl));
    },
  );
}

function noteRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<OfIncident & { Querystring: NotesQuery }>(
    "/projects/:id/issues/:iid/notes",
    {
      ...answering(needsScope(platform, "read_api", "api"), NOTES_ANSWERS),
      schema: { params: IncidentParameters, querystring: NotesQuery },
    },
    async (request, reply) => {
      const { incident } = await incidentFor(platform, callerOf(request), request.params, "reporter");
      const page = pageOf(request.query);
      const kind = noteKindOf(request.query);
      const [notes, total] = await Promise.all([
        listNotes(db, incident.id, { ...rowsOf(page), ascending: request.query.sort === "asc", kind }),
        countNotes(db, incident.id, kind),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return notes.map((note) => noteRecord(note, incident, config.publicUrl));
    },
  );
  app.get<{ Params: Static<typeof NoteParameters> }>(
    "/projects/:id/issues/:iid/notes/:note_id",
    {
      ...answering(needsScope(platform, "read_api", "api"), NOTE_ANSWERS),
      schema: { params: NoteParameters },
    },
    async (request) => {
      const { incident } = await incidentFor(platform, callerOf(request), request.params, "reporter");
      const note = await findNote(db, incident.id, idIn(request.params.note_id));
      if (!note) throw new Problem("not_found", "404 Not found");
      return noteRecord(note, incident, config.publicUrl);
    },
  );
  app.post<OfIncident & { Body: NoteBody }>(
    "/projects/:id/issues/:iid/notes",
    {
      ...answering(needsScope(platform, "api"), NEW_NOTE_ANSWERS),
      schema: { params: IncidentParameters, body: NoteBody },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { incident } = await incidentFor(platform, caller, request.params, "reporter");
      const note = await addNote(platform, caller.id, incident, request.body.body);
      return reply.code(201).send(noteRecord(note, incident, config.publicUrl));
    },
  );
}
