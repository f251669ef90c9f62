/** Statements about the accounts of applications (decision 0139). */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { USER_STATES } from "./user.ts";

const ApplicationOfAccountRow = row({ id: integer, name: text, ownerGroupPath: nullable(text) });
/** The application of an account; without a path it belongs to the instance. */
export type ApplicationOfAccount = RowOf<typeof ApplicationOfAccountRow>;

/** Returns the application if the person manages it: as an administrator, or as an owner of its group or of a group above it. */
export function findApplicationOfAccount(
  db: Queries,
  accountId: number,
  asker: { id: number; isAdmin: boolean },
): Promise<ApplicationOfAccount | undefined> {
  return db.find(
    ApplicationOfAccountRow,
    sql`select a.id, left(a.name, 64) as name, g.full_path as owner_group_path
      from applications a left join namespaces g on g.id = a.owner_group_id
      where a.account_id = ${accountId} and (${asker.isAdmin}::boolean or exists (select from members m
        where m.namespace_id = any (g.lineage) and m.user_id = ${asker.id} and m.access_level = 50
          and (m.expires_at is null or m.expires_at > now())))`,
  );
}

const AccountRow = row({
  id: integer,
  username: text,
  name: text,
  state: oneOf(USER_STATES),
  /** Null: the application is deleted. */
  applicationId: nullable(integer),
  applicationName: nullable(text),
  ownerGroupPath: nullable(text),
});
/** An account of an application as administrators see it. */
export type AccountOfApplication = RowOf<typeof AccountRow>;

const found = (search: string): Sql => sql`u.bot = 'application'
  and strpos(lower(u.username || ' ' || u.name || ' ' || coalesce(a.name, '')), lower(${search})) > 0`;

/** Newest first; an empty search matches all. */
export function listAccountsOfApplications(
  db: Queries,
  { search, limit, offset }: { search: string; limit: number; offset: number },
): Promise<AccountOfApplication[]> {
  return db.many(
    AccountRow,
    sql`select u.id, u.username, u.name, u.state, a.id as application_id, left(a.name, 64) as application_name,
        g.full_path as owner_group_path
      from users u left join applications a on a.account_id = u.id left join namespaces g on g.id = a.owner_group_id
      where ${found(search)} order by u.id desc limit ${limit} offset ${offset}`,
  );
}

export function countAccountsOfApplications(db: Queries, search: string): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from users u left join applications a on a.account_id = u.id where ${found(search)}`,
  );
}
