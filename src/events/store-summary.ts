/** Total and version of a whole list, without reading its events. */
import type { Db } from "../platform/db.ts";
import { boolean, integer, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { Event } from "./event.ts";
import type { SoughtQuery } from "./filter.ts";
import { ownsAny, totalOf, versionOf } from "./store-totals.ts";
import { rightsAnd } from "./store-visible.ts";
import type { SoughtSubject } from "./subject.ts";

/** A page, how many events the list has in all, and a version that changes whenever the list does (decision 0094). */
export interface ListedEvents {
  events: readonly Event[];
  total: number;
  version: string;
}

const SummaryRow = row({ total: integer, version: text, owns: boolean, all: integer, holds: boolean });
export type Summary = RowOf<typeof SummaryRow>;

/**
 * The summary of a list, without reading events: enough to know that the list has not changed.
 * @param page a page of it; `holds` says whether it contains any event
 */
export function findSummary(db: Db, query: SoughtQuery, page?: Sql): Promise<Summary | undefined> {
  return db.pooled.find(
    SummaryRow,
    sql`with ${rightsAnd(query)} select ${totalOf(query)} as total, ${versionOf(query)} as version, ${ownsAny(query)} as owns,
      (select coalesce(sum(n_open + n_code + n_planner + n_reporter), 0)::bigint from event_sums where author_id = 0) as all,
      ${page ? sql`exists (${page})` : sql`false`} as holds
      ${fromNamed(query.subject)}`,
  );
}

/** No row is found if there is no such project or person for the asker. */
function fromNamed({ kind }: SoughtSubject): Sql {
  switch (kind) {
    case "reference":
      return sql`from place`;
    case "person":
      return sql`from person`;
    case "project":
    case "author":
    case "group":
    case "memberships":
      return sql``;
  }
}
