/** Statements about the demo as a whole: what belongs to it, the times of its rows, and its removal. */
import type { Queries } from "../platform/db.ts";
import { lockName } from "../platform/lock-name.ts";
import { instant, integer, list, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { MAIL_DOMAIN } from "./cast.ts";

/** The ids of the demo's people, and of the groups and projects that they created. */
export const BelongingsRow = row({
  userIds: list(integer),
  groupIds: list(integer),
  projectIds: list(integer),
  /** Projects and groups inside the demo's groups that somebody else created. */
  foreignPaths: list(text),
});

/** Locks the demo for this transaction, so that concurrent commands wait for each other. */
export async function lockDemo(db: Queries): Promise<void> {
  await lockName(db, "demo");
}

export async function findNow(db: Queries): Promise<Date> {
  return (await db.one(row({ now: instant }), sql`select now() as now`)).now;
}

/** Finds people, groups and projects; a group belongs to its first owner, who made themselves a member. */
export function findBelongings(db: Queries) {
  return db.one(
    BelongingsRow,
    sql`with people as (
        select id, lower(username) as username from users
        where lower(email) like ${`%@${MAIL_DOMAIN}`} and not is_placeholder
      ), spaces as (
        select n.id, n.kind from namespaces n where n.owner_id in (select id from people)
        union
        select m.namespace_id, 'group' from members m
        where m.namespace_id is not null and m.user_id in (select id from people)
          and m.created_by = m.user_id and m.access_level = 50
      ), inside as (
        select p.id, p.full_path, p.creator_id from projects p join namespaces n on n.id = p.namespace_id
        where n.lineage && array(select id from spaces)
      )
      select array(select id from people order by id) as user_ids,
        array(select id from spaces where kind = 'group' order by id) as group_ids,
        array(select id from inside order by id) as project_ids,
        array(select full_path from inside
            where creator_id is null or creator_id not in (select id from people)
          union select full_path from namespaces
            where lineage && array(select id from spaces) and id not in (select id from spaces)) as foreign_paths`,
  );
}

/** Backdates people and their roles to their arrival; both lists are in the same order. */
export async function updateArrivals(
  db: Queries,
  userIds: readonly number[],
  arrivals: readonly Date[],
): Promise<void> {
  await db.run(
    sql`with arrived as (
        select * from unnest(${userIds}::bigint[], ${arrivals}::timestamptz[]) as a (user_id, at)
      ), names as (
        update namespaces n set created_at = a.at, updated_at = a.at from arrived a where n.owner_id = a.user_id
      ), roles as (
        update members m set created_at = a.at from arrived a where m.user_id = a.user_id
      )
      update users u set created_at = a.at, updated_at = a.at, confirmed_at = a.at
      from arrived a where u.id = a.user_id`,
  );
}

/** Backdates groups and projects, with their environments and integrations. */
export async function updateBeginnings(
  db: Queries,
  at: Date,
  demo: { groupIds: readonly number[]; projectIds: readonly number[] },
): Promise<void> {
  await db.run(
    sql`with spaces as (
        update namespaces set created_at = ${at}, updated_at = ${at} where id = any (${demo.groupIds}::bigint[])
      ), places as (
        update environments set created_at = ${at}, updated_at = ${at}
        where project_id = any (${demo.projectIds}::bigint[])
      ), sources as (
        update alert_integrations set created_at = ${at}, updated_at = ${at}
        where project_id = any (${demo.projectIds}::bigint[])
      )
      update projects set created_at = ${at}, updated_at = ${at} where id = any (${demo.projectIds}::bigint[])`,
  );
}

/**
 * Backdates what this transaction has just written about a project's alerts. now() is constant within a transaction, so a row
 * with that time was written here and has not been backdated yet.
 */
export async function moveAlertsOfNow(db: Queries, projectId: number, to: Date): Promise<void> {
  await db.run(
    sql`with w as (select now()::timestamptz(3) as written, ${to}::timestamptz(3) as told),
      mine as (select id from alerts where project_id = ${projectId}),
      a as (
        update alerts set updated_at = told, created_at = case when created_at = written then told else created_at end,
          last_seen_at = case when last_seen_at = written then told else last_seen_at end,
          started_at = case when started_at = written then told else started_at end,
          ended_at = case when ended_at = written then told else ended_at end
        from w where project_id = ${projectId} and updated_at = written
      ), r as (
        update alert_receipts set received_at = told from w where project_id = ${projectId} and received_at = written
      ), o as (
        update alert_occurrences set received_at = told
        from w where alert_id in (select id from mine) and received_at = written
      ), c as (
        update alert_activity set created_at = told
        from w where alert_id in (select id from mine) and created_at = written
      ), i as (
        update incidents set updated_at = told, created_at = case when created_at = written then told else created_at end,
          closed_at = case when closed_at = written then told else closed_at end
        from w where project_id = ${projectId} and updated_at = written
      ), n as (
        update incident_notes set created_at = told, updated_at = told
        from w where incident_id in (select id from incidents where project_id = ${projectId}) and created_at = written
      ), s as (
        update alert_integrations set last_received_at = told
        from w where project_id = ${projectId} and last_received_at = written
      )
      update events set created_at = told from w where project_id = ${projectId} and created_at = written`,
  );
}

/** Sets the projects' times of last activity. */
export function updateLastActivity(db: Queries, projectIds: readonly number[]): Promise<number> {
  return db.run(
    sql`update projects p set last_activity_at = (select max(e.created_at) from events e where e.project_id = p.id)
      where p.id = any (${projectIds}::bigint[])
        and exists (select from events e where e.project_id = p.id)`,
  );
}

/** Deletes what people did anywhere, and its counts; the people themselves are deleted last. */
export async function deleteDeeds(db: Queries, userIds: readonly number[]): Promise<void> {
  // Takes the same locks in the same order as the compaction, which runs in between: it subtracts the events from the counts of
  // their projects.
  await db.run(sql`select pg_advisory_xact_lock(event_counts_lock())`);
  await deleteEvents(db, userIds);
  await db.run(sql`select compact_event_counts()`);
  await db.run(sql`delete from event_days where author_id = any (${userIds}::bigint[])`);
  await db.run(sql`delete from event_author_totals where author_id = any (${userIds}::bigint[])`);
  // Counts of other projects may be zero now.
  await db.run(sql`delete from event_project_totals where n = 0`);
  await db.run(sql`delete from event_project_days where n = 0`);
  await db.run(
    sql`delete from event_day_sums where (n_open, n_code, n_planner, n_reporter) = (0::bigint, 0::bigint, 0::bigint, 0::bigint)`,
  );
}

function deleteEvents(db: Queries, userIds: readonly number[]): Promise<number> {
  return db.run(
    sql`with failures as (
        delete from sign_in_failures f using users u
        where u.id = any (${userIds}::bigint[]) and f.login in (counted_login(u.username), counted_login(u.email))
      )
      delete from events where author_id = any (${userIds}::bigint[])`,
  );
}

/** Deletes projects with all their data. */
export function deleteProjects(db: Queries, projectIds: readonly number[]): Promise<number> {
  return db.run(sql`delete from projects where id = any (${projectIds}::bigint[])`);
}

/** Deletes the groups that have no subgroup left; returns 0 when all are gone. */
export function deleteEmptyGroups(db: Queries, groupIds: readonly number[]): Promise<number> {
  return db.run(
    sql`delete from namespaces n where n.id = any (${groupIds}::bigint[])
      and not exists (select from namespaces child where child.parent_id = n.id)`,
  );
}

/** Deletes people with their names, sessions, tokens and applications. */
export function deletePeople(db: Queries, userIds: readonly number[]): Promise<number> {
  return db.run(sql`delete from users where id = any (${userIds}::bigint[])`);
}

/** Deletes the counts of deleted people and projects. */
export async function forgetCounts(db: Queries): Promise<void> {
  await db.run(sql`select forget_event_counts()`);
}

export interface DemoFigures {
  events: number;
  alerts: number;
  incidents: number;
}

export function countFigures(db: Queries, projectIds: readonly number[]): Promise<DemoFigures> {
  return db.one(
    row({ events: integer, alerts: integer, incidents: integer }),
    sql`select (select count(*) from events where project_id = any (${projectIds}::bigint[])) as events,
      (select count(*) from alerts where project_id = any (${projectIds}::bigint[])) as alerts,
      (select count(*) from incidents where project_id = any (${projectIds}::bigint[])) as incidents`,
  );
}
