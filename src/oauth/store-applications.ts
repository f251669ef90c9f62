/** Statements about applications with their owners and their use, for those who manage them. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { ApplicationRow } from "./application.ts";
import { applicationColumns, applicationsWithOwners } from "./store.ts";

const ManagedRow = row({
  ...ApplicationRow.columns,
  ownerGroupId: nullable(integer),
  ownerGroupPath: nullable(text),
  /** The username of its own account; null: it belongs to a person, or has never requested a token for itself. */
  accountUsername: nullable(text),
  /** The number of people who authorized it, counted to a thousand. */
  people: integer,
  lastTokenAt: nullable(instant),
});
/** An application as shown to those who manage it. */
export type ManagedApplication = RowOf<typeof ManagedRow>;

const columns = sql`${applicationColumns},
  a.owner_group_id, g.full_path as owner_group_path,
  (select u.username from users u where u.id = a.account_id) as account_username,
  (select count(*) from (select from consents c where c.application_id = a.id limit 1000) first_ones) as people,
  (select t.created_at from access_tokens t where t.application_id = a.id
    order by t.created_at desc limit 1) as last_token_at`;
const tables = sql`${applicationsWithOwners} left join namespaces g on g.id = a.owner_group_id`;

/** The applications that a place shows. */
export type Place =
  | { kind: "person"; userId: number }
  | { kind: "group"; groupId: number }
  /** Those of the person, and those of groups that they own, directly or by a group above. */
  | { kind: "care"; userId: number }
  /** For administrators: those of the instance alone, or everybody's. */
  | { kind: "instance" }
  /** Those that registered themselves. */
  | { kind: "themselves" }
  | { kind: "everywhere" };

const within = (place: Place): Sql => {
  switch (place.kind) {
    case "person":
      return sql`a.owner_id = ${place.userId}`;
    case "group":
      return sql`a.owner_group_id = ${place.groupId}`;
    case "care":
      return sql`a.id = any (array(
        select id from applications where owner_id = ${place.userId}
        union all
        select of_group.id from members m join namespaces n on n.lineage @> array[m.namespace_id]
          join applications of_group on of_group.owner_group_id = n.id
        where m.user_id = ${place.userId} and m.access_level = 50 and n.removal_began_at is null
          and (m.expires_at is null or m.expires_at > now())))`;
    case "instance":
      return sql`a.owner_id is null and a.owner_group_id is null and a.registered_from is null`;
    case "themselves":
      return sql`a.registered_from is not null`;
    case "everywhere":
      return sql`true`;
  }
};

const found = (place: Place, search: string): Sql =>
  joinSql(
    [
      within(place),
      ...(search === ""
        ? []
        : [
            sql`strpos(lower(a.name || ' ' || a.uid || ' ' || coalesce(o.username, '') || ' ' || coalesce(g.full_path, '')), lower(${search})) > 0`,
          ]),
    ],
    " and ",
  );

/** Newest first; `exactFirst`: those whose name equals the search text come before all others. */
export function listManagedApplications(
  db: Queries,
  place: Place,
  page: { search: string; limit: number; offset: number; exactFirst?: boolean },
): Promise<ManagedApplication[]> {
  const first = page.exactFirst ? sql`lower(a.name) = lower(${page.search}) desc,` : sql``;
  return db.many(
    ManagedRow,
    sql`select ${columns} from ${tables} where ${found(place, page.search)}
      order by ${first} a.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export function countManagedApplications(db: Queries, place: Place, search: string): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${tables} where ${found(place, search)}`);
}

/** Undefined if it is not in this place, as if it did not exist. */
export function findManagedApplication(
  db: Queries,
  place: Place,
  id: number,
): Promise<ManagedApplication | undefined> {
  return db.find(ManagedRow, sql`select ${columns} from ${tables} where a.id = ${id} and ${within(place)}`);
}

const inherits = (userId: number): Sql => sql`exists (select from members m
  where m.namespace_id = any (g.lineage) and m.user_id = ${userId} and m.access_level = 50
    and (m.expires_at is null or m.expires_at > now()))`;

/** For those who manage it: its owner, owners of its group, administrators. Undefined for everybody else. */
export function findApplicationInCare(
  db: Queries,
  asker: { id: number; isAdmin: boolean },
  id: number,
): Promise<ManagedApplication | undefined> {
  const mine = asker.isAdmin ? sql`true` : sql`(a.owner_id = ${asker.id} or ${inherits(asker.id)})`;
  return db.find(ManagedRow, sql`select ${columns} from ${tables} where a.id = ${id} and ${mine}`);
}

const OwnedGroupRow = row({ id: integer, name: text, fullPath: text });
export type OwnedGroup = RowOf<typeof OwnedGroupRow>;

/**
 * Returns the group at this path (in any case) if the asker owns it, directly or by a group above, or is an administrator;
 * undefined as well once its removal has begun (decision 0152).
 */
export function findOwnedGroup(
  db: Queries,
  asker: { id: number; isAdmin: boolean },
  path: string,
): Promise<OwnedGroup | undefined> {
  const owns = asker.isAdmin ? sql`true` : inherits(asker.id);
  return db.find(
    OwnedGroupRow,
    sql`select g.id, g.name, g.full_path from namespaces g
      where g.kind = 'group' and g.removal_began_at is null and lower(g.full_path) = lower(${path}) and ${owns}`,
  );
}

/** Sets whether consent is skipped. */
export function updateTrusted(db: Queries, id: number, trusted: boolean): Promise<number> {
  return db.run(sql`update applications set trusted = ${trusted} and confidential where id = ${id}`);
}

/** Gives a new application to a group. */
export function updateOwnerGroup(db: Queries, id: number, groupId: number): Promise<number> {
  return db.run(sql`update applications set owner_id = null, owner_group_id = ${groupId} where id = ${id}`);
}

const SecretRow = row({ createdAt: instant, expiresAt: nullable(instant) });
/** A client secret that is valid now; null: until it is renewed. */
export type ValidSecret = RowOf<typeof SecretRow>;

/** Returns the valid secrets, newest first. */
export function listValidSecrets(db: Queries, applicationId: number): Promise<ValidSecret[]> {
  return db.many(
    SecretRow,
    sql`select created_at, expires_at from application_secrets
      where application_id = ${applicationId} and (expires_at is null or expires_at > now()) order by id desc`,
  );
}
