/** Statements that remove an application with all that came of it, in portions (decision 0168). */
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Application, ApplicationRow } from "./application.ts";
import { applicationColumns, applicationsWithOwners } from "./store.ts";

/** Some of the access tokens of an application. */
export function deleteSomeTokens(db: Queries, applicationId: number, most: number): Promise<number> {
  return deleteSome(db, sql`access_tokens`, sql`application_id = ${applicationId}`, most);
}

/**
 * A few of its authorizations, each after its refresh tokens, spent ones among them; the codes go with it. Returns how many
 * rows were removed, 0: there is no authorization any more.
 */
export async function deleteSomeAuthorizations(
  db: Queries,
  applicationId: number,
  most: number,
): Promise<number> {
  const its = await db.many(
    row({ id: integer }),
    sql`select id from authorizations where application_id = ${applicationId} limit ${most}`,
  );
  const ids = its.map(({ id }) => id);
  const renewals = await deleteSome(
    db,
    sql`refresh_tokens`,
    sql`authorization_id = any (${ids}::bigint[])`,
    most,
  );
  if (renewals === most) return renewals;
  // Counted as they were found: what another removal took meanwhile is no sign that nothing is left.
  await db.run(sql`delete from authorizations where id = any (${ids}::bigint[])`);
  return renewals + ids.length;
}

/** Some of what people allowed it. */
export function deleteSomeConsents(db: Queries, applicationId: number, most: number): Promise<number> {
  return deleteSome(db, sql`consents`, sql`application_id = ${applicationId}`, most);
}

/** Some of the devices that wait, or waited, for somebody to let them in. */
export function deleteSomeDevices(db: Queries, applicationId: number, most: number): Promise<number> {
  return deleteSome(db, sql`device_authorizations`, sql`application_id = ${applicationId}`, most);
}

/** What is left of it goes with it: secrets, refusals, what came meanwhile. Returns 1, or 0 when there was none. */
export function deleteApplication(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from applications where id = ${id}`);
}

/** The next application of a group that is being removed, or of one below it. */
export function findApplicationInRemoval(db: Queries, groupId: number): Promise<Application | undefined> {
  return db.find(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners} join namespaces n on n.id = a.owner_group_id
      where n.lineage @> array[${groupId}::bigint] and n.removal_began_at is not null order by a.id limit 1`,
  );
}
