/** Wakes all streams of this process when events may have arrived, with one query for all of them. */
import { logFailure } from "../platform/outage.ts";
import type { Platform } from "../platform/platform.ts";
import { findArrivalState, findUpcoming } from "./store-arrivals.ts";

/** Milliseconds between two queries, for few and for many listeners, as each of them queries too when there is something new. */
const EVERY_MS = 200;
const EVERY_OF_MANY_MS = 500;
const MANY = 50;

export interface ArrivalWatch {
  /** Calls `wake` whenever there may be something new; returns a function that ends this. */
  add(wake: () => void): () => void;
}

/** Queries five times a second while there are listeners, twice for many. */
export function watchArrivals({ db, log }: Pick<Platform, "db" | "log">): ArrivalWatch {
  const listeners = new Set<() => void>();
  let isWatching = false;
  let last = -1;
  let isNew = false;
  let pendingUntil: bigint | undefined;
  const lookSoon = () => {
    setTimeout(look, listeners.size > MANY ? EVERY_OF_MANY_MS : EVERY_MS).unref();
  };
  const look = async () => {
    try {
      const { lastId, horizon } = await findArrivalState(db);
      // Ids are allotted before the commit, so listeners are woken until the transactions of that moment are over. An id may be
      // allotted shortly before its transaction begins, hence the second query.
      if (lastId !== last || isNew) pendingUntil = await findUpcoming(db);
      isNew = lastId !== last;
      last = lastId;
      if (pendingUntil !== undefined) for (const wake of listeners) wake();
      if (!isNew && pendingUntil !== undefined && BigInt(horizon) >= pendingUntil) pendingUntil = undefined;
    } catch (error) {
      logFailure({ db, log }, error, "arrivals of events not looked at");
    }
    isWatching = listeners.size > 0;
    if (isWatching) lookSoon();
  };
  return {
    add: (wake) => {
      listeners.add(wake);
      if (!isWatching) lookSoon();
      isWatching = true;
      return () => {
        listeners.delete(wake);
      };
    },
  };
}
