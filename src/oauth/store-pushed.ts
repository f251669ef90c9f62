/** Statements about pushed authorization requests (RFC 9126; decision 0205). */
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { boolean, instant, integer, jsonb, nullable, type RowOf, row } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import type { GivenParameters } from "./authorization-parameters.ts";
import { PUSHED_SECONDS, REQUEST_SECONDS } from "./lifetimes.ts";

/**
 * Limits of unanswered requests, including expired ones that were not deleted yet. A network can only use up its own share of
 * what public applications may push.
 */
const MAX_OF_APPLICATION = 20_000;
const MAX_OF_NETWORK = 1000;

export interface NewPushed {
  digest: Buffer;
  applicationId: number;
  /** Null: it is not counted by network, since the application was authenticated or rate limits are off. */
  network: string | null;
  parameters: GivenParameters;
}

/** Returns 0 if too many are waiting already; concurrent requests may exceed the limits a little. */
export function insertPushedRequest(db: Queries, made: NewPushed): Promise<number> {
  const ofApplication = sql`select from pushed_requests
    where application_id = ${made.applicationId} and used_at is null limit ${MAX_OF_APPLICATION}`;
  const ofNetwork = sql`select from pushed_requests
    where network = ${made.network}::text and used_at is null limit ${MAX_OF_NETWORK}`;
  return db.run(
    sql`insert into pushed_requests (digest, application_id, network, parameters, expires_at)
      select ${made.digest}, ${made.applicationId}, ${made.network}, ${json(made.parameters)}::jsonb,
        now() + make_interval(secs => ${PUSHED_SECONDS})
      where (select count(*) from (${ofApplication}) those) < ${MAX_OF_APPLICATION}
        and (select count(*) from (${ofNetwork}) those) < ${MAX_OF_NETWORK}`,
  );
}

const TakenRow = row({ parameters: jsonb<GivenParameters>(), takenAt: instant });

/** Returns an unanswered request of this application; from the first time on it is valid for as long as a consent page. */
export function beginPushedRequest(
  db: Queries,
  digest: Buffer,
  applicationId: number,
): Promise<RowOf<typeof TakenRow> | undefined> {
  return db.find(
    TakenRow,
    sql`update pushed_requests set taken_at = coalesce(taken_at, now()),
        expires_at = case when taken_at is null then now() + make_interval(secs => ${REQUEST_SECONDS}) else expires_at end
      where digest = ${digest} and application_id = ${applicationId} and used_at is null and expires_at > now()
      returning parameters, taken_at`,
  );
}

/** Marks it as answered. Returns 0 if it was answered before, or has expired. */
export function spendPushedRequest(db: Queries, digest: Buffer): Promise<number> {
  return db.run(
    sql`update pushed_requests set used_at = now(), parameters = '{}'
      where digest = ${digest} and used_at is null and expires_at > now()`,
  );
}

const FactsRow = row({ applicationId: integer, used: boolean, expiredFor: nullable(integer) });

/** Returns what is known of a request that cannot be used. */
export function findPushedFacts(db: Queries, digest: Buffer): Promise<RowOf<typeof FactsRow> | undefined> {
  return db.find(
    FactsRow,
    sql`select application_id, used_at is not null as used,
        case when expires_at <= now() then floor(extract(epoch from now() - expires_at))::bigint end as expired_for
      from pushed_requests where digest = ${digest}`,
  );
}

/** Deletes a batch. */
export function deleteExpiredPushed(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`pushed_requests`, sql`expires_at < now()`, most);
}
