/** Statements about signing keys, and about the person who is the subject of an identity token. */
import type { JWK } from "jose";
import type { Queries } from "../platform/db.ts";
import {
  boolean,
  instant,
  integer,
  jsonb,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import {
  ANNOUNCED_SECONDS,
  PUBLISHED_SECONDS,
  SIGNING_ALGORITHMS,
  SIGNING_SECONDS,
  type SigningAlgorithm,
  type SigningKey,
  SigningKeyRow,
} from "./signing-key.ts";

/** Returns the newest key and the one before it, as far as they exist. */
export function listNewestKeys(db: Queries, algorithm: SigningAlgorithm): Promise<SigningKey[]> {
  return db.many(
    SigningKeyRow,
    sql`select kid, algorithm, generation, public_jwk, private_sealed,
        created_at < now() - make_interval(secs => ${SIGNING_SECONDS}) as old,
        created_at > now() - make_interval(secs => ${ANNOUNCED_SECONDS}) as announced
      from signing_keys where algorithm = ${algorithm} order by generation desc limit 2`,
  );
}

/** Does nothing if another process has already stored this generation. */
export function insertSigningKey(db: Queries, key: Omit<SigningKey, "old" | "announced">): Promise<number> {
  return db.run(
    sql`insert into signing_keys (kid, algorithm, generation, public_jwk, private_sealed)
      values (${key.kid}, ${key.algorithm}, ${key.generation}, ${json(key.publicJwk)}, ${key.privateSealed})
      on conflict (algorithm, generation) do nothing`,
  );
}

const PublishedRow = row({ kid: text, algorithm: oneOf(SIGNING_ALGORITHMS), publicJwk: jsonb<JWK>() });

const outlived = sql`exists (
  select from signing_keys n where n.algorithm = k.algorithm and n.generation = k.generation + 1
    and n.created_at < now() - make_interval(secs => ${PUBLISHED_SECONDS}))`;

/**
 * Returns the newest key of each algorithm, and those whose successor is young, newest first. Keys that do not sign yet come
 * last, since some clients take the first and ignore `kid`.
 */
export function listPublishedKeys(db: Queries): Promise<RowOf<typeof PublishedRow>[]> {
  return db.many(
    PublishedRow,
    sql`select k.kid, k.algorithm, k.public_jwk from signing_keys k where not ${outlived}
      order by k.created_at > now() - make_interval(secs => ${ANNOUNCED_SECONDS}), k.generation desc, k.algorithm desc`,
  );
}

/** Removes keys that are no longer published. */
export function deleteOldSigningKeys(db: Queries): Promise<number> {
  return db.run(sql`delete from signing_keys k where ${outlived}`);
}

const IdentityRow = row({
  id: integer,
  username: text,
  name: text,
  email: text,
  confirmedAt: nullable(instant),
  isAdmin: boolean,
  /** Empty if there is none, or the profile is private. */
  website: text,
});
/** The person behind a token, for identity tokens and userinfo. */
export type Identity = RowOf<typeof IdentityRow>;

export function findIdentity(db: Queries, userId: number): Promise<Identity | undefined> {
  return db.find(
    IdentityRow,
    sql`select id, username, name, email, confirmed_at, is_admin,
        case when private_profile then '' else coalesce(about->>'websiteUrl', '') end as website
      from users where id = ${userId} and state = 'active'`,
  );
}

const GroupOfPersonRow = row({ fullPath: text, ownLevel: nullable(integer) });

/**
 * Returns the groups of a person by path: those with a membership that has not expired, and those below them, with the level of a
 * direct membership. Groups that are being removed are left out.
 */
export function listGroupsOfPerson(db: Queries, userId: number): Promise<RowOf<typeof GroupOfPersonRow>[]> {
  return db.many(
    GroupOfPersonRow,
    sql`select n.full_path, max(m.access_level) filter (where m.namespace_id = n.id)::integer as own_level
      from members m join namespaces n on n.lineage @> array[m.namespace_id] and n.kind = 'group'
        and n.removal_began_at is null
      where m.user_id = ${userId} and m.namespace_id is not null and (m.expires_at is null or m.expires_at > now())
      group by n.id order by lower(n.full_path)`,
  );
}

const SessionAgeRow = row({
  authenticatedAt: instant,
  authenticatedBy: nullable(list(text)),
  /** Rounded up: a second that has begun exceeds the limit. */
  ageSeconds: integer,
});
/** When the person of a browser session last authenticated. */
export type SessionAge = RowOf<typeof SessionAgeRow>;

export function findSessionAge(db: Queries, digest: Buffer): Promise<SessionAge | undefined> {
  return db.find(
    SessionAgeRow,
    sql`select authenticated_at, authenticated_by, ceil(extract(epoch from now() - authenticated_at))::bigint as age_seconds
      from sessions where digest = ${digest} and authenticated_at is not null`,
  );
}

const SessionProofRow = row({
  sid: text,
  authenticatedAt: nullable(instant),
  authenticatedBy: nullable(list(text)),
});

/**
 * Returns when and how this person authenticated, unless the browser session has ended, and locks the session: whoever ends it
 * waits for the commit, and then sees what was granted in it (decision 0154).
 */
export function lockSession(
  db: Queries,
  digest: Buffer,
  userId: number,
): Promise<RowOf<typeof SessionProofRow> | undefined> {
  return db.find(
    SessionProofRow,
    sql`select sid::text as sid, authenticated_at, authenticated_by from sessions
      where digest = ${digest} and user_id = ${userId} and expires_at > now() for key share`,
  );
}
