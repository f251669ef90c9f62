/** Reads what has arrived since a position, and says where the reader stands then (contract-events §4, gap-free tail). */
import type { Db } from "../platform/db.ts";
import type { EventQuery } from "./filter.ts";
import { type Arrival, checkPosition, positionAt } from "./position.ts";
import { type ArrivedEvent, findHorizon, listArrived } from "./store-arrivals.ts";

/** The next events in the order of arrival, at most `query.limit`; nothing is passed over that commits late. @throws ParameterProblem */
export async function readArrivals(
  db: Db,
  query: EventQuery,
  since: Arrival,
): Promise<{ events: ArrivedEvent[]; next: Arrival }> {
  // First the horizon, then the events: what is before it has committed by then, so the second look sees it all.
  const now = await findHorizon(db);
  checkPosition(since, now);
  const { epoch, horizon } = now;
  if (BigInt(horizon) <= BigInt(since.transaction)) return { events: [], next: { ...since, epoch } };
  const events = await listArrived(db, query, since, horizon);
  const last = events.length === query.limit ? events.at(-1) : undefined;
  return {
    events,
    next: last ? { epoch, transaction: last.arrivedIn, id: last.id } : positionAt(now),
  };
}
