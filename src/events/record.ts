/** Records what happened, in the transaction of what happened (spec: What the service does 4). */
import type { Queries } from "../platform/db.ts";
import { capOf } from "./cap.ts";
import type { NewEvent } from "./event.ts";
import { placeTargets } from "./place-targets.ts";
import { findWindow, insertEvents, type PlacedEvent } from "./store.ts";
import { insertCommits } from "./store-commits.ts";
import { changeOf, foldedChanges, OWN, type Target, type TargetChange } from "./target.ts";

/** What a recorded event is known by. */
export interface RecordedEvent {
  id: number;
  createdAt: Date;
}

/** Writes events whose targets are known, and answers in their order. */
export type InsertEvents = (tx: Queries, events: readonly PlacedEvent[]) => Promise<RecordedEvent[]>;

/**
 * Records one event of the service itself (a project made, a member joined, an incident closed) in the transaction
 * that did it. Incidents: `targetType: "Incident"`, `targetId` and `targetIid` their own numbers, `title`; a comment on
 * one carries `note` with `noteableType: "Issue"` and the incident's numbers there.
 */
export async function recordEvent(tx: Queries, event: NewEvent): Promise<RecordedEvent> {
  const [recorded] = await recordEvents(tx, [event], OWN);
  return recorded as RecordedEvent;
}

/**
 * Records events in the order of their arrival; the answers stand in the same order. `sourceId` says whose numbers
 * the targets bear: the service's own, the write API's, or those of an event source. `insert` is how they are written.
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

/** Takes over how something is called and whether it is confidential, of which a source tells without an event (decision 0164). */
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

/** Events that are written in one statement with their targets, each of which is looked for among all of them. */
const MAX_TOGETHER = 100;

/**
 * Events of which all is known before their targets are written: those bear keys, and neither the numbers of the events
 * nor who may see them depend on what is known of the targets. Undefined: not all of them are such.
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

/** Events of one batch are compared by their moments, so "now" must be one of them. */
async function atOneMoment(tx: Queries, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  if (events.every((event) => event.createdAt)) return events;
  const { now } = await findWindow(tx, []);
  return events.map((event) => ({ ...event, createdAt: event.createdAt ?? now }));
}

function place(event: NewEvent, change: TargetChange | undefined, target: Target | undefined): PlacedEvent {
  const cap = capOf(event, target?.confidential ?? false);
  // A comment has numbers of its own; its target row is what it is on.
  if (event.note || !change || !target) {
    const { targetId, targetIid } = event;
    return { event, cap, targetId, targetIid, targetRef: target?.id };
  }
  const targetId = event.targetId ?? target.number;
  const targetIid = event.targetIid ?? targetId;
  return { event, cap, targetId, targetIid, targetRef: target.id };
}
