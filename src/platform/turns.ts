/** Limits how many pieces of work run at once; the others wait in order, and not for ever. */

/** Room for a few that work at once. */
export interface Turns {
  /** @throws Error `timeout exceeded …`: no turn came in time */
  take<T>(work: () => Promise<T>): Promise<T>;
  /** How many wait for theirs. */
  waiting(): number;
}

/**
 * @param room how many work at once
 * @param patienceMs how long one waits for its turn at most
 */
export function createTurns(room: number, patienceMs: number): Turns {
  let free = room;
  // A set keeps the order, and lets go of whoever gives up.
  const waiting = new Set<() => void>();
  const turn = () =>
    new Promise<void>((go, fail) => {
      const next = () => {
        clearTimeout(timer);
        go();
      };
      const timer = setTimeout(() => {
        waiting.delete(next);
        fail(new Error("timeout exceeded while waiting for a turn"));
      }, patienceMs);
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
