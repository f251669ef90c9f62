/** Statements about the second factor: the encrypted secret, used time steps, recovery codes, and which factors a person has. */
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, integer, nullable, type RowOf, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";

/** How long a new secret waits for the code that confirms it. */
const WAITING_SECONDS = 30 * 60;
const waits = sql`totp_started_at > now() - make_interval(secs => ${WAITING_SECONDS})`;

const SecondFactor = row({ sealed: nullable(bytes), confirmed: boolean, nowSeconds: integer });

/**
 * Finds the user's encrypted secret, if it is confirmed or still waits for its code, whether it is confirmed, and the database's
 * clock.
 */
export function findSecondFactor(db: Queries, userId: number) {
  return db.find(
    SecondFactor,
    sql`select case when totp_confirmed_at is not null or ${waits} then totp_sealed end as sealed,
        totp_confirmed_at is not null as confirmed,
        floor(extract(epoch from now()))::bigint as now_seconds
      from users where id = ${userId}`,
  );
}

/** The confirmed second factors of a person, and the number of unused recovery codes. */
export const FactorsRow = row({ app: boolean, passkeys: integer, codesLeft: integer });
export type Factors = RowOf<typeof FactorsRow>;

const none: Factors = { app: false, passkeys: 0, codesLeft: 0 };
const factors = (userId: number) => sql`select totp_confirmed_at is not null as app, passkeys,
    (select count(*) from recovery_codes where user_id = ${userId} and used_at is null) as codes_left
  from users where id = ${userId}`;

export async function findFactors(db: Queries, userId: number): Promise<Factors> {
  return (await db.find(FactorsRow, factors(userId))) ?? none;
}

/** The same, and locks them until the transaction ends. */
export async function lockFactors(tx: Queries, userId: number): Promise<Factors> {
  return (await tx.find(FactorsRow, sql`${factors(userId)} for update`)) ?? none;
}

/** Stores an unconfirmed secret; returns 0 if an app is confirmed already, or the password's hash is another by now. */
export function updateUnconfirmedSecret(
  db: Queries,
  userId: number,
  sealed: Buffer,
  passwordHash: string,
): Promise<number> {
  return db.run(
    sql`update users set totp_sealed = ${sealed}, totp_last_step = null, totp_started_at = now(), updated_at = now()
      where id = ${userId} and totp_confirmed_at is null and password_hash = ${passwordHash}`,
  );
}

/**
 * Confirms the secret, and marks the time step of its code as used; returns 0 if another request was faster, the time is over, or
 * another secret has replaced it.
 */
export function confirmSecret(db: Queries, userId: number, sealed: Buffer, step: number): Promise<number> {
  return db.run(
    sql`update users set totp_confirmed_at = now(), totp_last_step = ${step}, updated_at = now()
      where id = ${userId} and totp_confirmed_at is null and totp_sealed = ${sealed} and ${waits}`,
  );
}

/** Takes back steps that have not come: no code would be accepted until then. The present one counts as used. */
export function updateStepsAhead(db: Queries): Promise<number> {
  const present = sql`floor(extract(epoch from now()) / 30)::bigint`;
  return db.run(sql`update users set totp_last_step = ${present} where totp_last_step > ${present} + 1`);
}

/** Marks a time step as used: returns 1 for one of several equal concurrent codes, 0 for the others and for older codes. */
export function spendStep(db: Queries, userId: number, step: number): Promise<number> {
  return db.run(
    sql`update users set totp_last_step = ${step}
      where id = ${userId} and totp_confirmed_at is not null and coalesce(totp_last_step, 0) < ${step}`,
  );
}

/** Deletes the secret of the authenticator app; returns 0 if there was no confirmed one. */
export function deleteSecret(db: Queries, userId: number): Promise<number> {
  return db.run(
    sql`update users set totp_sealed = null, totp_confirmed_at = null, totp_last_step = null, updated_at = now()
      where id = ${userId} and totp_confirmed_at is not null`,
  );
}

/** Deletes all second factors, including the recovery codes. */
export async function deleteSecondFactors(tx: Queries, userId: number): Promise<void> {
  await deleteSecret(tx, userId);
  await tx.run(sql`delete from passkeys where user_id = ${userId}`);
  await tx.run(sql`delete from recovery_codes where user_id = ${userId}`);
}

/** Replaces all recovery codes by new ones. */
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

/** Marks a recovery code as used; returns 1 exactly once. */
export function spendRecoveryCode(db: Queries, userId: number, digest: Buffer): Promise<number> {
  return db.run(
    sql`update recovery_codes set used_at = now()
      where user_id = ${userId} and digest = ${digest} and used_at is null`,
  );
}
