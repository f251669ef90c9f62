/** Reads lists of events: permission is part of the query, so pages are full and totals exact. */
import type { Db, Queries } from "../platform/db.ts";
import { boolean, row } from "../platform/row.ts";
import { sharedAnswers } from "../platform/shared-answer.ts";
import { sql } from "../platform/sql.ts";
import { type Event, EventRow } from "./event.ts";
import type { EventQuery, SoughtQuery } from "./filter.ts";
import { type Hint, hintFor, type ReadPlan } from "./list-hint.ts";
import { hasFewDays } from "./store-days.ts";
import { isFar, readFarPage } from "./store-far-pages.ts";
import { lookAtRoles } from "./store-many-roles.ts";
import {
  joinShown,
  joinShownOf,
  orderOf,
  pageSelect,
  readPage,
  readPageApart,
  shownColumns,
} from "./store-pages.ts";
import { findSummary, type ListedEvents } from "./store-summary.ts";
import { rightsAnd } from "./store-visible.ts";

/** Lists a page of a subject that is known to be visible. */
export async function listEvents(db: Db, query: EventQuery): Promise<ListedEvents> {
  return (await findEvents(db, query)) ?? { events: [], total: 0, version: "" };
}

/**
 * Lists a page; undefined: there is no such project or person, or the asker may not see it. A list that is not known to be
 * quick is read once for all concurrent requests of the same person for the same page (decision 0214).
 */
export function findEvents(db: Db, query: SoughtQuery): Promise<ListedEvents | undefined> {
  if (isFar(query)) return readTogether(db, questionOf(query), () => readFarPage(db, query));
  const hint = hintFor(query);
  if (hint.isCheap) return readNear(db, query, hint);
  return readTogether(db, questionOf(query), () => readNear(db, query, hint));
}

const readTogether = sharedAnswers<ListedEvents | undefined>();

/** Everything that an answer depends on, apart from the database. */
function questionOf({ subject, asker, filter, limit, offset, from }: SoughtQuery): string {
  return JSON.stringify([subject, asker?.id, asker?.isAdmin, filter, limit, offset, from]);
}

/**
 * Reads a page by the plan of its hint, usually with one statement. If too few events were found, the plan is widened and
 * the list read again; the hint remembers it for the next read.
 */
async function readNear(db: Db, query: SoughtQuery, hint: Hint): Promise<ListedEvents | undefined> {
  const looksFurther = async () => !(await isAllOf(db, query, hint.plan)) && hint.widen();
  let mayReadAgain = true;
  for (;;) {
    if (hint.plan.way === undefined) {
      const summary = await findSummary(db, query);
      if (!summary) return undefined;
      const { total, version } = summary;
      if (total <= query.offset) return { events: [], total, version };
      hint.choose(summary);
    }
    const begun = performance.now();
    const { rows, together } = await (hint.isCheap
      ? readPage(db, query, hint.plan)
      : readPageApart(db, query, hint.plan));
    const took = performance.now() - begun;
    hint.took(took, together);
    if (took / together > SLOW_MS) await lookAtRoles(db, query.asker);
    const [first] = rows;
    if (!first) {
      // Without search words and cursor, the count says at once whether there are older events to look for.
      const isCounted = query.filter.search === undefined && !query.from;
      if (!isCounted && (await looksFurther())) continue;
      const page = query.from && pageSelect(query, orderOf(query), hint.plan);
      const summary = await findSummary(db, query, page);
      const isEmpty = query.from ? !summary?.holds : (summary?.total ?? 0) <= query.offset;
      // If it is not empty, events arrived meanwhile; their version must not become the tag of an empty answer.
      if (!isEmpty && ((isCounted && hint.widen()) || mayReadAgain)) {
        mayReadAgain = false;
        continue;
      }
      return summary && { events: [], total: summary.total, version: summary.version };
    }
    const isWhole = !first.owns && !query.from && first.total <= query.offset + rows.length;
    if (rows.length < query.limit && !isWhole && (await looksFurther())) continue;
    if (!first.owns) return { events: rows, total: first.total, version: first.version };
    const summary = await findSummary(db, query);
    return { events: rows, total: summary?.total ?? 0, version: first.version };
  }
}

/** Whether a page that is not full was read from all days that hold events of the list. */
async function isAllOf(db: Db, query: SoughtQuery, { way }: ReadPlan): Promise<boolean> {
  if (way !== "days") return false;
  const few = hasFewDays(query, orderOf(query));
  return (await db.pooled.one(row({ few: boolean }), sql`with ${rightsAnd(query)} select ${few} as few`)).few;
}

/** Milliseconds; a slower list may be that of a person with roles in very many projects. */
const SLOW_MS = 10;

/** The next events of a list after `query.from`, without total and version; `way` as in `ReadPlan`. */
export function listPiece(db: Db, query: EventQuery, way: "time" | "projects"): Promise<Event[]> {
  const order = orderOf(query);
  return db.pooled.many(
    EventRow,
    sql`with ${rightsAnd(query)}, page as materialized (${pageSelect(query, order, { floor: undefined, way })})
      select ${shownColumns} from page ${joinShownOf(query)}
      order by page.created_at ${order}, page.id ${order}`,
  );
}

/** The events that were just recorded, by their ids and time, for the answer to their sender; in the order of their ids. */
export function listRecorded(db: Queries, ids: readonly number[], createdAt: Date): Promise<Event[]> {
  return db.many(
    EventRow,
    sql`select ${shownColumns} from events page ${joinShown}
      where page.created_at = ${createdAt} and page.id = any (${ids}::bigint[]) order by page.id`,
  );
}
