/** What a search found of one kind: the first few, and where the others are. */
import { card } from "./card.ts";
import { type Html, html } from "./html.ts";

/** What fits the words, as a card; undefined: nothing. A room hands it over by `page-doors.ts`, like a `DashboardCard`. */
export type FoundCard = (
  viewer: { id: number; isAdmin: boolean },
  words: string,
  now: Date,
) => Promise<Html | undefined>;

/** How many of a kind stand on the page of a search. */
export const MOST_FOUND = 5;

/** Enough to know whether there are more. */
export const FOUND_PAGE = { limit: MOST_FOUND + 1, offset: 0 };

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
  const footer = rows.length > MOST_FOUND ? html`<span>${others}</span>` : undefined;
  return card({ id, heading, flush: list(rows.slice(0, MOST_FOUND)), footer });
}
