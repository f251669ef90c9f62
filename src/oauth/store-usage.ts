/** Statements about who uses an application and how, which read only its newest tokens and approvals (decision 0172). */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, instant, integer, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { Sql, sql } from "../platform/sql.ts";
import { FLOWS } from "./authorization.ts";
import { LIFETIMES } from "./lifetimes.ts";

/** How many of the newest tokens, and as many consents or approvals, say who uses an application. */
export const MAX_READ = 10_000;

/** Whether a token is valid. */
const isValid = sql`revoked_at is null and (expires_at is null or expires_at > now())`;
/** The newest tokens, consents and approvals that are read; literal text, since a bound limit changes the plan. */
const mostRead = new Sql([String(MAX_READ)], []);
/** Older tokens are never valid; literal text, so that the planner knows how few that leaves (decision 0169). */
const lifetime = new Sql([`interval '${LIFETIMES.accessTokenSeconds.most} seconds'`], []);

const PersonUseRow = row({
  userId: integer,
  username: text,
  name: text,
  consentedAt: nullable(instant),
  /** There is a consent without scopes: of a trusted application, or emptied since. */
  isUnasked: boolean,
  scopes: text,
  flows: text,
  lastUsedAt: nullable(instant),
  /** Counted to a thousand. */
  liveTokens: integer,
});
/** A person who authorized an application, or for whom it has a valid token. */
export type PersonUse = RowOf<typeof PersonUseRow>;

/** The holders of the newest 10,000 tokens and of the newest 10,000 consents: `user_id`, `last_at`, `allowed_at`. */
const newestHolders = (applicationId: number): Sql => sql`(
  with held as (
      select user_id, max(created_at) as last_at, bool_or(is_valid) as is_valid from (
        select user_id, created_at, ${isValid} as is_valid from access_tokens where application_id = ${applicationId}
        order by created_at desc limit ${mostRead}) newest group by user_id),
    allowed as (
      select user_id, created_at as allowed_at from consents where application_id = ${applicationId}
      order by created_at desc limit ${mostRead})
  select h.user_id, h.last_at, null::timestamptz as allowed_at from held h left join lateral (
      select true as is_there from consents where user_id = h.user_id and application_id = ${applicationId} offset 0) c on true
    where h.is_valid or c.is_there
  union all
  select a.user_id, null, a.allowed_at from allowed a left join held h using (user_id) where h.user_id is null) p`;

/** Ordered by their newest token, then by consent. Complete, unless there are more than 10,000 tokens or consents. */
export function listPeopleOfApplication(
  db: Queries,
  applicationId: number,
  page: { limit: number; offset: number },
): Promise<PersonUse[]> {
  return db.many(
    PersonUseRow,
    sql`select u.id as user_id, u.username, u.name,
        case when cardinality(c.scopes) > 0 then c.created_at end as consented_at,
        coalesce(cardinality(c.scopes) = 0, false) as is_unasked,
        coalesce(array_to_string(c.scopes, ' '), '') as scopes, coalesce(g.flows, '') as flows,
        t.last_used_at, t.live_tokens
      from (select * from ${newestHolders(applicationId)}
          order by last_at desc nulls last, allowed_at desc, user_id limit ${page.limit} offset ${page.offset}) p
        join users u on u.id = p.user_id
        left join consents c on c.application_id = ${applicationId} and c.user_id = u.id
        cross join lateral (
          select string_agg(distinct flow, ' ' order by flow) as flows from (
            select flow from authorizations where application_id = ${applicationId} and user_id = u.id and revoked_at is null
            order by created_at desc limit 1000) newest) g
        cross join lateral (
          select max(last_used_at) as last_used_at, count(*) filter (where is_valid) as live_tokens from (
            select last_used_at, ${isValid} as is_valid from access_tokens
            where application_id = ${applicationId} and user_id = u.id order by created_at desc limit 1000) newest) t
      order by p.last_at desc nulls last, p.allowed_at desc, u.id`,
  );
}

/** Returns the length of that list. */
export function countListedPeople(db: Queries, applicationId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${newestHolders(applicationId)}`);
}

/** Counts everybody who authorized an application, or for whom it has a valid token. */
export function countPeopleOfApplication(db: Queries, applicationId: number): Promise<number> {
  return countOf(
    db,
    sql`select (select count(*) from consents where application_id = ${applicationId})
      + (select count(*) from (
          select distinct user_id from access_tokens
          where application_id = ${applicationId} and created_at > now() - ${lifetime} and ${isValid}) h
        left join lateral (
          select true as is_there from consents where user_id = h.user_id and application_id = ${applicationId} offset 0) c
          on true
        where c.is_there is null) as n`,
  );
}

const FlowUseRow = row({
  flow: oneOf(FLOWS),
  authorizations: integer,
  people: integer,
  /** Access tokens issued, including those of refreshes. */
  tokens: integer,
  refreshes: integer,
  liveTokens: integer,
  lastAt: instant,
  /** The start of the count for all flows; null: the last 30 days. */
  countedSince: nullable(instant),
});
/** The use of a flow by an application: approvals, tokens and refreshes of the last 30 days. */
export type FlowUse = RowOf<typeof FlowUseRow>;

/**
 * Counts the rows themselves, which stay for 30 days after their end, so that issuing has no extra writes. Reads only the newest
 * 10,000 tokens and approvals, and counts both from the time that both reach back to. Every token of an authorization but its
 * first came by refresh.
 */
export function listFlowsOfApplication(db: Queries, applicationId: number): Promise<FlowUse[]> {
  return db.many(
    FlowUseRow,
    sql`with issued as (
        select authorization_id as id, created_at, ${isValid} as is_valid from access_tokens
        where application_id = ${applicationId} and created_at > now() - interval '30 days'
        order by created_at desc limit ${mostRead}),
      approved as (
        select id, created_at from authorizations
        where application_id = ${applicationId} and created_at > now() - interval '30 days'
        order by created_at desc limit ${mostRead}),
      reach as (
        select since, coalesce(since, now() - interval '30 days') as beginning from (
          select greatest((select min(created_at) from issued having count(*) = ${mostRead}),
            (select min(created_at) from approved having count(*) = ${mostRead})) as since) ends),
      counted as (
        select id, max(created_at) as last_at, count(*) filter (where is_token) as tokens,
          count(*) filter (where is_valid) as live_tokens, count(*) filter (where not is_token) as authorizations
        from (select id, created_at, is_valid, true as is_token from issued
            union all select id, created_at, false, false from approved) one, reach
        where created_at > beginning group by id)
      select g.flow, sum(authorizations)::bigint as authorizations, count(distinct g.user_id) as people,
        sum(tokens)::bigint as tokens, sum(tokens - first_tokens)::bigint as refreshes,
        sum(live_tokens)::bigint as live_tokens, max(last_at) as last_at, max(since) as counted_since
      from counted cross join reach
        cross join lateral (select flow, user_id, created_at from authorizations a where a.id = counted.id offset 0) g
        cross join lateral (
          -- The first follows its approval within minutes.
          select case when tokens > 0 and g.created_at > beginning - interval '1 hour' and not exists (
            select from access_tokens e where e.authorization_id = counted.id and e.created_at <= beginning)
            then 1 else 0 end as first_tokens) f
      group by g.flow order by tokens desc, g.flow`,
  );
}
