/** Statements about waiting devices, and about wrong user codes that people typed. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { boolean, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Decision, type Device, DeviceRow, type ProofPlace } from "./device.ts";
import type { ProvenBy } from "./issued.ts";
import { DEVICE_SECONDS } from "./lifetimes.ts";

export interface NewDevice {
  digest: Buffer;
  userCodeHash: string;
  applicationId: number;
  scopes: readonly string[];
  ip: string;
  intervalSeconds: number;
}

/** Returns 0 if another device has the same user code. */
export function insertDevice(db: Queries, made: NewDevice): Promise<number> {
  return db.run(
    sql`insert into device_authorizations (digest, user_code_hash, application_id, scopes, ip, interval_seconds, expires_at)
      values (${made.digest}, ${made.userCodeHash}, ${made.applicationId}, ${made.scopes}, ${made.ip},
        ${made.intervalSeconds}, now() + make_interval(secs => ${DEVICE_SECONDS}))
      on conflict (user_code_hash) do nothing`,
  );
}

/** Whether a poll of the device `d` came before its interval was over, with a second of tolerance for clocks and networks. */
const isEarly = sql`d.polled_at > now() - make_interval(secs => d.interval_seconds - 1)`;

/** Whether a poll of the device `d` repeats the one before with the other method of client authentication. */
const isAgain = (by: ProofPlace) =>
  sql`(${isEarly} and d.polled_by is not distinct from ${by === "header" ? "body" : "header"})`;

/** Returns a device by its code, locked until the commit, so that polls are handled one at a time. */
export function lockDevice(db: Queries, digest: Buffer, by: ProofPlace): Promise<Device | undefined> {
  return db.find(
    DeviceRow,
    sql`select d.digest, d.application_id, d.scopes, d.interval_seconds,
        coalesce(${isEarly} and not ${isAgain(by)}, false) as hasty,
        d.expires_at <= now() as expired, d.decision, d.user_id, coalesce(u.state = 'active', false) as user_active,
        d.authenticated_at, d.authenticated_by, d.spent_at is not null as spent, now()::timestamptz(3) as now
      from device_authorizations d left join users u on u.id = d.user_id
      where d.digest = ${digest} for update of d`,
  );
}

/** Records a poll and the new interval. A repeated poll keeps the time of the first, from which clients count their interval. */
export function updateDevicePoll(
  db: Queries,
  digest: Buffer,
  intervalSeconds: number,
  by: ProofPlace,
): Promise<number> {
  return db.run(
    sql`update device_authorizations d set interval_seconds = ${intervalSeconds},
        polled_at = case when ${isAgain(by)} then d.polled_at else now() end,
        polled_by = case when ${isEarly} and d.polled_by <> ${by} then 'both' else ${by} end
      where d.digest = ${digest}`,
  );
}

/** Spends a device code that the caller has locked. */
export function spendDevice(db: Queries, digest: Buffer): Promise<number> {
  return db.run(sql`update device_authorizations set spent_at = now() where digest = ${digest}`);
}

const WaitingRow = row({
  applicationId: integer,
  applicationUid: text,
  applicationName: text,
  trusted: boolean,
  selfRegistered: boolean,
  confidential: boolean,
  renewable: boolean,
  accessTokenSeconds: nullable(integer),
  refreshIdleSeconds: nullable(integer),
  refreshAbsoluteSeconds: nullable(integer),
  scopes: list(text),
  ip: text,
  createdAt: instant,
});
/** A device without an answer, as it is shown to people. */
export type WaitingDevice = RowOf<typeof WaitingRow>;

export function findWaitingDevice(db: Queries, userCodeHash: string): Promise<WaitingDevice | undefined> {
  return db.find(
    WaitingRow,
    sql`select d.application_id, a.uid as application_uid, a.name as application_name, a.trusted,
        a.registered_from is not null as self_registered, a.confidential, 'refresh_token' = any(a.grant_types) as renewable,
        a.access_token_seconds, a.refresh_idle_seconds, a.refresh_absolute_seconds, d.scopes, d.ip, d.created_at
      from device_authorizations d join applications a on a.id = d.application_id
      where d.user_code_hash = ${userCodeHash} and d.decision is null and d.expires_at > now()`,
  );
}

const DecidedRow = row({ applicationId: integer });

/** Records the answer for a device, never with more scopes than it asked for: only the first answer counts, others get no row. */
export function decideWaitingDevice(
  db: Queries,
  userCodeHash: string,
  answer: { decision: Decision; scopes: readonly string[]; userId: number } & ProvenBy,
): Promise<RowOf<typeof DecidedRow> | undefined> {
  return db.find(
    DecidedRow,
    sql`update device_authorizations
      set decision = ${answer.decision}, user_id = ${answer.userId}, authenticated_at = ${answer.authenticatedAt},
        authenticated_by = ${answer.authenticatedBy}, scopes = ${answer.scopes}
      where user_code_hash = ${userCodeHash} and decision is null and expires_at > now() and scopes @> ${answer.scopes}
      returning application_id`,
  );
}

/** Denies what a person allowed and no device has fetched yet. */
export function denyDevicesOfUser(db: Queries, userId: number, applicationId: number): Promise<number> {
  return db.run(
    sql`update device_authorizations set decision = 'denied'
      where user_id = ${userId} and application_id = ${applicationId} and spent_at is null`,
  );
}

/** Records that a person types a code, and returns the id of the try, which is deleted if the code is right. */
export async function insertDeviceTry(db: Queries, userId: number): Promise<number> {
  const { id } = await db.one(
    row({ id: integer }),
    sql`insert into device_code_failures (user_id) values (${userId}) returning id`,
  );
  return id;
}

export function deleteDeviceTry(db: Queries, id: number): Promise<number> {
  return db.run(sql`delete from device_code_failures where id = ${id}`);
}

/**
 * Counts the other tries of the last ten minutes: wrong ones, and those that are not checked yet. All of them, not only earlier
 * ones, because ids are not committed in order.
 */
export function countOtherDeviceTries(db: Queries, userId: number, id: number): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from device_code_failures
      where user_id = ${userId} and id <> ${id} and failed_at > now() - interval '10 minutes'`,
  );
}

/** Deletes a batch of devices a day after their code expired, so that a late poll still gets the reason. */
export function deleteOldDevices(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`device_authorizations`, sql`expires_at < now() - interval '1 day'`, most);
}

/** Deletes a batch of tries that are not counted any longer. */
export function deleteOldDeviceTries(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`device_code_failures`, sql`failed_at < now() - interval '1 hour'`, most);
}
