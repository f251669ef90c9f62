/** Records events in the transaction of what happened (spec: What the service does 4). */
import type { Queries } from "../platform/db.ts";
import { capOf } from "./cap.ts";
import type { NewEvent } from "./event.ts";
import { placeTargets } from "./place-targets.ts";
import { findWindow, insertEvents, type PlacedEvent } from "./store.ts";
import { insertCommits } from "./store-commits.ts";
import { changeOf, foldedChanges, OWN, type Target, type TargetChange } from "./target.ts";

/** The key of a recorded event. */
export interface RecordedEvent {
  id: number;
  createdAt: Date;
}

/** Writes events whose targets are known; returns their keys in the same order. */
export type InsertEvents = (tx: Queries, events: readonly PlacedEvent[]) => Promise<RecordedEvent[]>;

/**
 * Records one event of the service itself (a project was made, a member joined, an incident was closed) in the transaction of
 * the change. An incident has `targetType: "Incident"`, its id and number as `targetId` and `targetIid`, and its `title`; a
 * comment on it has `note`, with `noteableType: "Issue"` and the incident's id and number there.
 */
export async function recordEvent(tx: Queries, event: NewEvent): Promise<RecordedEvent> {
  const [recorded] = await recordEvents(tx, [event], OWN);
  return recorded as RecordedEvent;
}

/**
 * Records events in the order of their arrival; returns their keys in the same order.
 * @param sourceId whose ids the targets have: those of the service, of the write API, or of an event source
 * @param insert how the events are written
 */
export async function recordEvents(
  tx: Queries,
  given: readonly NewEvent[],
  sourceId: number,
  insert: InsertEvents = insertEvents,
): Promise<RecordedEvent[]> {
  const events = given.length > 1 ? await atOneMoment(tx, given) : given;
  const changes = events.map(changeOf);
  const isFew = insert === insertEvents && events.length > 0 && events.length <= MAX_TOGETHER;
  const known = isFew ? knownBefore(events, changes) : undefined;
  if (known)
    return insertEvents(tx, known.placed, { sourceId, changes: foldedChanges(known.changeOf), ...known });
  const targets = await placeTargets(tx, sourceId, changes);
  const placed = events.map((event, index) => place(event, changes[index], targets[index]));
  const recorded = await insert(tx, placed);
  const pushes = events.flatMap(({ commits }, index) => {
    const { id, createdAt } = recorded[index] as RecordedEvent;
    return commits && commits.length > 0 ? [{ id, createdAt, commits }] : [];
  });
  if (pushes.length > 0) await insertCommits(tx, pushes);
  return recorded;
}

/** Updates the title and confidentiality of a target that a source reports without an event (decision 0164). */
export async function recordTurn(
  tx: Queries,
  turned: Omit<NewEvent, "action" | "authorId">,
  sourceId: number,
): Promise<void> {
  const change = changeOf({ ...turned, action: "updated", authorId: 0 });
  if (change?.key !== undefined) await placeTargets(tx, sourceId, [change]);
}

/** How many events are written in one statement with their targets, in which each looks its target up among all of them. */
const MAX_TOGETHER = 100;

/**
 * The events as they can be written together with their targets, in one statement: their targets have keys, and neither the
 * ids of the events nor who may see them depend on the stored targets. Undefined: that is not so for all of them.
 */
function knownBefore(events: readonly NewEvent[], changes: readonly (TargetChange | undefined)[]) {
  const placed: PlacedEvent[] = [];
  const withKeys: TargetChange[] = [];
  for (const [index, event] of events.entries()) {
    const { targetId, targetIid } = event;
    const change = changes[index];
    const cap = capOf(event, false);
    const isOpen = cap === capOf(event, true) && event.confidential === undefined;
    const isNumbered = targetId !== undefined && targetIid !== undefined && change?.key !== undefined;
    if (!isOpen || !isNumbered || event.note || event.commits) return undefined;
    placed.push({ event, cap, targetId, targetIid, targetRef: undefined });
    withKeys.push(change);
  }
  return { placed, changeOf: withKeys };
}

/** The events of one batch with a time each, since they are ordered by it: those without one get the same. */
async function atOneMoment(tx: Queries, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  if (events.every((event) => event.createdAt)) return events;
  const { now } = await findWindow(tx, []);
  return events.map((event) => ({ ...event, createdAt: event.createdAt ?? now }));
}

function place(event: NewEvent, change: TargetChange | undefined, target: Target | undefined): PlacedEvent {
  const cap = capOf(event, target?.confidential ?? false);
  // A comment has an id of its own; its target row is the thing that it comments on.
  if (event.note || !change || !target) {
    const { targetId, targetIid } = event;
    return { event, cap, targetId, targetIid, targetRef: target?.id };
  }
  const targetId = event.targetId ?? target.number;
  const targetIid = event.targetIid ?? targetId;
  return { event, cap, targetId, targetIid, targetRef: target.id };
}
