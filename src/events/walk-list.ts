/** Walks a whole list of events piece by piece, the rights judged anew for each (decision 0107). */
import type { Db } from "../platform/db.ts";
import type { Event } from "./event.ts";
import type { EventFilter, EventQuery } from "./filter.ts";
import type { Cursor } from "./position.ts";
import { listPiece } from "./store-lists.ts";

const EVENTS_A_PIECE = 500;

/** What may be seen now. @throws Problem when it is nothing any more */
export type Seen = () => Promise<Pick<EventQuery, "subject" | "asker">>;

/** Every event of the list in its order; only one piece is held at a time. @throws Problem of `seen` */
export async function* walkList(db: Db, seen: Seen, filter: EventFilter): AsyncGenerator<Event[]> {
  for (let from: Cursor | undefined; ; ) {
    const query = { ...(await seen()), filter, limit: EVENTS_A_PIECE, offset: 0, from };
    const events = await listPiece(db, query);
    if (events.length > 0) yield events;
    const last = events.at(-1);
    if (!last || events.length < EVENTS_A_PIECE) return;
    from = { createdAt: last.createdAt, id: last.id };
  }
}
