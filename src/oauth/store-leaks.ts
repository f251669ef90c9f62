/** Statements about secrets of applications that were reported as leaked. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** Returns the authorization of a valid access or refresh token. */
export function findLeakedGrant(db: Queries, digest: Buffer): Promise<{ id: number } | undefined> {
  return db.find(
    row({ id: integer }),
    sql`select g.id from authorizations g where g.revoked_at is null and g.id in (
        select authorization_id from access_tokens
          where digest = ${digest} and revoked_at is null and expires_at > now()
        union all
        select authorization_id from refresh_tokens
          where digest = ${digest} and spent_at is null and expires_at > now())`,
  );
}

const LeakedRow = row({
  name: text,
  uid: text,
  selfRegistered: boolean,
  ownerId: nullable(integer),
  ownerGroupId: nullable(integer),
});
export type LeakedApplication = RowOf<typeof LeakedRow>;

/** Returns the application whose valid client secret this is. */
export function findLeakedSecret(db: Queries, digest: Buffer): Promise<LeakedApplication | undefined> {
  return db.find(
    LeakedRow,
    sql`select a.name, a.uid, a.registered_from is not null as self_registered, a.owner_id, a.owner_group_id
      from application_secrets s join applications a on a.id = s.application_id
      where s.digest = ${digest} and (s.expires_at is null or s.expires_at > now()) limit 1`,
  );
}

/**
 * Returns those who can renew its secret, the oldest accounts first: its owner, the owners of its group, or the administrators.
 */
export async function listOwnersOf(
  db: Queries,
  { ownerId, ownerGroupId }: Pick<LeakedApplication, "ownerId" | "ownerGroupId">,
): Promise<number[]> {
  const owners = await db.many(
    row({ id: integer }),
    sql`select u.id from users u
      where u.state = 'active' and not u.is_placeholder and case
        when ${ownerId}::bigint is not null then u.id = ${ownerId}
        when ${ownerGroupId}::bigint is not null then exists (select from group_roles r
          where r.namespace_id = ${ownerGroupId} and r.user_id = u.id and r.access_level = 50)
        else u.is_admin end
      order by u.id limit 20`,
  );
  return owners.map(({ id }) => id);
}
