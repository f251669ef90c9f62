/** Records events that may have a replay key: a request whose key was used before is not recorded again. */
import type { Queries } from "../platform/db.ts";
import type { ReplayKey } from "./draft.ts";
import type { NewEvent } from "./event.ts";
import { type InsertEvents, recordEvents } from "./record.ts";
import { type EventKey, insertKeys, type KnownKey, listKeys } from "./store.ts";

/** The events that are one unit to their sender: a single one, or those of one push. All have the same time. */
export interface RecordRequest {
  projectId: number;
  createdAt: Date;
  events: readonly NewEvent[];
  key?: ReplayKey | undefined;
}

/** The outcome of a request; `conflict`: its key was used with another body. */
export interface Outcome {
  status: "created" | "duplicate" | "conflict";
  eventIds: number[];
  createdAt: Date;
}

/** Records the requests in their order; if several have the same key, the first one counts. */
export async function recordOnce(
  tx: Queries,
  requests: readonly RecordRequest[],
  sourceId: number,
  insert?: InsertEvents,
): Promise<Outcome[]> {
  const owners = new Map<string, number>();
  requests.forEach((request, index) => {
    const name = nameOf(request);
    if (name !== undefined && !owners.has(name)) owners.set(name, index);
  });
  const keys = await takeKeys(
    tx,
    [...owners.values()].map((index) => requests[index] as RecordRequest),
  );
  const outcomes = requests.map((request, index): Outcome => {
    const name = nameOf(request);
    const key = name === undefined ? undefined : keys.get(name);
    if (!key) return { status: "created", eventIds: [], createdAt: request.createdAt };
    const status =
      key.isNew && owners.get(name ?? "") === index
        ? "created"
        : key.bodyHash.equals(request.key?.bodyHash ?? Buffer.alloc(0))
          ? "duplicate"
          : "conflict";
    return { status, eventIds: key.eventIds, createdAt: key.eventCreatedAt };
  });
  await recordCreated(tx, requests, outcomes, { sourceId, insert });
  return outcomes;
}

async function recordCreated(
  tx: Queries,
  requests: readonly RecordRequest[],
  outcomes: readonly Outcome[],
  { sourceId, insert }: { sourceId: number; insert: InsertEvents | undefined },
): Promise<void> {
  const fresh = requests.flatMap((request, index) => {
    const outcome = outcomes[index] as Outcome;
    if (outcome.status !== "created") return [];
    return request.events.map((event, place) => ({
      outcome,
      place,
      event: { ...event, id: outcome.eventIds[place], externalId: request.key?.externalId },
    }));
  });
  if (fresh.length === 0) return;
  const recorded = await recordEvents(
    tx,
    fresh.map(({ event }) => event),
    sourceId,
    insert,
  );
  fresh.forEach(({ outcome, place }, index) => {
    outcome.eventIds[place] = (recorded[index] as { id: number }).id;
  });
}

/** Reserves the keys that are free for these requests, and returns all keys with what they stand for. */
async function takeKeys(tx: Queries, requests: readonly RecordRequest[]) {
  const wanted = requests.map(
    ({ projectId, createdAt, events, key }): EventKey => ({
      projectId,
      createdAt,
      count: events.length,
      externalId: key?.externalId ?? "",
      bodyHash: key?.bodyHash ?? Buffer.alloc(0),
    }),
  );
  const found = new Map<string, KnownKey & { isNew: boolean }>();
  if (wanted.length === 0) return found;
  for (const key of await insertKeys(tx, wanted)) found.set(keyName(key), { ...key, isNew: true });
  const taken = wanted.filter((key) => !found.has(keyName(key)));
  if (taken.length > 0) {
    for (const key of await listKeys(tx, taken)) found.set(keyName(key), { ...key, isNew: false });
  }
  return found;
}

/** What `recordOnce` would return, by reading only. */
export async function predictOutcomes(tx: Queries, requests: readonly RecordRequest[]): Promise<Outcome[]> {
  const keyed = requests.flatMap(({ projectId, key }) =>
    key ? [{ projectId, externalId: key.externalId }] : [],
  );
  const hashes = new Map<string, Buffer>();
  if (keyed.length > 0) {
    for (const key of await listKeys(tx, keyed)) hashes.set(keyName(key), key.bodyHash);
  }
  return requests.map(({ projectId, createdAt, key }): Outcome => {
    const nothing = { eventIds: [], createdAt };
    if (!key) return { status: "created", ...nothing };
    const name = keyName({ projectId, externalId: key.externalId });
    const before = hashes.get(name);
    if (!before) hashes.set(name, key.bodyHash);
    if (!before) return { status: "created", ...nothing };
    return { status: before.equals(key.bodyHash) ? "duplicate" : "conflict", ...nothing };
  });
}

function nameOf({ projectId, key }: RecordRequest): string | undefined {
  return key && keyName({ projectId, externalId: key.externalId });
}

function keyName({ projectId, externalId }: { projectId: number; externalId: string }): string {
  return `${projectId} ${externalId}`;
}
