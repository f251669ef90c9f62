/** What is known of a delivery besides its body, and the names under which its route adds to that. */

/** The facts about a request, besides its body, that decide how it is read. */
export interface Arrival {
  /** The kept headers, and under names that begin with a colon what the route adds (`ROUTE_HEADER`). */
  headers: Readonly<Record<string, string>>;
  receivedAt: Date;
}

/**
 * The names under which the kept headers hold the kind of route, and what the route knows of the alert. Receipts are stored with
 * them.
 */
export const ROUTE_HEADER = ":door";
export const ALIAS_HEADER = ":alias";
export const HASH_HEADER = ":fingerprint";
