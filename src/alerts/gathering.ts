/** Pauses the projects of a finished batch briefly, so that senders who were answered together share the next batch too. */

/** Fewer senders than this cause no pause. */
const MANY_SENDERS = 4;
/** For which share of the senders, of those answered and those that arrived meanwhile, the next batch waits. */
const AWAITED_SHARE = 0.75;
const LONGEST_MS = 10;

/** The facts about a batch at its end. */
export interface Ended {
  projects: ReadonlySet<number>;
  /** How many deliveries it held. */
  answered: number;
  /** How many deliveries for its projects arrived meanwhile. */
  here: number;
  tookMs: number;
}

export interface Gatherings {
  /**
   * Calls `next` once most of the senders who were answered have sent again: at once if they were few or have sent already,
   * and at the latest after as long as the batch took, but no longer than `LONGEST_MS`.
   */
  begin(ended: Ended, next: () => void): void;
  /** Counts a delivery that has arrived for this project. */
  arrived(projectId: number): void;
}

/** The pauses of one inbox; each project is in one of them at most. */
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
