/** Statements that remove an application, or a person, with all grants, in portions (decision 0168). */
import type { Act } from "../accounts/audit.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { integer, jsonb, row } from "../platform/row.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import { type Application, ApplicationRow } from "./application.ts";
import { applicationColumns, applicationsWithOwners } from "./store.ts";

/** Whose grants: those of an application, or those of a person to all applications. */
export type Grantee = { applicationId: number } | { userId: number };

const tokensOf = (grantee: Grantee): Sql =>
  "userId" in grantee ? sql`user_id = ${grantee.userId}` : sql`application_id = ${grantee.applicationId}`;

/** Authorizations of a person by which applications are notified of the end of the account stay until it ends (decision 0154). */
const authorizationsOf = (grantee: Grantee): Sql =>
  "userId" in grantee
    ? sql`${tokensOf(grantee)} and not ('openid' = any (scopes) and flow in ('authorization_code', 'device_code'))`
    : tokensOf(grantee);

/** Deletes some access tokens; for a person personal ones too. */
export function deleteSomeTokens(db: Queries, grantee: Grantee, most: number): Promise<number> {
  return deleteSome(db, sql`access_tokens`, tokensOf(grantee), most);
}

/**
 * Deletes some authorizations, each after its refresh tokens, including spent ones; codes are deleted with it. Returns how many
 * rows were deleted, 0: there is no authorization left.
 */
export async function deleteSomeAuthorizations(db: Queries, grantee: Grantee, most: number): Promise<number> {
  const theirs = await db.many(
    row({ id: integer }),
    sql`select id from authorizations where ${authorizationsOf(grantee)} limit ${most}`,
  );
  const ids = theirs.map(({ id }) => id);
  const renewals = await deleteSome(
    db,
    sql`refresh_tokens`,
    sql`authorization_id = any (${ids}::bigint[])`,
    most,
  );
  if (renewals === most) return renewals;
  // Counted as found: that another removal has deleted them meanwhile does not mean that none are left.
  await db.run(sql`delete from authorizations where id = any (${ids}::bigint[])`);
  return renewals + ids.length;
}

/** Deletes some consents to an application. */
export function deleteSomeConsents(db: Queries, applicationId: number, most: number): Promise<number> {
  return deleteSome(db, sql`consents`, sql`application_id = ${applicationId}`, most);
}

/** Deletes some devices of an application, whether or not they were answered. */
export function deleteSomeDevices(db: Queries, applicationId: number, most: number): Promise<number> {
  return deleteSome(db, sql`device_authorizations`, sql`application_id = ${applicationId}`, most);
}

/**
 * Deletes the application with the rest of its rows: secrets, refusals, and what was added meanwhile. Returns 1, or 0 if there
 * was none.
 */
export function deleteApplication(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from applications where id = ${id}`);
}

/**
 * Takes all grant types from the application, and stores who asked for the removal first, so that it is continued after an
 * interruption; 0: it has begun before.
 */
export function beginRemoval(db: Queries, id: number, { actorId, ip }: Act): Promise<number> {
  return db.run(
    sql`update applications set grant_types = '{}', removal_act = ${json({ actorId, ip })}::jsonb
      where id = ${id} and removal_act is null`,
  );
}

/** Returns the applications whose removal has begun, and who asked for it. */
export function listApplicationsInRemoval(db: Queries) {
  return db.many(
    row({ ...ApplicationRow.columns, removalAct: jsonb<Act>() }),
    sql`select ${applicationColumns}, a.removal_act from ${applicationsWithOwners}
      where a.removal_act is not null order by a.id`,
  );
}

/** Returns the next application of a group that is being removed, or of a group below it. */
export function findApplicationInRemoval(db: Queries, groupId: number): Promise<Application | undefined> {
  return db.find(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners} join namespaces n on n.id = a.owner_group_id
      where n.lineage @> array[${groupId}::bigint] and n.removal_began_at is not null order by a.id limit 1`,
  );
}

/** Returns the next application of a person. */
export function findApplicationOfPerson(db: Queries, userId: number): Promise<Application | undefined> {
  return db.find(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners} where a.owner_id = ${userId} order by a.id limit 1`,
  );
}
