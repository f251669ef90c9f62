/** Records events that incidents were opened or closed, in the transaction that did it. */
import type { NewEvent } from "../events/event.ts";
import { recordEvents } from "../events/record.ts";
import { OWN } from "../events/target.ts";
import type { Queries } from "../platform/db.ts";

/** An incident that changed its state; `authorId` is the person who did it, or the alert bot if the service did. */
export interface IncidentChange {
  action: "created" | "closed" | "reopened";
  projectId: number;
  incidentId: number;
  iid: number;
  title: string;
  authorId: number;
  /** When, on the database's clock; absent: now. */
  at?: Date;
}

/** Records one event for each change. */
export async function announceIncidents(tx: Queries, changes: readonly IncidentChange[]): Promise<void> {
  if (changes.length === 0) return;
  const events = changes.map(
    ({ action, projectId, incidentId, iid, title, authorId, at }): NewEvent => ({
      projectId,
      authorId,
      action,
      targetType: "Incident",
      targetId: incidentId,
      targetIid: iid,
      title,
      isForReporters: true,
      createdAt: at,
    }),
  );
  await recordEvents(tx, events, OWN);
}
