/** Statements about the owners of applications, as far as the viewer may know them. */
import type { Queries } from "../platform/db.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Owner, OwnerRow } from "./owner.ts";

/** A deleted application is not called the instance's. */
export async function findOwner(db: Queries, applicationId: number, viewerId: number): Promise<Owner> {
  const found = await db.find(
    OwnerRow,
    sql`select o.username as owner_username, ${groupSeenBy(viewerId)}, a.registered_from is not null as self_registered from applications a
      left join users o on o.id = a.owner_id where a.id = ${applicationId}`,
  );
  return found ?? { ownerUsername: null, isOfGroup: true, selfRegistered: false, ownerGroupPath: null };
}

/**
 * Columns for the application `a`: whether a group owns it, and the path of that group if this signed-in person may see it: it is
 * not private, or they are a member of it or of a group or project above or below it, or an administrator (decision 0040).
 * `projects` has the same condition for lists of groups; slices of the same floor do not import each other.
 */
export function groupSeenBy(viewerId: number): Sql {
  return sql`a.owner_group_id is not null as is_of_group,
    (select g.full_path from namespaces g where g.id = a.owner_group_id and g.removal_began_at is null
      and (g.visibility <> 'private' or exists (select from users v where v.id = ${viewerId} and v.is_admin)
        or exists (select from members m left join namespaces n on n.id = m.namespace_id
            left join projects p on p.id = m.project_id
          where m.user_id = ${viewerId} and (m.expires_at is null or m.expires_at > now())
            and (m.namespace_id = any (g.lineage) or g.id = any (coalesce(n.lineage, p.lineage)))))) as owner_group_path`;
}
