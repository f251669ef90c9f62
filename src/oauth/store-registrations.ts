/** Statements about unused applications that registered themselves. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Application, ApplicationRow } from "./application.ts";
import { applicationColumns, applicationsWithOwners } from "./store.ts";

/**
 * Whether the application `a` registered itself and has no authorization, or none any more. One with a secret does not count: an
 * administrator gave it that.
 */
const isUnused = sql`a.registered_from is not null and not a.confidential
  and not exists (select from authorizations g where g.application_id = a.id)`;

export function countUnusedRegistrations(
  db: Queries,
  network: string,
): Promise<{ all: number; ofNetwork: number }> {
  return db.one(
    row({ all: integer, ofNetwork: integer }),
    sql`select count(*) as "all", count(*) filter (where a.registered_from = ${network}) as of_network
      from applications a where ${isUnused}`,
  );
}

const isForgotten = sql`${isUnused} and a.created_at < now() - interval '1 day'`;

/** Returns some that are more than a day old, the oldest first. */
export function listForgottenRegistrations(db: Queries, most: number): Promise<Application[]> {
  return db.many(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners}
      where ${isForgotten} order by a.id limit ${most}`,
  );
}

/** Locks one, and waits for whoever authorizes it at this moment. */
export function lockRegistration(tx: Queries, id: number): Promise<number> {
  return tx.run(sql`select from applications where id = ${id} for update`);
}

/** Must be a statement after `lockRegistration`, so that it sees what was committed before. */
export async function isForgottenRegistration(tx: Queries, id: number): Promise<boolean> {
  return (await tx.run(sql`select from applications a where a.id = ${id} and ${isForgotten}`)) > 0;
}
