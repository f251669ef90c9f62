/** Reads what has arrived since a position, and says where the reader stands then (contract-events §4, gap-free tail). */
import type { Queries } from "../platform/db.ts";
import type { EventQuery } from "./filter.ts";
import { type Arrival, checkPosition, type Horizon, positionAt } from "./position.ts";
import { type ArrivedEvent, findHorizon, listArrived } from "./store-arrivals.ts";

/** What was read, and where the reader stands then. */
export interface Arrivals {
  events: ArrivedEvent[];
  next: Arrival;
  /** A page that is full tells the same again whatever becomes of transactions that are under way. */
  isFull: boolean;
  /** Neither full, nor is there any event that has committed and will be told only once the horizon has passed it. */
  isAll: boolean;
}

/**
 * The next events in the order of arrival, at most `query.limit`; nothing is passed over that commits late.
 * @param db where it may take its time: `db.pooled`, or a transaction
 * @param horizon one that was read before
 * @throws ParameterProblem
 */
export async function readArrivals(
  db: Queries,
  query: EventQuery,
  since: Arrival,
  horizon?: Horizon,
): Promise<Arrivals> {
  // First the horizon, then the events: what is before it has committed by then, so the second look sees it all.
  const now = horizon ?? (await findHorizon(db));
  checkPosition(since, now);
  const { epoch } = now;
  if (!isBehind(since, now)) return { events: [], next: { ...since, epoch }, isFull: false, isAll: false };
  const found = await listArrived(db, query, since);
  const events = found.filter(({ arrivedIn }) => BigInt(arrivedIn) < BigInt(now.horizon));
  const last = events.length === query.limit ? events.at(-1) : undefined;
  return {
    events,
    next: last ? { epoch, transaction: last.arrivedIn, id: last.id } : positionAt(now),
    isFull: last !== undefined,
    isAll: events.length === found.length && last === undefined,
  };
}

/** Whether anything can have arrived between the position and the horizon. */
export function isBehind(since: Arrival, { horizon }: Horizon): boolean {
  return BigInt(horizon) > BigInt(since.transaction);
}
