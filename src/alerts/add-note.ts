/** Adds a person's note to an incident. */
import { recordEvent } from "../events/record.ts";
import { isLongerThan } from "../platform/character-count.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem } from "../platform/problem.ts";
import type { Incident } from "./incident.ts";
import { LONGEST_NOTE } from "./note-lengths.ts";
import { insertNote, type Note } from "./store-incidents.ts";

/** @throws FieldProblem invalid: blank or too long */
export function addNote(
  platform: Platform,
  actorId: number,
  incident: Pick<Incident, "id" | "iid" | "projectId" | "title">,
  text: string,
): Promise<Note> {
  const body = text.trim();
  if (body === "") throw new FieldProblem({ note: ["can't be blank"] });
  if (isLongerThan(body, LONGEST_NOTE)) {
    throw new FieldProblem({ note: [`is too long (maximum is ${LONGEST_NOTE} characters)`] });
  }
  return platform.db.transaction(async (tx) => {
    const note = await insertNote(tx, { incidentId: incident.id, authorId: actorId, body });
    await recordEvent(tx, {
      projectId: incident.projectId,
      authorId: actorId,
      action: "commented",
      targetType: "Note",
      targetId: note.id,
      targetIid: note.id,
      title: incident.title,
      isForReporters: true,
      note: {
        type: null,
        body,
        attachment: null,
        system: false,
        internal: false,
        noteableType: "Issue",
        noteableIid: incident.iid,
        noteableId: incident.id,
        commitId: null,
      },
    });
    return note;
  });
}
