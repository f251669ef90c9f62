/** The results of a search of one kind: the first few, and where to find the others. */
import { card } from "./card.ts";
import { type Html, html } from "./html.ts";

/**
 * Searches for the words and returns a card; undefined if nothing matches. Provided by a room through `page-doors.ts`, like a
 * `DashboardCard`.
 */
export type FoundCard = (
  viewer: { id: number; isAdmin: boolean },
  words: string,
  now: Date,
) => Promise<Html | undefined>;

/** The most results of a kind on the page. */
export const MAX_FOUND = 5;

/** One more than shown, to know whether there are more. */
export const FOUND_PAGE = { limit: MAX_FOUND + 1, offset: 0 };

/** The card of one kind; `others` says where the rest is, if there is one. */
export function foundCard<Row>(found: {
  id: string;
  heading: string;
  rows: readonly Row[];
  list: (shown: readonly Row[]) => Html;
  others: Html | string;
}): Html | undefined {
  const { id, heading, rows, list, others } = found;
  if (rows.length === 0) return undefined;
  const footer = rows.length > MAX_FOUND ? html`<span>${others}</span>` : undefined;
  return card({ id, heading, flush: list(rows.slice(0, MAX_FOUND)), footer });
}
