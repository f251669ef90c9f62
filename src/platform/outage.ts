/** Logs an outage of the database once, and its end, however much background work fails meanwhile. */
import type { Db } from "./db.ts";
import { isGone } from "./db-errors.ts";
import type { Platform } from "./platform.ts";

type Ground = Pick<Platform, "db" | "log">;

const away = new WeakSet<Db>();

/** Logs that background work failed. Of the failures because the database is gone, all but the first are logged at debug. */
export function logFailure(
  { db, log }: Ground,
  error: unknown,
  words: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  const level = isGone(error) && away.has(db) ? "debug" : "error";
  log[level]({ err: error, ...fields }, words);
  if (!isGone(error) || away.has(db)) return;
  away.add(db);
  log.error("the database is away; further failures of background work are not logged until it is back");
}

/** Called when background work has reached the database. */
export function noteReached({ db, log }: Ground): void {
  if (away.delete(db)) log.warn("the database is back");
}
