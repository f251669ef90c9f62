/** Statements about applications with their makers and their use, for those who look after them. */
import type { Queries } from "../platform/db.ts";
import { instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { joinSql, type Sql, sql } from "../platform/sql.ts";
import { ApplicationRow } from "./application.ts";
import { FLOWS } from "./authorization.ts";

const MakerRow = row({ ownerUsername: nullable(text), ownerGroupPath: nullable(text) });
/** Whose application it is; both null: the instance's. */
export type Maker = RowOf<typeof MakerRow>;

export async function findMaker(db: Queries, applicationId: number): Promise<Maker> {
  const found = await db.find(
    MakerRow,
    sql`select o.username as owner_username, g.full_path as owner_group_path from applications a
        left join users o on o.id = a.owner_id left join namespaces g on g.id = a.owner_group_id
      where a.id = ${applicationId}`,
  );
  return found ?? { ownerUsername: null, ownerGroupPath: null };
}

const ManagedRow = row({
  ...ApplicationRow.columns,
  ownerGroupId: nullable(integer),
  ownerGroupPath: nullable(text),
  /** Of the account for which it acts; null: it belongs to a person, or never asked. */
  accountUsername: nullable(text),
  people: integer,
  lastTokenAt: nullable(instant),
});
/** An application as those see it who look after it. */
export type ManagedApplication = RowOf<typeof ManagedRow>;

const columns = sql`a.id, a.uid, a.name, a.owner_id, o.username as owner_username, a.redirect_uris,
  a.post_logout_redirect_uris, a.backchannel_logout_uri, a.backchannel_logout_session_required, a.scopes,
  a.grant_types, a.confidential, a.trusted, a.omit_iss, a.id_token_algorithm, a.home_page, a.created_at,
  a.owner_group_id, g.full_path as owner_group_path,
  (select u.username from users u where u.id = a.account_id) as account_username,
  (select count(*) from consents c where c.application_id = a.id) as people,
  (select max(t.created_at) from access_tokens t where t.application_id = a.id) as last_token_at`;
const tables = sql`applications a left join users o on o.id = a.owner_id left join namespaces g on g.id = a.owner_group_id`;

/** Which applications a place shows. */
export type Place =
  | { kind: "person"; userId: number }
  | { kind: "group"; groupId: number }
  /** Administrators: of the instance alone, or everybody's. */
  | { kind: "instance" }
  | { kind: "everywhere" };

const within = (place: Place): Sql => {
  switch (place.kind) {
    case "person":
      return sql`a.owner_id = ${place.userId}`;
    case "group":
      return sql`a.owner_group_id = ${place.groupId}`;
    case "instance":
      return sql`a.owner_id is null and a.owner_group_id is null`;
    case "everywhere":
      return sql`true`;
  }
};

const found = (place: Place, search: string): Sql =>
  joinSql(
    [
      within(place),
      ...(search === ""
        ? []
        : [
            sql`strpos(lower(a.name || ' ' || a.uid || ' ' || coalesce(o.username, '') || ' ' || coalesce(g.full_path, '')), lower(${search})) > 0`,
          ]),
    ],
    " and ",
  );

/** Newest first. */
export function listManagedApplications(
  db: Queries,
  place: Place,
  page: { search: string; limit: number; offset: number },
): Promise<ManagedApplication[]> {
  return db.many(
    ManagedRow,
    sql`select ${columns} from ${tables} where ${found(place, page.search)}
      order by a.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countManagedApplications(db: Queries, place: Place, search: string): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from ${tables} where ${found(place, search)}`,
  );
  return n;
}

/** Undefined outside of the place, as if it did not exist. */
export function findManagedApplication(
  db: Queries,
  place: Place,
  id: number,
): Promise<ManagedApplication | undefined> {
  return db.find(ManagedRow, sql`select ${columns} from ${tables} where a.id = ${id} and ${within(place)}`);
}

const inherits = (userId: number): Sql => sql`exists (select from members m
  where m.namespace_id = any (g.lineage) and m.user_id = ${userId} and m.access_level = 50
    and (m.expires_at is null or m.expires_at > now()))`;

/** For whoever may look after it: its owner, owners of its group, administrators. Undefined for everybody else. */
export function findApplicationInCare(
  db: Queries,
  asker: { id: number; isAdmin: boolean },
  id: number,
): Promise<ManagedApplication | undefined> {
  const mine = asker.isAdmin ? sql`true` : sql`(a.owner_id = ${asker.id} or ${inherits(asker.id)})`;
  return db.find(ManagedRow, sql`select ${columns} from ${tables} where a.id = ${id} and ${mine}`);
}

const OwnedGroupRow = row({ id: integer, name: text, fullPath: text });
export type OwnedGroup = RowOf<typeof OwnedGroupRow>;

/**
 * The group at this path (in any case) if the asker owns it, directly or from above, or is an administrator; undefined, too,
 * once its removal has begun (decision 0152).
 */
export function findOwnedGroup(
  db: Queries,
  asker: { id: number; isAdmin: boolean },
  path: string,
): Promise<OwnedGroup | undefined> {
  const owns = asker.isAdmin ? sql`true` : inherits(asker.id);
  return db.find(
    OwnedGroupRow,
    sql`select g.id, g.name, g.full_path from namespaces g
      where g.kind = 'group' and g.removal_began_at is null and lower(g.full_path) = lower(${path}) and ${owns}`,
  );
}

/** Says whether people are asked for consent no more; undefined: as it is now, whatever it was when it was read. */
export function updateTrusted(db: Queries, id: number, trusted: boolean | undefined): Promise<number> {
  return db.run(
    sql`update applications set trusted = coalesce(${trusted ?? null}::boolean, trusted) and confidential
      where id = ${id}`,
  );
}

/** Hands a new application to a group. */
export function updateOwnerGroup(db: Queries, id: number, groupId: number): Promise<number> {
  return db.run(sql`update applications set owner_id = null, owner_group_id = ${groupId} where id = ${id}`);
}

const SecretRow = row({ createdAt: instant, expiresAt: nullable(instant) });
/** A client secret that is valid now; null: until it is renewed. */
export type ValidSecret = RowOf<typeof SecretRow>;

/** The valid ones, newest first. */
export function listValidSecrets(db: Queries, applicationId: number): Promise<ValidSecret[]> {
  return db.many(
    SecretRow,
    sql`select created_at, expires_at from application_secrets
      where application_id = ${applicationId} and (expires_at is null or expires_at > now()) order by id desc`,
  );
}

const PersonUseRow = row({
  userId: integer,
  username: text,
  name: text,
  consentedAt: nullable(instant),
  scopes: text,
  flows: text,
  lastUsedAt: nullable(instant),
  liveTokens: integer,
});
/** A person who allowed an application, or for whom it holds a token. */
export type PersonUse = RowOf<typeof PersonUseRow>;

const holders = (applicationId: number): Sql => sql`(
  select c.user_id from consents c where c.application_id = ${applicationId}
  union select t.user_id from access_tokens t where t.application_id = ${applicationId}
    and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())) p`;

/** Latest use first. */
export function listPeopleOfApplication(
  db: Queries,
  applicationId: number,
  page: { limit: number; offset: number },
): Promise<PersonUse[]> {
  return db.many(
    PersonUseRow,
    sql`select u.id as user_id, u.username, u.name,
        case when cardinality(c.scopes) > 0 then c.created_at end as consented_at,
        coalesce(array_to_string(c.scopes, ' '), '') as scopes,
        coalesce((select string_agg(distinct f.flow, ' ' order by f.flow) from authorizations f
          where f.application_id = ${applicationId} and f.user_id = u.id and f.revoked_at is null), '') as flows,
        t.last_used_at, coalesce(t.live_tokens, 0) as live_tokens
      from ${holders(applicationId)} join users u on u.id = p.user_id
        left join consents c on c.application_id = ${applicationId} and c.user_id = u.id
        left join lateral (
          select max(k.last_used_at) as last_used_at,
            count(*) filter (where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) as live_tokens
          from access_tokens k where k.application_id = ${applicationId} and k.user_id = u.id) t on true
      order by t.last_used_at desc nulls last, u.id limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countPeopleOfApplication(db: Queries, applicationId: number): Promise<number> {
  return (await db.one(row({ n: integer }), sql`select count(*) as n from ${holders(applicationId)}`)).n;
}

const FlowUseRow = row({
  flow: oneOf(FLOWS),
  authorizations: integer,
  people: integer,
  /** Access tokens handed out, those of refreshes too. */
  tokens: integer,
  refreshes: integer,
  liveTokens: integer,
  lastAt: nullable(instant),
});
/** How much an application uses a flow: approvals, tokens and refreshes of the last 30 days, and what lives of all. */
export type FlowUse = RowOf<typeof FlowUseRow>;

/** Counted from the rows themselves, which stay for 30 days after their end: issuing writes nothing for it. */
export function listFlowsOfApplication(db: Queries, applicationId: number): Promise<FlowUse[]> {
  return db.many(
    FlowUseRow,
    sql`with issued as (
        select authorization_id, count(*) filter (where created_at > now() - interval '30 days') as tokens,
          count(*) filter (where revoked_at is null and (expires_at is null or expires_at > now())) as live_tokens,
          max(created_at) as last_at
        from access_tokens where application_id = ${applicationId} group by authorization_id),
      refreshed as (
        select r.authorization_id, count(*) as refreshes
        from refresh_tokens r join authorizations g on g.id = r.authorization_id
        where g.application_id = ${applicationId} and r.spent_at > now() - interval '30 days'
        group by r.authorization_id)
      select f.flow, count(*) filter (where f.created_at > now() - interval '30 days') as authorizations,
        count(distinct f.user_id) as people, greatest(max(f.created_at), max(i.last_at)) as last_at,
        coalesce(sum(i.tokens), 0)::bigint as tokens, coalesce(sum(r.refreshes), 0)::bigint as refreshes,
        coalesce(sum(i.live_tokens), 0)::bigint as live_tokens
      from authorizations f left join issued i on i.authorization_id = f.id
        left join refreshed r on r.authorization_id = f.id
      where f.application_id = ${applicationId} group by f.flow order by tokens desc, f.flow`,
  );
}
