/** Whether the database takes writes, asked by writing. */
import type { Db } from "./db.ts";
import { Problem } from "./problem.ts";
import { integer, row } from "./row.ts";
import { sql } from "./sql.ts";

/** Why it is not ready, for programs. */
export const NOT_READY_REASONS = ["stopping", "database", "disk_full", "clock_behind"] as const;
type Reason = (typeof NOT_READY_REASONS)[number];

/** Spoken with its reason beside the words. */
export class NotReady extends Problem {
  readonly reason: Reason;

  constructor(reason: Reason, { message, log, retryAfterSeconds }: Problem) {
    super("unavailable", message, {
      ...(log === undefined ? {} : { log }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
    this.reason = reason;
  }
}

/** @throws NotReady with the reason, instead of what `check` threw */
export async function readyBut(reason: Reason, check: () => Promise<void>): Promise<void> {
  await check().catch((error) => {
    throw error instanceof Problem && !(error instanceof NotReady) ? new NotReady(reason, error) : error;
  });
}

const stopping = new WeakSet<Db>();

/** From now on the service is not ready: whoever distributes requests should send no more. */
export function announceStop(db: Db): void {
  stopping.add(db);
}

/**
 * Counts one beat in the database: a server that is away or read-only must not count as ready.
 * @throws Problem unavailable: the database is gone or refuses the write, or the service is about to stop
 */
export async function checkReadiness(db: Db): Promise<void> {
  if (stopping.has(db))
    throw new NotReady("stopping", new Problem("unavailable", "The service is stopping."));
  await db.one(
    row({ beats: integer }),
    sql`insert into readiness (one, beats) values (true, 1)
      on conflict (one) do update set beats = readiness.beats + 1 returning beats`,
  );
}
