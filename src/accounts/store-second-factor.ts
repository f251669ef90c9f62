/** Statements about the second factor: the sealed secret, spent time steps, recovery codes. */
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, integer, nullable, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

const SecondFactor = row({ sealed: nullable(bytes), confirmed: boolean, nowSeconds: integer });

/** The user's sealed secret, whether it counts yet, and the database's clock. */
export function findSecondFactor(db: Queries, userId: number) {
  return db.find(
    SecondFactor,
    sql`select totp_sealed as sealed, totp_confirmed_at is not null as confirmed,
        floor(extract(epoch from now()))::bigint as now_seconds
      from users where id = ${userId}`,
  );
}

/** Keeps a secret that is not confirmed yet; 0 when two-factor is on already. */
export function updateUnconfirmedSecret(db: Queries, userId: number, sealed: Buffer): Promise<number> {
  return db.run(
    sql`update users set totp_sealed = ${sealed}, totp_last_step = null, updated_at = now()
      where id = ${userId} and totp_confirmed_at is null`,
  );
}

/** Turns two-factor on, and spends the step of the code that proved the secret; 0 when another was faster. */
export function confirmSecret(db: Queries, userId: number, step: number): Promise<number> {
  return db.run(
    sql`update users set totp_confirmed_at = now(), totp_last_step = ${step}, updated_at = now()
      where id = ${userId} and totp_confirmed_at is null and totp_sealed is not null`,
  );
}

/** Spends a time step: 1 for one of several equal codes at once, 0 for the others and for older codes. */
export function spendStep(db: Queries, userId: number, step: number): Promise<number> {
  return db.run(
    sql`update users set totp_last_step = ${step}
      where id = ${userId} and totp_confirmed_at is not null and coalesce(totp_last_step, 0) < ${step}`,
  );
}

/** Turns two-factor off with all that belongs to it; 0 when it was off. */
export function deleteSecondFactor(db: Queries, userId: number): Promise<number> {
  return db.run(
    sql`with codes as (delete from recovery_codes where user_id = ${userId})
      update users set totp_sealed = null, totp_confirmed_at = null, totp_last_step = null, updated_at = now()
      where id = ${userId} and totp_confirmed_at is not null`,
  );
}

/** Puts new recovery codes in the place of all the old ones. */
export function replaceRecoveryCodes(
  db: Queries,
  userId: number,
  digests: readonly Buffer[],
): Promise<number> {
  return db.run(
    sql`with old as (delete from recovery_codes where user_id = ${userId})
      insert into recovery_codes (user_id, digest) select ${userId}, unnest(${digests}::bytea[])`,
  );
}

/** Spends a recovery code: 1 exactly once. */
export function spendRecoveryCode(db: Queries, userId: number, digest: Buffer): Promise<number> {
  return db.run(
    sql`update recovery_codes set used_at = now()
      where user_id = ${userId} and digest = ${digest} and used_at is null`,
  );
}

/** How many recovery codes are unspent. */
export async function countRecoveryCodes(db: Queries, userId: number): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from recovery_codes where user_id = ${userId} and used_at is null`,
  );
  return n;
}
