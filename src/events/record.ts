/** Records events in the transaction of what happened (spec: What the service does 4). */
import type { Queries } from "../platform/db.ts";
import { capOf } from "./cap.ts";
import type { NewEvent } from "./event.ts";
import { placeTargets } from "./place-targets.ts";
import { findWindow, insertEvents, type PlacedEvent } from "./store.ts";
import { insertCommits } from "./store-commits.ts";
import { changeOf, foldedChanges, OWN, type Target, type TargetChange } from "./target.ts";

/** What identifies a recorded event. */
export interface RecordedEvent {
  id: number;
  createdAt: Date;
}

/** Inserts events whose targets are known, and returns them in the same order. */
export type InsertEvents = (tx: Queries, events: readonly PlacedEvent[]) => Promise<RecordedEvent[]>;

/**
 * Records one event of the service itself (a project created, a member joined, an incident closed) in the transaction of the
 * change. Incidents have `targetType: "Incident"`, `targetId` and `targetIid` their own numbers, and `title`; a comment on one
 * has `note` with `noteableType: "Issue"` and the incident's numbers there.
 */
export async function recordEvent(tx: Queries, event: NewEvent): Promise<RecordedEvent> {
  const [recorded] = await recordEvents(tx, [event], OWN);
  return recorded as RecordedEvent;
}

/**
 * Records events in the order of their arrival, and returns them in the same order. `sourceId` says whose numbers the targets
 * have: the service's own, the write API's, or those of an event source. `insert` is how they are written.
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

/** Stores a new title or confidentiality of a target that a source reports without an event (decision 0164). */
export async function recordTurn(
  tx: Queries,
  turned: Pick<
    NewEvent,
    "projectId" | "targetType" | "targetId" | "targetIid" | "title" | "confidential" | "createdAt"
  >,
  sourceId: number,
): Promise<void> {
  const change = changeOf({ ...turned, action: "updated", authorId: 0 });
  if (change?.key !== undefined) await placeTargets(tx, sourceId, [change]);
}

/** Most events that are written in one statement with their targets: each event searches all of these. */
const MAX_TOGETHER = 100;

/**
 * Events that can be placed before their targets are written: the targets have keys, and neither the numbers of the events nor
 * their caps depend on what is stored of the targets. Undefined: not all events are like that.
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

/** Gives events without a time the present one: events of one batch are compared by their times. */
async function atOneMoment(tx: Queries, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  if (events.every((event) => event.createdAt)) return events;
  const { now } = await findWindow(tx, []);
  return events.map((event) => ({ ...event, createdAt: event.createdAt ?? now }));
}

function place(event: NewEvent, change: TargetChange | undefined, target: Target | undefined): PlacedEvent {
  const cap = capOf(event, target?.confidential ?? false);
  // A comment has numbers of its own; its target row is that of what was commented on.
  if (event.note || !change || !target) {
    const { targetId, targetIid } = event;
    return { event, cap, targetId, targetIid, targetRef: target?.id };
  }
  const targetId = event.targetId ?? target.number;
  const targetIid = event.targetIid ?? targetId;
  return { event, cap, targetId, targetIid, targetRef: target.id };
}
