/** Statements that remove an application, or a person, with all that was granted to them, in portions (decision 0168). */
import type { Act } from "../accounts/audit.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { integer, jsonb, row } from "../platform/row.ts";
import { json, type Sql, sql } from "../platform/sql.ts";
import { type Application, ApplicationRow } from "./application.ts";
import { applicationColumns, applicationsWithOwners } from "./store.ts";

/** Whose grants: those of an application, or of a person at all of them. */
export type Grantee = { applicationId: number } | { userId: number };

const tokensOf = (grantee: Grantee): Sql =>
  "userId" in grantee ? sql`user_id = ${grantee.userId}` : sql`application_id = ${grantee.applicationId}`;

/** Those by which applications hear of the end of an account (decision 0154) stay until it ends. */
const authorizationsOf = (grantee: Grantee): Sql =>
  "userId" in grantee
    ? sql`${tokensOf(grantee)} and not ('openid' = any (scopes) and flow in ('authorization_code', 'device_code'))`
    : tokensOf(grantee);

/** Some of their access tokens; of a person the personal ones too. */
export function deleteSomeTokens(db: Queries, grantee: Grantee, most: number): Promise<number> {
  return deleteSome(db, sql`access_tokens`, tokensOf(grantee), most);
}

/**
 * A few of their authorizations, each after its refresh tokens, spent ones among them; the codes go with it. Returns how many
 * rows were removed, 0: there is no authorization any more.
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
  // Counted as they were found: what another removal took meanwhile is no sign that nothing is left.
  await db.run(sql`delete from authorizations where id = any (${ids}::bigint[])`);
  return renewals + ids.length;
}

/** Some of what people allowed an application. */
export function deleteSomeConsents(db: Queries, applicationId: number, most: number): Promise<number> {
  return deleteSome(db, sql`consents`, sql`application_id = ${applicationId}`, most);
}

/** Some of the devices that wait, or waited, for somebody to let it in. */
export function deleteSomeDevices(db: Queries, applicationId: number, most: number): Promise<number> {
  return deleteSome(db, sql`device_authorizations`, sql`application_id = ${applicationId}`, most);
}

/** What is left of it goes with it: secrets, refusals, what came meanwhile. Returns 1, or 0 when there was none. */
export function deleteApplication(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from applications where id = ${id}`);
}

/** From now on it gets nothing more, and a stop only interrupts its removal, which stays that of whoever asked first; 0: it has begun. */
export function beginRemoval(db: Queries, id: number, { actorId, ip }: Act): Promise<number> {
  return db.run(
    sql`update applications set grant_types = '{}', removal_act = ${json({ actorId, ip })}::jsonb
      where id = ${id} and removal_act is null`,
  );
}

/** Those whose removal has begun, and who asked for it. */
export function listApplicationsInRemoval(db: Queries) {
  return db.many(
    row({ ...ApplicationRow.columns, removalAct: jsonb<Act>() }),
    sql`select ${applicationColumns}, a.removal_act from ${applicationsWithOwners}
      where a.removal_act is not null order by a.id`,
  );
}

/** The next application of a group that is being removed, or of one below it. */
export function findApplicationInRemoval(db: Queries, groupId: number): Promise<Application | undefined> {
  return db.find(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners} join namespaces n on n.id = a.owner_group_id
      where n.lineage @> array[${groupId}::bigint] and n.removal_began_at is not null order by a.id limit 1`,
  );
}

/** The next application of a person. */
export function findApplicationOfPerson(db: Queries, userId: number): Promise<Application | undefined> {
  return db.find(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners} where a.owner_id = ${userId} order by a.id limit 1`,
  );
}
