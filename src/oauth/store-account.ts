/** Statements about the accounts of applications that belong to no person. */
import type { Queries } from "../platform/db.ts";
import { integer, nullable, type RowOf, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const AccountRow = row({ accountId: nullable(integer) });
type Account = RowOf<typeof AccountRow>;

/** Returns the account for which the application acts; null: it was not created yet. */
export function findAccountOfApplication(db: Queries, applicationId: number): Promise<Account | undefined> {
  return db.find(AccountRow, sql`select account_id from applications where id = ${applicationId}`);
}

/** The same, with the application locked, so that nobody else creates the account until the transaction ends. */
export function lockAccountOfApplication(db: Queries, applicationId: number): Promise<Account | undefined> {
  return db.find(
    AccountRow,
    sql`select account_id from applications where id = ${applicationId} for no key update`,
  );
}

/** Stores the account of the application. */
export function updateAccountOfApplication(
  db: Queries,
  applicationId: number,
  userId: number,
): Promise<number> {
  return db.run(sql`update applications set account_id = ${userId} where id = ${applicationId}`);
}
