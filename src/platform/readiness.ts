/** Checks that the database accepts writes, by writing. */
import type { Db } from "./db.ts";
import { Problem } from "./problem.ts";
import { integer, row } from "./row.ts";
import { sql } from "./sql.ts";

/** Machine-readable reasons for not being ready. */
export const NOT_READY_REASONS = ["stopping", "database", "disk_full", "clock_behind"] as const;
type Reason = (typeof NOT_READY_REASONS)[number];

/** Sent with its reason beside the message. */
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

/** Adds the reason to a problem that `check` throws. @throws NotReady */
export async function withReason(reason: Reason, check: () => Promise<void>): Promise<void> {
  await check().catch((error) => {
    throw error instanceof Problem && !(error instanceof NotReady) ? new NotReady(reason, error) : error;
  });
}

const stopping = new WeakSet<Db>();

/** Makes the service not ready from now on, so that load balancers send no more requests. */
export function announceStop(db: Db): void {
  stopping.add(db);
}

/**
 * Increments a counter in the database: a server that is down or read-only must not count as ready.
 * @throws Problem unavailable: the database is down or refuses the write, or the service is stopping
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
