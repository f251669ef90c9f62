/** Notifies open pages when their project has new alerts, with one query for all pages of a process. */
import { logFailure } from "../platform/outage.ts";
import type { Platform } from "../platform/platform.ts";
import { findLastNumbers } from "./store-export.ts";

const EVERY_MS = 1000;

export interface AlertWatch {
  /** Calls `wake` whenever the project has new alerts; returns a function that stops that. */
  add(projectId: number, wake: () => void): () => void;
}

/** Queries once a second while there are listeners. */
export function watchAlerts({ db, log }: Pick<Platform, "db" | "log">): AlertWatch {
  const listeners = new Map<number, Set<() => void>>();
  const last = new Map<number, number>();
  let isWatching = false;
  const look = async () => {
    try {
      for (const { projectId, last: number } of await findLastNumbers(db, [...listeners.keys()])) {
        if (last.get(projectId) === number) continue;
        last.set(projectId, number);
        for (const wake of listeners.get(projectId) ?? []) wake();
      }
    } catch (error) {
      logFailure({ db, log }, error, "new alerts not looked at");
    }
    isWatching = listeners.size > 0;
    if (isWatching) setTimeout(look, EVERY_MS).unref();
  };
  return {
    add: (projectId, wake) => {
      const all = listeners.get(projectId) ?? new Set();
      listeners.set(projectId, all.add(wake));
      if (!isWatching) setTimeout(look, EVERY_MS).unref();
      isWatching = true;
      return () => {
        all.delete(wake);
        if (all.size > 0 || listeners.get(projectId) !== all) return;
        listeners.delete(projectId);
        last.delete(projectId);
      };
    },
  };
}
