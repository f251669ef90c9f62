/** The API of an incident's discussions: each note is a discussion of its own (GitLab v4 API, discussions; decision 0293). */
import type { FastifyInstance } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering, type Described } from "../platform/answers.ts";
import { pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import type { Incident } from "./incident.ts";
import { incidentFor } from "./incident-for.ts";
import { countNotes, findNote, listNotes, type Note } from "./store-incidents.ts";
import { IncidentParameters, type ItemParameters } from "./wire.ts";
import { type DISCUSSION, DISCUSSION_ANSWERS, DISCUSSIONS_ANSWERS } from "./wire-answers-incidents.ts";
import { noteRecord } from "./wire-incidents.ts";

const DiscussionsQuery = Type.Object(pageParameters);

const DiscussionParameters = Type.Object({
  ...IncidentParameters.properties,
  discussion_id: Type.String({ description: "id of the discussion" }),
});

export function discussionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");
  const path = "/projects/:id/issues/:iid/discussions";
  app.get<{ Params: ItemParameters; Querystring: Static<typeof DiscussionsQuery> }>(
    path,
    {
      ...answering(reads, DISCUSSIONS_ANSWERS),
      schema: { params: IncidentParameters, querystring: DiscussionsQuery },
    },
    async (request, reply) => {
      const { incident } = await incidentFor(platform, callerOf(request), request.params, "reporter");
      const page = pageOf(request.query);
      const [notes, total] = await Promise.all([
        listNotes(db, incident.id, { ...rowsOf(page), ascending: true }),
        countNotes(db, incident.id),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return notes.map((note) => discussionRecord(note, incident, config.publicUrl));
    },
  );
  app.get<{ Params: Static<typeof DiscussionParameters> }>(
    `${path}/:discussion_id`,
    { ...answering(reads, DISCUSSION_ANSWERS), schema: { params: DiscussionParameters } },
    async (request) => {
      const { incident } = await incidentFor(platform, callerOf(request), request.params, "reporter");
      const note = await findNote(db, incident.id, noteIdIn(request.params.discussion_id));
      if (!note) throw new Problem("not_found", "404 Discussion Not Found");
      return discussionRecord(note, incident, config.publicUrl);
    },
  );
}

function discussionRecord(note: Note, about: Incident, publicUrl: string): Described<typeof DISCUSSION> {
  return {
    id: discussionIdOf(note.id),
    individual_note: true,
    notes: [noteRecord(note, about, publicUrl)],
  };
}

/** Clients expect as many hexadecimal digits as a SHA-1 hash has; these are the note's id, so that it need not be stored. */
function discussionIdOf(noteId: number): string {
  return noteId.toString(16).padStart(40, "0");
}

/** Returns the id of the note of a discussion; 0, which no note has, if the text is no such id. */
function noteIdIn(discussionId: string): number {
  const id = /^[0-9a-f]{40}$/.test(discussionId) ? Number.parseInt(discussionId, 16) : 0;
  return Number.isSafeInteger(id) ? id : 0;
}
