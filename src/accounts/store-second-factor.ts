/** Statements about the second factor: the sealed secret, spent time steps, recovery codes, and which kinds there are. */
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, integer, nullable, type RowOf, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** How long a key waits for the code that proves it arrived. */
const WAITING_SECONDS = 30 * 60;
const waits = sql`totp_started_at > now() - make_interval(secs => ${WAITING_SECONDS})`;

const SecondFactor = row({ sealed: nullable(bytes), confirmed: boolean, nowSeconds: integer });

/** The user's sealed secret, if it counts or still waits for its code, whether it counts, and the database's clock. */
export function findSecondFactor(db: Queries, userId: number) {
  return db.find(
    SecondFactor,
    sql`select case when totp_confirmed_at is not null or ${waits} then totp_sealed end as sealed,
        totp_confirmed_at is not null as confirmed,
        floor(extract(epoch from now()))::bigint as now_seconds
      from users where id = ${userId}`,
  );
}

/** Which second factors count for a person, and how many recovery codes are unspent. */
export const FactorsRow = row({ app: boolean, passkeys: integer, codesLeft: integer });
export type Factors = RowOf<typeof FactorsRow>;

const none: Factors = { app: false, passkeys: 0, codesLeft: 0 };
const factors = (userId: number) => sql`select totp_confirmed_at is not null as app, passkeys,
    (select count(*) from recovery_codes where user_id = ${userId} and used_at is null) as codes_left
  from users where id = ${userId}`;

export async function findFactors(db: Queries, userId: number): Promise<Factors> {
  return (await db.find(FactorsRow, factors(userId))) ?? none;
}

/** The same, and nobody else changes them before the transaction is over. */
export async function lockFactors(tx: Queries, userId: number): Promise<Factors> {
  return (await tx.find(FactorsRow, sql`${factors(userId)} for update`)) ?? none;
}

/** Keeps a secret that is not confirmed yet; 0 when two-factor is on already. */
export function updateUnconfirmedSecret(db: Queries, userId: number, sealed: Buffer): Promise<number> {
  return db.run(
    sql`update users set totp_sealed = ${sealed}, totp_last_step = null, totp_started_at = now(), updated_at = now()
      where id = ${userId} and totp_confirmed_at is null`,
  );
}

/**
 * Turns two-factor on, and spends the step of the code that proved the secret; 0 when another was faster, its time is over, or
 * another secret has taken its place.
 */
export function confirmSecret(db: Queries, userId: number, sealed: Buffer, step: number): Promise<number> {
  return db.run(
    sql`update users set totp_confirmed_at = now(), totp_last_step = ${step}, updated_at = now()
      where id = ${userId} and totp_confirmed_at is null and totp_sealed = ${sealed} and ${waits}`,
  );
}

/** Spends a time step: 1 for one of several equal codes at once, 0 for the others and for older codes. */
export function spendStep(db: Queries, userId: number, step: number): Promise<number> {
  return db.run(
    sql`update users set totp_last_step = ${step}
      where id = ${userId} and totp_confirmed_at is not null and coalesce(totp_last_step, 0) < ${step}`,
  );
}

/** Forgets the secret of the authenticator app; 0 when there was none that counted. */
export function deleteSecret(db: Queries, userId: number): Promise<number> {
  return db.run(
    sql`update users set totp_sealed = null, totp_confirmed_at = null, totp_last_step = null, updated_at = now()
      where id = ${userId} and totp_confirmed_at is not null`,
  );
}

/** Forgets every second factor of every kind, the recovery codes too. */
export async function deleteSecondFactors(tx: Queries, userId: number): Promise<void> {
  await deleteSecret(tx, userId);
  await tx.run(sql`delete from passkeys where user_id = ${userId}`);
  await tx.run(sql`delete from recovery_codes where user_id = ${userId}`);
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
