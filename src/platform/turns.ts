/** Limits how many tasks run at once; the others wait in order, with or without a time limit. */

/** A limit on concurrent tasks. */
export interface Turns {
  /** Runs `work` when it is its turn. @throws Error `timeout exceeded …`: no turn came in time */
  take<T>(work: () => Promise<T>): Promise<T>;
  /** How many tasks wait. */
  waiting(): number;
}

/**
 * @param room how many tasks run at once
 * @param patienceMs how long a task waits for its turn at most; none: as long as necessary
 */
export function createTurns(room: number, patienceMs?: number): Turns {
  let free = room;
  // A set keeps the order, and can drop a task that gives up.
  const waiting = new Set<() => void>();
  const turn = () =>
    new Promise<void>((go, fail) => {
      const next = () => {
        clearTimeout(timer);
        go();
      };
      const giveUp = () => {
        waiting.delete(next);
        fail(new Error("timeout exceeded while waiting for a turn"));
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      waiting.add(next);
    });
  const end = () => {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return {
    take: async (work) => {
      if (free > 0) free -= 1;
      else await turn();
      try {
        return await work();
      } finally {
        end();
      }
    },
    waiting: () => waiting.size,
  };
}
