/** The API of an alert's comments and activity, in the shape of notes, and of opening its incident by hand. */
import type { FastifyInstance } from "fastify";
import { anyCallerOf, callerOf, needsScopeAtPlace } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { projectFor } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import { commentOf } from "./change-alert.ts";
import { needsScopeInProject } from "./needs-scope-in-project.ts";
import { openIncident } from "./open-incident.ts";
import { findAlert } from "./store.ts";
import { countComments, insertComment, listComments } from "./store-comments.ts";
import { AlertParameters, type ItemParameters } from "./wire.ts";
import { ALERT_INCIDENT_ANSWERS, NEW_NOTE_ANSWERS, NOTES_ANSWERS } from "./wire-answers-incidents.ts";
import {
  AlertNoteBody,
  issueRecord,
  type NoteBody,
  NotesQuery,
  noteKindOf,
  noteRecord,
} from "./wire-incidents.ts";

type OfAlert = { Params: ItemParameters };

export function alertNoteRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const path = "/projects/:id/alert_management_alerts/:iid";
  app.get<OfAlert & { Querystring: NotesQuery }>(
    `${path}/notes`,
    {
      ...answering(needsScopeAtPlace(platform, "read_api", "api"), NOTES_ANSWERS),
      schema: { params: AlertParameters, querystring: NotesQuery },
    },
    async (request, reply) => {
      const alert = await alertFor(platform, anyCallerOf(request), request.params);
      const page = pageOf(request.query);
      const kind = noteKindOf(request.query);
      const [notes, total] = await Promise.all([
        listComments(db, alert.id, { ...rowsOf(page), ascending: request.query.sort === "asc", kind }),
        countComments(db, alert.id, kind),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return notes.map((note) =>
        noteRecord(note, { ...alert, noteable: "AlertManagement::Alert" }, config.publicUrl),
      );
    },
  );
  app.post<OfAlert & { Body: NoteBody }>(
    `${path}/notes`,
    {
      ...answering(needsScopeInProject(platform, "api"), NEW_NOTE_ANSWERS),
      schema: { params: AlertParameters, body: AlertNoteBody },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const alert = await alertFor(platform, caller, request.params);
      const note = await insertComment(db, {
        alertId: alert.id,
        authorId: caller.id,
        body: commentOf(request.body.body),
      });
      return reply
        .code(201)
        .send(noteRecord(note, { ...alert, noteable: "AlertManagement::Alert" }, config.publicUrl));
    },
  );
  app.post<OfAlert>(
    `${path}/incident`,
    {
      ...answering(needsScopeInProject(platform, "api"), ALERT_INCIDENT_ANSWERS),
      schema: { params: AlertParameters },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "developer");
      const made = await openIncident(platform, caller.id, project, idIn(request.params.iid));
      return reply.code(201).send(issueRecord(made, project.fullPath, config.publicUrl));
    },
  );
}

async function alertFor({ db }: Platform, asker: Asker | undefined, params: ItemParameters) {
  const project = await projectFor(db, asker, params.id, "developer");
  const alert = await findAlert(db, project.id, idIn(params.iid));
  if (!alert) throw new Problem("not_found", "404 Alert Not Found");
  return alert;
}
