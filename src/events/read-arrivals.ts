/** Reads what has arrived since a position, and returns the position after it (contract-events §4, gap-free tail). */
import type { Queries } from "../platform/db.ts";
import type { EventQuery } from "./filter.ts";
import { type Arrival, checkPosition, type Horizon, positionAt } from "./position.ts";
import { type ArrivedEvent, findHorizon, listArrived } from "./store-arrivals.ts";

/** What was read, and the position after it. */
export interface Arrivals {
  events: ArrivedEvent[];
  next: Arrival;
  /** The page is full: the same request gives the same events, whatever happens to running transactions. */
  isFull: boolean;
  /** The page is not full, and no committed event is held back until the horizon has passed it. */
  isAll: boolean;
}

/**
 * The next events in the order of arrival, at most `query.limit`; events that commit late are not skipped.
 * @param db for a query that may take long: `db.pooled`, or a transaction
 * @param horizon one that was read before
 * @throws ParameterProblem
 */
export async function readArrivals(
  db: Queries,
  query: EventQuery,
  since: Arrival,
  horizon?: Horizon,
): Promise<Arrivals> {
  // The horizon is read before the events: all transactions before it have committed by then, so that the query sees their
  // events.
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
