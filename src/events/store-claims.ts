/** Statements about claims of outside identities and the answers to them (decision 0118). */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { lockName } from "../platform/lock-name.ts";
import { boolean, integer, nullable, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Claim, ClaimRow, type OutsideIdentity } from "./claim.ts";

/** Most claims of one person. */
const MAX_A_PERSON = 50;

const Id = row({ id: integer });

/** Makes others who claim for this person wait until the transaction ends. */
export function lockClaimsOf(tx: Queries, userId: number): Promise<number> {
  return lockName(tx, `claims of ${userId}`);
}

/**
 * Inserts the claim; undefined: it exists already, the person has too many, or is no person. Concurrent claims only keep to the
 * limit if each holds the person's lock.
 */
export function insertClaim(db: Queries, userId: number, { host, login }: OutsideIdentity, told: string) {
  return db.find(
    Id,
    sql`insert into event_claims (user_id, host, login, told)
      select u.id, ${host}, ${login}, ${told} from users u where u.id = ${userId} and not u.is_placeholder
        and (select count(*) from event_claims c where c.user_id = u.id) < ${MAX_A_PERSON}
      on conflict do nothing returning id`,
  );
}

/** Deletes a claim of this person that is granted nowhere. */
export function deleteClaim(db: Queries, userId: number, id: number): Promise<number> {
  return db.run(
    sql`delete from event_claims c where c.id = ${id} and c.user_id = ${userId}
      and not exists (select from event_claim_answers a where a.claim_id = c.id and a.state <> 'refused')`,
  );
}

/** Of claim `c` and project `p`: the claimant may see the project. */
const claimantSees = sql`(p.visibility in ('public', 'internal') or u.is_admin
  or exists (select from project_roles r where r.project_id = p.id and r.user_id = c.user_id))`;

const claimsWhere = (which: Sql, answers: Sql) => sql`
  select c.id, c.host, c.login, coalesce(c.told, c.login) as told, c.created_at, c.user_id, u.username, u.name, o.user_id as outsider_id,
    coalesce((select jsonb_agg(jsonb_build_object('projectId', a.project_id, 'fullPath', p.full_path, 'state', a.state,
        'answeredAt', to_char(a.answered_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by a.project_id nulls first)
      from event_claim_answers a left join projects p on p.id = a.project_id
      where a.claim_id = c.id and ${answers}), '[]') as answers
  from event_claims c join users u on u.id = c.user_id left join event_outsiders o on o.host = c.host and o.login = c.login
  where ${which}`;

/** A person's own claims, newest first, with the answers of projects that they may see. */
export function listOwnClaims(db: Queries, userId: number): Promise<Claim[]> {
  return db.many(
    ClaimRow,
    sql`${claimsWhere(sql`c.user_id = ${userId}`, sql`(p.id is null or ${claimantSees})`)} order by c.id desc`,
  );
}

/** One's own claim to this identity. */
export function findOwnClaim(db: Queries, userId: number, { host, login }: OutsideIdentity) {
  const which = sql`c.user_id = ${userId} and c.host = ${host} and c.login = ${login}`;
  return db.find(ClaimRow, claimsWhere(which, sql`(p.id is null or ${claimantSees})`));
}

/** Whether identity `o` has events in project `p` that an approval for all has given to somebody, who may have many others. */
const isGivenByAll = sql`exists (select from event_claim_answers a join event_claims g on g.id = a.claim_id
    join events e on e.told_as = a.outsider_id and e.project_id = p.id and e.author_id = g.user_id
  where a.outsider_id = o.user_id and a.project_id is null and a.state <> 'refused')`;

/** Whether identity `o` has events in project `p` that belong to nobody: by counts, since it may have a million elsewhere. */
const hasEvents = sql`(select coalesce(sum(t.n), 0) from (
    select n from event_author_totals where author_id = o.user_id and project_id = p.id
    union all select n from event_deltas where author_id = o.user_id and project_id = p.id) t) > 0`;

/** Claims that concern a project: the identity has events in it and the claimant may see it, or the project has answered. */
const concerns = (projectId: number) => sql`exists (select from projects p where p.id = ${projectId} and (
    exists (select from event_claim_answers a where a.claim_id = c.id and a.project_id = p.id)
    or (${claimantSees} and (${hasEvents}
      or exists (select from event_claim_answers a where a.outsider_id = o.user_id and a.project_id = p.id)
      or ${isGivenByAll}))))`;

/** Newest first, each with the project's answer, and that for all unless the project gave the identity to somebody else. */
export function listProjectClaims(db: Queries, projectId: number, page: { limit: number; offset: number }) {
  const isForAll = sql`a.project_id is null and not exists (select from event_claim_answers x
    where x.outsider_id = a.outsider_id and x.project_id = ${projectId} and x.claim_id <> a.claim_id and x.state = 'granted')`;
  const which = claimsWhere(concerns(projectId), sql`(a.project_id = ${projectId} or ${isForAll})`);
  return db.many(ClaimRow, sql`${which} order by c.id desc limit ${page.limit} offset ${page.offset}`);
}

export function countProjectClaims(db: Queries, projectId: number): Promise<number> {
  return countOf(
    db,
    sql`select count(*) as n from event_claims c join users u on u.id = c.user_id
      left join event_outsiders o on o.host = c.host and o.login = c.login where ${concerns(projectId)}`,
  );
}

/** All claims, newest first. */
export function listClaims(db: Queries, page: { limit: number; offset: number }): Promise<Claim[]> {
  return db.many(
    ClaimRow,
    sql`${claimsWhere(sql`true`, sql`true`)} order by c.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export function countClaims(db: Queries): Promise<number> {
  return countOf(db, sql`select count(*) as n from event_claims`);
}

/**
 * Locks a claim until the transaction ends. Its answers must be read by a later statement: one that waits for the lock sees them
 * as they were before it waited.
 */
export function lockClaim(tx: Queries, id: number): Promise<number> {
  return tx.run(sql`select id from event_claims where id = ${id} for update`);
}

/** The claim, if it concerns the project (null: whichever it concerns). */
export function findClaim(db: Queries, id: number, projectId: number | null): Promise<Claim | undefined> {
  const which = projectId === null ? sql`c.id = ${id}` : sql`c.id = ${id} and ${concerns(projectId)}`;
  const answers = projectId === null ? sql`true` : sql`a.project_id = ${projectId}`;
  return db.find(ClaimRow, claimsWhere(which, answers));
}

/** Stores the answer of a project, or of all. */
export function putAnswer(
  db: Queries,
  answer: {
    claimId: number;
    projectId: number | null;
    outsiderId: number;
    state: "granted" | "ending" | "refused";
    by: number | null;
  },
): Promise<number> {
  return db.run(
    sql`insert into event_claim_answers (claim_id, project_id, outsider_id, state, answered_by)
      values (${answer.claimId}, ${answer.projectId}, ${answer.outsiderId}, ${answer.state}, ${answer.by})
      on conflict (claim_id, project_id) do update set state = excluded.state, answered_by = excluded.answered_by,
        answered_at = now()`,
  );
}

/**
 * Answers some of whose events may still have to be moved, for one claim with those to other claims of the same identity.
 * `back`: to the placeholder; `ends`: the answer ends with that. An approval for all has to give back what a project decides
 * otherwise.
 */
export function listUnsettledAnswers(db: Queries, claimId: number | null) {
  return db.many(
    row({
      claimId: integer,
      projectId: nullable(integer),
      outsiderId: integer,
      userId: integer,
      back: boolean,
      ends: boolean,
    }),
    sql`with answers as (
        select a.claim_id, a.project_id, a.outsider_id, c.user_id, a.state
        from event_claim_answers a join event_claims c on c.id = a.claim_id
        where ${claimId}::bigint is null
          or a.outsider_id in (select outsider_id from event_claim_answers where claim_id = ${claimId}))
      select claim_id, project_id, outsider_id, user_id, state = 'ending' as back, state = 'ending' as ends
      from answers where state <> 'refused'
      union all
      select w.claim_id, w.project_id, w.outsider_id, w.user_id, true, false
      from answers w where w.project_id is null and w.state = 'granted' and exists (select from answers own
        where own.outsider_id = w.outsider_id and own.project_id is not null
          and (own.claim_id = w.claim_id) <> (own.state = 'granted'))
      order by back desc, claim_id`,
  );
}

/** Moves some events of an identity to the user they belong to, or `back` to the placeholder; returns how many. */
export async function moveClaimedEvents(
  db: Queries,
  { outsiderId, userId, back }: { outsiderId: number; userId: number; back: boolean },
  most: number,
): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select move_claimed_events(${outsiderId}::bigint, ${userId}::bigint, ${back}::boolean, ${most}::integer) as n`,
  );
  return n;
}

/** Ends an answer that was taken back, once its events have been moved back. */
export function endAnswer(db: Queries, claimId: number, projectId: number | null): Promise<number> {
  return db.run(
    sql`update event_claim_answers set state = 'refused'
      where claim_id = ${claimId} and project_id is not distinct from ${projectId}::bigint and state = 'ending'`,
  );
}

/**
 * Locks an identity that is given to a user, until the transaction ends. Waits for those who record its events, and they wait for
 * it.
 */
export function lockIdentity(db: Queries, { host, login }: OutsideIdentity): Promise<number> {
  return db.run(sql`select pg_advisory_xact_lock(${identityLock(host, login)})`);
}

/** Takes a shared lock on an identity, for those who record its events. */
export function shareIdentity(db: Queries, { host, login }: OutsideIdentity): Promise<number> {
  return db.run(sql`select pg_advisory_xact_lock_shared(${identityLock(host, login)})`);
}

/** Makes those who give an identity to a user wait for imports, and imports wait for them. */
export function lockImportedIdentities(db: Queries): Promise<number> {
  return db.run(sql`select pg_advisory_xact_lock(${importsLock})`);
}

/** Takes a shared lock for imports, whose events have too many identities to lock each. */
export function shareImportedIdentities(db: Queries): Promise<number> {
  return db.run(sql`select pg_advisory_xact_lock_shared(${importsLock})`);
}

const importsLock = sql`hashtextextended('gatehouse imported identities', 0)`;

/**
 * The users that some identities are by granted claims, for a project or (`projectId` null) for all others; `userId` null: the
 * project has refused a claim that is granted for all. What is granted comes last.
 */
export function listClaimants(db: Queries, outsiderIds: readonly number[]) {
  return db.many(
    row({ outsiderId: integer, projectId: nullable(integer), userId: nullable(integer) }),
    sql`select a.outsider_id, a.project_id, case when a.state = 'granted' then c.user_id end as user_id
      from event_claim_answers a join event_claims c on c.id = a.claim_id
      where a.outsider_id = any (${outsiderIds}::bigint[]) and (a.state = 'granted' or exists (
        select from event_claim_answers w where w.claim_id = a.claim_id and w.project_id is null and w.state = 'granted'))
      order by user_id nulls first`,
  );
}

function identityLock(host: string, login: string): Sql {
  return sql`hashtextextended(${`gatehouse identity ${host} ${login.toLowerCase()}`}, 0)`;
}

const SeenRow = row({ host: text, login: text, name: text, n: integer });

/** People of forges in projects where the user is at least Reporter, and whom they have not claimed; likely ones first. */
export function listSeenIdentities(db: Queries, userId: number, most: number) {
  return db.many(
    SeenRow,
    sql`select o.host, o.login, x.name, sum(t.n)::bigint as n
      from project_roles r join event_author_totals t on t.project_id = r.project_id
      join event_outsiders o on o.user_id = t.author_id join users x on x.id = o.user_id
      cross join (select username, name from users where id = ${userId}) me
      where r.user_id = ${userId} and r.access_level >= 20
        and not exists (select from event_claims c where c.user_id = ${userId} and c.host = o.host and c.login = o.login)
      group by o.host, o.login, x.name, me.username, me.name having sum(t.n) > 0
      order by o.login = lower(me.username) desc, lower(x.name) = lower(me.name) desc, n desc, o.login limit ${most}`,
  );
}

/** How many events of each identity a project has that belong to no user yet. */
export async function countOutsideEvents(db: Queries, projectId: number, outsiderIds: readonly number[]) {
  return db.many(
    row({ outsiderId: integer, n: integer }),
    sql`select author_id as outsider_id, sum(n)::bigint as n from (
        select author_id, n from event_author_totals
        where project_id = ${projectId} and author_id = any (${outsiderIds}::bigint[])
        union all select author_id, n from event_deltas
        where project_id = ${projectId} and author_id = any (${outsiderIds}::bigint[])) counted
      group by 1`,
  );
}
