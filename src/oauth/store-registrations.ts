/** Statements about applications that registered themselves and that nobody uses. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Application, ApplicationRow } from "./application.ts";
import { applicationColumns, applicationsWithOwners } from "./store.ts";

/**
 * Of the application `a`: it registered itself, and nothing is left of what people allowed it, if they ever did. One that has
 * a secret is not left to itself any more: an administrator gave it one.
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

/** Some that are a day old, the oldest first. */
export function listForgottenRegistrations(db: Queries, most: number): Promise<Application[]> {
  return db.many(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners}
      where ${isForgotten} order by a.id limit ${most}`,
  );
}

/** Holds one, and waits for whoever lets it in at this moment. */
export function lockRegistration(tx: Queries, id: number): Promise<number> {
  return tx.run(sql`select from applications where id = ${id} for update`);
}

/** Asked while it is held, by a statement that sees what was committed before. */
export async function isForgottenRegistration(tx: Queries, id: number): Promise<boolean> {
  return (await tx.run(sql`select from applications a where a.id = ${id} and ${isForgotten}`)) > 0;
}
