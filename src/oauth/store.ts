/** Statements about applications and their secrets. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Application, type ApplicationFields, ApplicationRow } from "./application.ts";
import { authorizationIsOver } from "./store-authorizations.ts";
import { groupSeenBy } from "./store-owners.ts";

/** The columns of an `ApplicationRow`, for the tables below. */
export const applicationColumns = sql`a.id, a.uid, a.name, a.owner_id, o.username as owner_username, a.redirect_uris,
  a.post_logout_redirect_uris, a.backchannel_logout_uri, a.backchannel_logout_session_required, a.scopes,
  a.grant_types, a.confidential, a.trusted, a.omit_iss, a.require_pushed, a.id_token_algorithm, a.bound_tokens_only,
  a.home_page, a.access_token_seconds, a.refresh_idle_seconds, a.refresh_absolute_seconds, a.jwks, a.only_by_key, a.created_at,
  a.registered_from is not null as self_registered`;
export const applicationsWithOwners = sql`applications a left join users o on o.id = a.owner_id`;

const Id = row({ id: integer });

export function findApplication(db: Queries, id: number): Promise<Application | undefined> {
  return findBy(db, sql`a.id = ${id}`);
}

/** Returns the application with this Application ID. */
export function findApplicationByUid(db: Queries, uid: string): Promise<Application | undefined> {
  return findBy(db, sql`a.uid = ${uid}`);
}

/** Locks an application and its secrets for the rest of the transaction, and returns it. */
export function lockApplication(tx: Queries, id: number): Promise<Application | undefined> {
  return findBy(tx, sql`a.id = ${id} for no key update of a`);
}

function findBy(db: Queries, condition: Sql): Promise<Application | undefined> {
  return db.find(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners} where ${condition}`,
  );
}

/** Returns every application of the instance, oldest first. */
export function listApplications(
  db: Queries,
  page: { limit: number; offset: number },
): Promise<Application[]> {
  return db.many(
    ApplicationRow,
    sql`select ${applicationColumns} from ${applicationsWithOwners} order by a.id limit ${page.limit} offset ${page.offset}`,
  );
}

export function countApplications(db: Queries): Promise<number> {
  return countOf(db, sql`select count(*) as n from applications`);
}

const AuthorizedRow = row({
  id: integer,
  uid: text,
  name: text,
  ownerUsername: nullable(text),
  isOfGroup: boolean,
  selfRegistered: boolean,
  /** Null: no group owns it, or the person may not see that group. */
  ownerGroupPath: nullable(text),
  scopes: list(text),
  authorizedAt: instant,
  lastUsedAt: nullable(instant),
  /** Counted to a thousand. */
  liveTokens: integer,
});
export type AuthorizedApplication = RowOf<typeof AuthorizedRow>;

/**
 * Returns the applications that may act for a person: by consent, or by a valid token. Only the newest 1,000 tokens and approvals
 * of the person are read for each (decision 0172). `search`: only those with this text in their name or their owner's username.
 */
export function listAuthorizedApplications(
  db: Queries,
  userId: number,
  search = "",
): Promise<AuthorizedApplication[]> {
  const found =
    search === ""
      ? sql``
      : sql`and strpos(lower(a.name || ' ' || coalesce(o.username, '')), lower(${search})) > 0`;
  const newest = sql`(select g.scopes, g.flow, g.created_at from authorizations g
    where g.user_id = ${userId} and g.application_id = a.id and g.revoked_at is null
    order by g.created_at desc limit 1000) newest`;
  return db.many(
    AuthorizedRow,
    sql`with recursive held as (
        (select application_id from access_tokens where user_id = ${userId} and application_id is not null
          order by application_id limit 1)
        union all
        select next.application_id from held cross join lateral (
          select t.application_id from access_tokens t
          where t.user_id = ${userId} and t.application_id > held.application_id
          order by t.application_id limit 1) next)
      select a.id, a.uid, a.name, o.username as owner_username,
        ${groupSeenBy(userId)}, a.registered_from is not null as self_registered,
        array(select unnest(c.scopes) union
          select unnest(newest.scopes) from ${newest} where not (${authorizationIsOver}) order by 1) as scopes,
        coalesce(c.created_at, (select min(created_at) from ${newest} where not (${authorizationIsOver})), a.created_at) as authorized_at,
        t.last_used_at, t.live_tokens
      from (select application_id from held union select application_id from consents where user_id = ${userId}) known
        join (${applicationsWithOwners}) on a.id = known.application_id
        left join consents c on c.application_id = a.id and c.user_id = ${userId}
        cross join lateral (
          select max(newest.last_used_at) as last_used_at, count(*) filter (where newest.is_valid) as live_tokens from (
            select k.last_used_at, k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as is_valid
            from access_tokens k where k.user_id = ${userId} and k.application_id = a.id
            order by k.created_at desc limit 1000) newest) t
      where (c.user_id is not null or t.live_tokens > 0) ${found}
      order by authorized_at desc, a.id desc`,
  );
}

export interface NewApplication extends ApplicationFields {
  uid: string;
  ownerId: number | null;
  trusted: boolean;
  secretDigest: Buffer;
  registeredFrom: string | null;
}

/** Inserts an application with its first secret in one statement; returns its id. */
export async function insertApplication(db: Queries, made: NewApplication): Promise<number> {
  const { id } = await db.one(
    Id,
    sql`with made as (
        insert into applications
          (uid, name, owner_id, trusted, redirect_uris, post_logout_redirect_uris, scopes, grant_types, confidential, omit_iss,
            id_token_algorithm, bound_tokens_only, home_page, backchannel_logout_uri, backchannel_logout_session_required,
            access_token_seconds, refresh_idle_seconds, refresh_absolute_seconds, registered_from, require_pushed, jwks, only_by_key)
        values (${made.uid}, ${made.name}, ${made.ownerId}, ${made.trusted}, ${made.redirectUris},
          ${made.postLogoutRedirectUris}, ${made.scopes}, ${made.grantTypes},
          ${made.confidential}, ${made.omitIss}, ${made.idTokenAlgorithm}, ${made.boundTokensOnly}, ${made.homePage},
          ${made.backchannelLogoutUri}, ${made.backchannelLogoutSessionRequired},
          ${made.accessTokenSeconds}, ${made.refreshIdleSeconds}, ${made.refreshAbsoluteSeconds}, ${made.registeredFrom},
          ${made.requirePushed}, ${made.jwks}, ${made.onlyByKey})
        returning id)
      insert into application_secrets (application_id, digest) select id, ${made.secretDigest}::bytea from made
      returning application_id as id`,
  );
  return id;
}

/** An application whose removal has begun gets no grant types back. */
export function updateApplication(db: Queries, id: number, fields: ApplicationFields): Promise<number> {
  return db.run(
    sql`update applications set name = ${fields.name}, redirect_uris = ${fields.redirectUris},
        post_logout_redirect_uris = ${fields.postLogoutRedirectUris}, scopes = ${fields.scopes},
        grant_types = case when removal_act is null then ${fields.grantTypes}::text[] else '{}' end, confidential = ${fields.confidential}, omit_iss = ${fields.omitIss},
        id_token_algorithm = ${fields.idTokenAlgorithm}, bound_tokens_only = ${fields.boundTokensOnly},
        home_page = ${fields.homePage}, backchannel_logout_uri = ${fields.backchannelLogoutUri},
        backchannel_logout_session_required = ${fields.backchannelLogoutSessionRequired},
        access_token_seconds = ${fields.accessTokenSeconds}, refresh_idle_seconds = ${fields.refreshIdleSeconds},
        refresh_absolute_seconds = ${fields.refreshAbsoluteSeconds}, require_pushed = ${fields.requirePushed},
        jwks = ${fields.jwks}, only_by_key = ${fields.onlyByKey}, updated_at = now()
      where id = ${id}`,
  );
}

/**
 * Inserts a new secret of a locked application; the newest of before stays valid for `graceSeconds` more. All others end, and are
 * deleted at once, so that a client authentication has two to read, however often they are renewed.
 */
export function replaceSecret(
  db: Queries,
  applicationId: number,
  digest: Buffer,
  graceSeconds: number,
): Promise<number> {
  return db.run(
    sql`with ended as (
        delete from application_secrets where application_id = ${applicationId} and expires_at is not null),
      old as (
        update application_secrets set expires_at = now() + make_interval(secs => ${graceSeconds})
        where application_id = ${applicationId} and expires_at is null)
      insert into application_secrets (application_id, digest) values (${applicationId}, ${digest})`,
  );
}

/** Deletes client secrets whose overlap with their successor is over. */
export function deleteExpiredSecrets(db: Queries): Promise<number> {
  return db.run(sql`delete from application_secrets where expires_at < now()`);
}
