/** Lets the projects of a finished batch pause for a moment, so that senders who were answered together share the next batch as well. */

/** Fewer senders are not waited for. */
const MANY_SENDERS = 4;
/** The share of the senders of a batch, and of those who came meanwhile, that the next one waits for. */
const AWAITED_SHARE = 0.75;
const LONGEST_MS = 10;

/** The end of a batch. */
export interface Ended {
  projects: ReadonlySet<number>;
  /** How many deliveries it held. */
  answered: number;
  /** How many for its projects came meanwhile. */
  here: number;
  tookMs: number;
}

export interface Gatherings {
  /**
   * Calls `next` when most of those who were answered have sent again: at once where they were few or are there already,
   * at the latest when as much time has gone by as the batch took, and 10 ms.
   */
  begin(ended: Ended, next: () => void): void;
  /** A delivery for this project waits now. */
  arrived(projectId: number): void;
}

/** Of one inbox; each project is in one gathering at most. */
export function createGatherings(): Gatherings {
  const byProject = new Map<number, { missing: number; end(): void }>();
  return {
    begin({ projects, answered, here, tookMs }, next) {
      const senders = answered + here;
      const missing = Math.ceil(senders * AWAITED_SHARE) - here;
      if (senders < MANY_SENDERS || missing <= 0) return next();
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        for (const id of projects) byProject.delete(id);
        next();
      };
      const timer = setTimeout(end, Math.min(tookMs, LONGEST_MS));
      const gathering = { missing, end };
      for (const id of projects) byProject.set(id, gathering);
    },
    arrived(projectId) {
      const gathering = byProject.get(projectId);
      if (!gathering) return;
      gathering.missing--;
      // After the requests that arrived in the same turn of the event loop have joined.
      if (gathering.missing === 0) setImmediate(gathering.end);
    },
  };
}
