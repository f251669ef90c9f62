/** Tells all streams of this process when something may have arrived: one look at the database for all of them. */
import type { Platform } from "../platform/platform.ts";
import { findArrivalState, findUpcoming } from "./store-arrivals.ts";

/** How long there is between two looks, for few listeners and for many: each of them reads for itself when something is new. */
const EVERY_MS = 200;
const EVERY_OF_MANY_MS = 500;
const MANY = 50;

export interface ArrivalWatch {
  /** Calls `wake` whenever there may be something new; returns how to stop that. */
  add(wake: () => void): () => void;
}

/** Looks five times a second while anybody listens, twice for many. */
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
      // Numbers are given out before the commit, so listeners are woken until those that were under way are over;
      // a number may be given out shortly before its transaction, hence the second look.
      if (lastId !== last || isNew) pendingUntil = await findUpcoming(db);
      isNew = lastId !== last;
      last = lastId;
      if (pendingUntil !== undefined) for (const wake of listeners) wake();
      if (!isNew && pendingUntil !== undefined && BigInt(horizon) >= pendingUntil) pendingUntil = undefined;
    } catch (error) {
      log.warn({ err: error }, "arrivals of events not looked at");
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
