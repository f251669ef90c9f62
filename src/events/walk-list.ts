/** Walks a whole list of events piece by piece, and checks the rights again for each (decision 0107). */
import type { Db } from "../platform/db.ts";
import type { Event } from "./event.ts";
import type { EventFilter, EventQuery } from "./filter.ts";
import { MAX_PASSED } from "./list-hint.ts";
import type { Cursor } from "./position.ts";
import { listPiece } from "./store-lists.ts";
import { findSummary } from "./store-summary.ts";
import { isWide } from "./subject.ts";

const EVENTS_A_PIECE = 500;

/** What may be seen now. @throws Problem when that is nothing any more */
export type Seen = () => Promise<Pick<EventQuery, "subject" | "asker">>;

/** Every event of the list in its order; only one piece is in memory at a time. @throws Problem of `seen` */
export async function* walkList(db: Db, seen: Seen, filter: EventFilter): AsyncGenerator<Event[]> {
  let span: number | undefined;
  let isDense: boolean | undefined;
  for (let from: Cursor | undefined; ; ) {
    const query = { ...(await seen()), filter, limit: EVENTS_A_PIECE, offset: 0, from };
    const events = await pieceOf(db, query, span);
    if (events.length > 0) yield events;
    const [first, last] = [events[0], events.at(-1)];
    if (!first || !last || events.length < EVENTS_A_PIECE) return;
    from = { createdAt: last.createdAt, id: last.id };
    isDense ??= await holdsMuch(db, query);
    const passed = Math.abs(first.createdAt.getTime() - last.createdAt.getTime());
    span = isDense ? Math.max(passed * WIDER, LEAST_SPAN_MS) : undefined;
  }
}

/** Factor on the time that the piece before covered. */
const WIDER = 3;
const LEAST_SPAN_MS = 60_000;

/** Whether a list over many projects contains so much of what happens that it is best walked by time. */
async function holdsMuch(db: Db, query: EventQuery): Promise<boolean> {
  // Counting a search would read the events.
  if (!isWide(query.subject) || query.filter.search !== undefined) return false;
  const summary = await findSummary(db, { ...query, from: undefined });
  return summary !== undefined && (EVENTS_A_PIECE / Math.max(1, summary.total)) * summary.all < MAX_PASSED;
}

/**
 * The next piece. Merging the newest events of many projects reads a hundred times what is kept. So the time in which a piece is
 * expected is walked first, which is enough if it holds a whole piece.
 */
async function pieceOf(db: Db, query: EventQuery, span: number | undefined): Promise<Event[]> {
  if (!isWide(query.subject)) return listPiece(db, query, "time");
  if (span !== undefined && query.from) {
    const near = await listPiece(db, { ...query, filter: nearby(query.filter, query.from, span) }, "time");
    if (near.length === query.limit) return near;
  }
  return listPiece(db, query, "projects");
}

function nearby(filter: EventFilter, { createdAt }: Cursor, span: number): EventFilter {
  const at = createdAt.getTime();
  if (filter.sort === "asc") {
    return { ...filter, to: new Date(Math.min(filter.to?.getTime() ?? Number.POSITIVE_INFINITY, at + span)) };
  }
  return { ...filter, from: new Date(Math.max(filter.from?.getTime() ?? 0, at - span)) };
}
