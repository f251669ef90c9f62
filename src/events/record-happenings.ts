/** Records what happens to projects and their members as events, with the member as author (contract-events §4, membership). */
import type { RecordHappenings } from "../projects/happenings.ts";
import type { NewEvent } from "./event.ts";
import { recordEvents } from "./record.ts";
import { OWN } from "./target.ts";

/** Runs in the transaction of the change; the event of an expired membership has the time at which it ended. */
export const recordHappenings: RecordHappenings = async (tx, happenings) => {
  if (happenings.length === 0) return;
  const events = happenings.map((happening): NewEvent => {
    const { kind: action, projectId, userId: authorId } = happening;
    const target = { targetType: "Project", targetId: projectId, targetIid: projectId } as const;
    return {
      action,
      projectId,
      authorId,
      ...target,
      createdAt: "at" in happening ? happening.at : undefined,
    };
  });
  await recordEvents(tx, events, OWN);
};
