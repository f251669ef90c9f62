/** Statements that read alerts, and change single ones. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { boolean, instant, integer, jsonb, nullable, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { type Alert, AlertRow, type AlertStatus, FETCHED_BYTES } from "./alert.ts";

/** The columns of an alert without its payloads. */
const ownColumns = sql`a.id, a.project_id, a.iid, g.id as integration_id, g.name as integration_name, a.environment_id,
  e.name as environment_name, a.incident_id, n.iid as incident_iid, a.title, a.description, a.severity, a.status,
  a.service, a.monitoring_tool, a.runbook_url, a.hosts, a.fingerprint_hash, a.fingerprint_version, a.fingerprint_given,
  a.grouped, a.events, a.deliveries, a.started_at, a.last_seen_at, a.ended_at, a.test, a.silence_id,
  r.iid as recurrence_of_iid,
  coalesce((select jsonb_agg(jsonb_build_object('id', u.id, 'username', u.username, 'name', u.name, 'state', u.state)
      order by u.id) from alert_assignees aa join users u on u.id = aa.user_id where aa.alert_id = a.id), '[]') as assignees,
  a.created_at, a.updated_at`;
/** With null for the payloads. */
export const bareColumns = sql`${ownColumns}, null::json as payload, null::json as first_payload`;
/** With payloads, or with null if all rows together have more than a few MiB of them: then `readPayloads` loads them. */
const bytes = sql`octet_length(a.first_payload::text) + coalesce(octet_length(a.payload::text), 0)`;
const areFew = sql`sum(${bytes}) over () <= ${FETCHED_BYTES}::bigint`;
export const alertColumns = sql`${ownColumns},
  case when ${areFew} then coalesce(a.payload, a.first_payload) end as payload,
  case when ${areFew} then a.first_payload end as first_payload`;
const wholeColumns = sql`${ownColumns}, coalesce(a.payload, a.first_payload) as payload, a.first_payload`;
/**
 * The joins of what an alert `a` is shown with. The planner does not know how long a page is, and would scan all incidents of
 * the instance; `offset 0` makes it look up each row by itself.
 */
export const namesOfAlert = sql`left join lateral (select id, name from alert_integrations where id = a.integration_id offset 0) g on true
  left join lateral (select name from environments where id = a.environment_id offset 0) e on true
  left join lateral (select iid from incidents where id = a.incident_id offset 0) n on true
  left join lateral (select iid from alerts where id = a.recurrence_of offset 0) r on true`;

const byIid = (columns: Sql, projectId: number, iid: number) =>
  sql`select ${columns} from alerts a ${namesOfAlert} where a.project_id = ${projectId} and a.iid = ${iid}`;

export function findAlert(
  db: Queries,
  projectId: number,
  iid: number,
  { isBare = false } = {},
): Promise<Alert | undefined> {
  return db.find(AlertRow, byIid(isBare ? bareColumns : wholeColumns, projectId, iid));
}

/** Returns an alert to whose activity this transaction has added a line, so that nobody can have removed it. */
export function alertNow(tx: Queries, projectId: number, iid: number): Promise<Alert> {
  return tx.one(AlertRow, byIid(wholeColumns, projectId, iid));
}

/** Returns the payloads of these alerts; the first ones are null unless requested. */
export function listPayloads(db: Queries, ids: readonly number[], withFirst: boolean) {
  return db.many(
    row({ id: integer, payload: jsonb<unknown>(), firstPayload: jsonb<unknown>() }),
    sql`select id, coalesce(payload, first_payload) as payload,
        case when ${withFirst}::boolean then first_payload end as first_payload
      from alerts where id = any (${ids}::bigint[])`,
  );
}

/** Returns the iids of the alert as which this one recurred, and of another open alert of the same fingerprint, if any. */
export function findRelatives(db: Queries, alert: Pick<Alert, "id" | "projectId" | "fingerprintHash">) {
  return db.one(
    row({ nextIid: nullable(integer), openIid: nullable(integer) }),
    sql`select (select min(iid) from alerts where recurrence_of = ${alert.id}) as next_iid,
      (select min(iid) from alerts where fingerprint_hash = ${alert.fingerprintHash} and project_id = ${alert.projectId}
        and status <> 'resolved' and grouped and not test and id <> ${alert.id}) as open_iid`,
  );
}

/** Sets the status of alerts. A reopened alert does not expire until its sender repeats it. */
export function updateAlertStatus(db: Queries, ids: readonly number[], status: AlertStatus): Promise<number> {
  return db.run(
    sql`update alerts set status = ${status},
        ended_at = case when ${status} = 'resolved' then coalesce(ended_at, greatest(now(), started_at)) end,
        believed_until = case when status <> 'resolved' then believed_until end,
        updated_at = now()
      where id = any (${ids}::bigint[])`,
  );
}

/** Sets the assignees of an alert to exactly these users. */
export function replaceAssignees(db: Queries, alertId: number, userIds: readonly number[]): Promise<number> {
  return db.run(
    sql`with gone as (
        delete from alert_assignees where alert_id = ${alertId} and user_id <> all (${userIds}::bigint[])
      )
      insert into alert_assignees (alert_id, user_id)
      select ${alertId}, id from unnest(${userIds}::bigint[]) as id
      on conflict do nothing`,
  );
}

/** Returns those of these users who may see the project's alerts, with their names. */
export function findPossibleAssignees(db: Queries, projectId: number, userIds: readonly number[]) {
  return db.many(
    row({ id: integer, name: text }),
    sql`select u.id, u.name from users u
      left join project_roles r on r.user_id = u.id and r.project_id = ${projectId}
      where u.id = any (${userIds}::bigint[]) and not u.is_placeholder and u.state = 'active'
        and (r.access_level >= 30 or u.is_admin)
      order by u.id`,
  );
}

const possibleAssignees = (projectId: number) => sql`project_roles r join users u on u.id = r.user_id
  where r.project_id = ${projectId} and r.access_level >= 30 and not u.is_placeholder and u.state = 'active'`;

/** Lists the first people to whom a project's alerts can be assigned, by name; administrators only if they are members. */
export function listPossibleAssignees(db: Queries, projectId: number, limit: number) {
  return db.many(
    row({ id: integer, name: text }),
    sql`select u.id, u.name from ${possibleAssignees(projectId)} order by lower(u.name), u.id limit ${limit}`,
  );
}

export function countPossibleAssignees(db: Queries, projectId: number): Promise<number> {
  return countOf(db, sql`select count(*) as n from ${possibleAssignees(projectId)}`);
}

/** Lists the open alerts of an incident, by id. */
export function listOpenAlertsOfIncident(db: Queries, incidentId: number) {
  return db.many(
    row({ id: integer, iid: integer }),
    sql`select id, iid from alerts where incident_id = ${incidentId} and status <> 'resolved' order by id`,
  );
}

/**
 * Lists alerts that were resolved with their incident, as their last activity line `line` shows, and whether they were ignored
 * before: the newest of each fingerprint, unless that is open again.
 */
export function listAlertsClosedWith(db: Queries, incidentId: number, line: string) {
  // Two indexes: of open alerts that count repeats, and of the others.
  const open = sql`select from alerts o where o.fingerprint_hash = a.fingerprint_hash and o.project_id + 0 = a.project_id
    and o.status <> 'resolved' and not o.test`;
  return db.many(
    row({ id: integer, iid: integer, ignored: boolean }),
    sql`with newest as materialized (
        select distinct on (fingerprint_hash) id from alerts
        where incident_id = ${incidentId} and status = 'resolved' and not test order by fingerprint_hash, id desc
      ), last as materialized (
        select distinct on (t.alert_id) t.alert_id, t.id, t.body from alert_activity t
        where t.alert_id = any (array(select id from newest)) and t.kind in ('status', 'recovered')
        order by t.alert_id, t.id desc
      )
      select a.id, a.iid, coalesce((select t.body like 'changed the status to **Ignored**%' from alert_activity t
          where t.alert_id = a.id and t.id < l.id and t.kind = 'status' and t.body like 'changed the status to **%'
          order by t.id desc limit 1), false) as ignored
      from last l join alerts a on a.id = l.alert_id where l.body = ${line}
        and not exists (${open} and o.grouped) and not exists (${open} and not o.grouped)
      order by a.id`,
  );
}

/** Returns the time of the database's clock, for pages that show how long ago something was. */
export async function findNow(db: Queries): Promise<Date> {
  const { now } = await db.one(row({ now: instant }), sql`select now() as now`);
  return now;
}

/** Deletes up to `limit` test alerts older than a day. Returns how many were deleted. */
export function deleteOldTestAlerts(db: Queries, limit: number): Promise<number> {
  return deleteSome(db, sql`alerts`, sql`test and created_at < now() - interval '24 hours'`, limit);
}

/** Deletes up to `limit` answers under Idempotency-Keys older than three days. Returns how many were deleted. */
export function deleteOldAnswers(db: Queries, limit: number): Promise<number> {
  return deleteSome(db, sql`alert_idempotency_keys`, sql`created_at < now() - interval '72 hours'`, limit);
}

export const EnvironmentNameRow = row({ name: text });

export function listEnvironmentNames(db: Queries, projectId: number) {
  return db.many(
    EnvironmentNameRow,
    sql`select name from environments where project_id = ${projectId} order by name limit 100`,
  );
}

export function findProjectPath(db: Queries, projectId: number) {
  return db.one(row({ fullPath: text }), sql`select full_path from projects where id = ${projectId}`);
}

/** Returns the name of a person; undefined if the account is gone. */
export async function findName(db: Queries, userId: number): Promise<string | undefined> {
  const found = await db.find(row({ name: text }), sql`select name from users where id = ${userId}`);
  return found?.name;
}
