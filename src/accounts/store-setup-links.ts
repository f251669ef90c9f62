/** Statements about the links that create the first administrator. */
import type { Queries } from "../platform/db.ts";
import { sql } from "../platform/sql.ts";

/** Inserts a setup link and deletes the unused ones. */
export function insertSetupLink(db: Queries, digest: Buffer, lifetimeSeconds: number): Promise<number> {
  return db.run(
    sql`with old as (delete from setup_links where used_at is null)
      insert into setup_links (digest, expires_at) values (${digest}, now() + make_interval(secs => ${lifetimeSeconds}))`,
  );
}

export async function setupLinkLives(db: Queries, digest: Buffer): Promise<boolean> {
  const found = sql`select from setup_links where digest = ${digest} and used_at is null and expires_at > now()`;
  return (await db.run(found)) > 0;
}

/** Blocks other creations of the first administrator until the transaction ends, also by another link. */
export function lockSetup(tx: Queries): Promise<number> {
  return tx.run(sql`lock table setup_links in exclusive mode`);
}

/** Marks a setup link as used; returns 1 for exactly one of several concurrent calls. */
export function spendSetupLink(db: Queries, digest: Buffer): Promise<number> {
  return db.run(
    sql`update setup_links set used_at = now() where digest = ${digest} and used_at is null and expires_at > now()`,
  );
}

/** Whether the link has been used to create an administrator. */
export async function setupLinkWasSpent(db: Queries, digest: Buffer): Promise<boolean> {
  const found = sql`select from setup_links where digest = ${digest} and used_at is not null`;
  return (await db.run(found)) > 0;
}
