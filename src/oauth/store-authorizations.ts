/** Statements about authorizations, consents, and requests that wait for consent. */
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { bytes, instant, integer, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import type { Flow } from "./authorization.ts";
import { LIFETIMES, REQUEST_SECONDS } from "./lifetimes.ts";
import { RESPONSE_MODES, type ResponseMode } from "./redirect-uri.ts";

const Id = row({ id: integer });

const NewAuthorization = row({ id: integer, createdAt: instant });

/**
 * Records that a person granted an application these scopes; everything issued from it refers to this row, and is deleted with
 * it.
 */
export function insertAuthorization(
  db: Queries,
  made: {
    applicationId: number;
    userId: number;
    flow: Flow;
    scopes: readonly string[];
    /** When the person had authenticated here. */
    authenticatedAt?: Date | null;
    /** The methods, as RFC 8176 names them. */
    authenticatedBy?: readonly string[] | null;
    /** The browser session, by the `sid` that applications get. */
    sessionSid?: string | null;
  },
): Promise<RowOf<typeof NewAuthorization>> {
  return db.one(
    NewAuthorization,
    sql`insert into authorizations (application_id, user_id, flow, scopes, authenticated_at,
        authenticated_by, session_sid)
      values (${made.applicationId}, ${made.userId}, ${made.flow}, ${made.scopes}, ${made.authenticatedAt ?? null},
        ${made.authenticatedBy ?? null}, ${made.sessionSid ?? null})
      returning id, created_at`,
  );
}

/** Ends one authorization; its row is locked thereby, so that no concurrent exchange escapes. */
export function revokeAuthorizationRow(db: Queries, id: number, because: string): Promise<number> {
  return db.run(
    sql`update authorizations set revoked_at = now(), revoked_because = ${because}
      where id = ${id} and revoked_at is null`,
  );
}

/** Locks its person, so that what was begun with its tokens is waited for (`holdActor`). */
export function lockPersonOfAuthorization(tx: Queries, id: number): Promise<number> {
  return tx.run(
    sql`select 1 as held from users where id = (select user_id from authorizations where id = ${id})
      for no key update`,
  );
}

/**
 * Whether an authorization is over without being revoked: it was for a single access token without a refresh token, and the
 * longest lifetime of one has passed. A frequently requesting program has a month of these (decision 0230).
 */
export const authorizationIsOver = sql`flow in ('implicit', 'password', 'client_credentials')
  and created_at < now() - make_interval(secs => ${LIFETIMES.accessTokenSeconds.most}::integer)`;

/** Ends the grants of a person to an application that are not over already; returns those that were ended. */
export async function revokeAuthorizationsOfUser(
  db: Queries,
  userId: number,
  applicationId: number,
  because: string,
): Promise<number[]> {
  const ended = await db.many(
    Id,
    sql`update authorizations set revoked_at = now(), revoked_because = ${because}
      where user_id = ${userId} and application_id = ${applicationId} and revoked_at is null
        and not (${authorizationIsOver})
      returning id`,
  );
  return ended.map(({ id }) => id);
}

/**
 * Locks a person until the commit: whoever changes the password or blocks them either sees what follows, or was done before it.
 * Read the session after this, since it may have ended before.
 */
export function lockPerson(db: Queries, userId: number): Promise<number> {
  return db.run(sql`select 1 as held from users where id = ${userId} for share`);
}

const ConsentRow = row({ scopes: list(text) });

/** Returns the scopes that a person has allowed an application so far; undefined: none. */
export async function findConsent(
  db: Queries,
  userId: number,
  applicationId: number,
): Promise<readonly string[] | undefined> {
  return (await db.find(ConsentRow, consentOf(userId, applicationId)))?.scopes;
}

/** The same, locked until the commit: whoever withdraws the consent meanwhile then also ends what was issued. */
export async function lockConsent(
  db: Queries,
  userId: number,
  applicationId: number,
): Promise<readonly string[] | undefined> {
  return (await db.find(ConsentRow, sql`${consentOf(userId, applicationId)} for share`))?.scopes;
}

const consentOf = (userId: number, applicationId: number): Sql =>
  sql`select scopes from consents where user_id = ${userId} and application_id = ${applicationId}`;

/** Adds scopes to the consent of a person, and removes those that they left out this time. */
export function upsertConsent(
  db: Queries,
  userId: number,
  applicationId: number,
  { scopes, forgotten }: { scopes: readonly string[]; forgotten: readonly string[] },
): Promise<number> {
  return db.run(
    sql`insert into consents as c (user_id, application_id, scopes) values (${userId}, ${applicationId}, ${scopes})
      on conflict (user_id, application_id) do update
        set scopes = array(select unnest(c.scopes || excluded.scopes) except select unnest(${forgotten}::text[]) order by 1),
          updated_at = now()`,
  );
}

/**
 * Records that an application got access without asking: the person has allowed nothing, and is asked once it is no longer
 * trusted (decision 0155). An earlier consent stays as it is.
 */
export function insertUnaskedConsent(db: Queries, userId: number, applicationId: number): Promise<number> {
  return db.run(
    sql`insert into consents (user_id, application_id, scopes) values (${userId}, ${applicationId}, '{}')
      on conflict (user_id, application_id) do nothing`,
  );
}

export function deleteConsent(db: Queries, userId: number, applicationId: number): Promise<number> {
  return db.run(sql`delete from consents where user_id = ${userId} and application_id = ${applicationId}`);
}

/**
 * Forgets the scopes of some consents to an application, whose people are asked again; that they use it stays known. Returns how
 * many there were.
 */
export function emptyConsents(db: Queries, applicationId: number, most: number): Promise<number> {
  return db.run(
    sql`update consents set scopes = '{}' where application_id = ${applicationId} and user_id in (
      select user_id from consents where application_id = ${applicationId} and scopes <> '{}' limit ${most})`,
  );
}

const RequestRow = row({
  applicationUid: text,
  responseType: oneOf(["code", "token"] as const),
  responseMode: oneOf(RESPONSE_MODES),
  redirectUri: text,
  scopes: list(text),
  state: nullable(text),
  codeChallenge: nullable(text),
  boundKey: nullable(text),
  nonce: nullable(text),
  /** The digest of the pushed request that is used up by the answer. */
  pushedDigest: nullable(bytes),
});
export type WaitingRequest = RowOf<typeof RequestRow>;

export interface NewRequest {
  digest: Buffer;
  sessionDigest: Buffer;
  applicationId: number;
  userId: number;
  responseType: "code" | "token";
  responseMode: ResponseMode;
  redirectUri: string;
  scopes: readonly string[];
  state: string | null;
  codeChallenge: string | null;
  boundKey: string | null;
  nonce: string | null;
  pushedDigest: Buffer | null;
}

export function insertRequest(db: Queries, made: NewRequest): Promise<number> {
  return db.run(
    sql`insert into authorization_requests (digest, session_digest, user_id, application_id, response_type, response_mode,
        redirect_uri, scopes, state, code_challenge, bound_key, nonce, pushed_digest, expires_at)
      values (${made.digest}, ${made.sessionDigest}, ${made.userId}, ${made.applicationId}, ${made.responseType},
        ${made.responseMode}, ${made.redirectUri}, ${made.scopes}, ${made.state}, ${made.codeChallenge},
        ${made.boundKey}, ${made.nonce}, ${made.pushedDigest}, now() + make_interval(secs => ${REQUEST_SECONDS}))`,
  );
}

/** Takes a waiting request: only the session that was shown it gets it, and only once. */
export function takeRequest(
  db: Queries,
  { digest, sessionDigest, userId }: { digest: Buffer; sessionDigest: Buffer; userId: number },
): Promise<WaitingRequest | undefined> {
  return db.find(
    RequestRow,
    sql`delete from authorization_requests q using applications a
      where q.digest = ${digest} and q.session_digest = ${sessionDigest} and q.user_id = ${userId}
        and q.expires_at > now() and a.id = q.application_id
      returning a.uid as application_uid, q.response_type, q.response_mode, q.redirect_uri, q.scopes, q.state,
        q.code_challenge, q.bound_key, q.nonce, q.pushed_digest`,
  );
}

/** Deletes a batch. */
export function deleteExpiredRequests(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`authorization_requests`, sql`expires_at < now()`, most);
}

/** Deletes those of these authorizations that have no code and no token left. */
export function deleteEmptyAuthorizations(db: Queries, ids: readonly number[]): Promise<number> {
  return db.run(
    sql`delete from authorizations g
      where g.id = any(${ids}::bigint[])
        and not exists (select from authorization_codes c where c.authorization_id = g.id)
        and not exists (select from refresh_tokens r where r.authorization_id = g.id)
        and not exists (select from access_tokens t where t.authorization_id = g.id)`,
  );
}
