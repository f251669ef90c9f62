/** Builders for tests of events: rows of every kind, written straight into the store. */
import type { NewEvent, NoteableType, TargetType } from "../../src/events/event.ts";
import { recordEvents } from "../../src/events/record.ts";
import type { World } from "./world.ts";

/** What a row is, without who and where. */
export type Kind = Omit<NewEvent, "projectId" | "authorId">;

/** A comment on something. */
export function comment(noteableType: NoteableType, noteableIid: number, more: object = {}): Kind {
  return {
    action: "commented",
    targetType: noteableType === "MergeRequest" ? "DiffNote" : "Note",
    note: {
      type: noteableType === "MergeRequest" ? "DiffNote" : null,
      body: "words",
      attachment: null,
      system: false,
      internal: false,
      noteableType,
      noteableIid,
      noteableId: null,
      commitId: null,
      ...more,
    },
  };
}

/** A push to a branch. */
export const push: Kind = {
  action: "pushed",
  push: {
    commitCount: 1,
    action: "pushed",
    refType: "branch",
    commitFrom: "1".repeat(40),
    commitTo: "2".repeat(40),
    ref: "main",
    commitTitle: "One",
    refCount: null,
  },
};

/** Something with a number. */
export function about(action: NewEvent["action"], targetType: TargetType, targetIid: number): Kind {
  return { action, targetType, targetIid, title: `${targetType} ${targetIid}` };
}

/** Records events as the write API would, in one transaction; returns their numbers. */
export async function record(world: World, events: readonly NewEvent[]): Promise<number[]> {
  const recorded = await world.platform.db.transaction((tx) => recordEvents(tx, events, 0));
  return recorded.map(({ id }) => id);
}
