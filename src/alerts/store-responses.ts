/** Statements that record the responses of other services' clients to open alerts, and find people and fingerprints for them. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, nullable, type RowOf, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { openAlerts } from "./store-batch.ts";

export interface ResponseRow {
  ord: number;
  projectId: number;
  hash: string;
  /** Alerts with the status `from` get the status `to`; null: unchanged. */
  from: string | null;
  to: string | null;
}

export const AnsweredRow = row({
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  /** Whether the status changed. */
  changed: boolean,
});
export type Answered = RowOf<typeof AnsweredRow>;

/**
 * Counts responses on the open alerts that they name and changes the statuses. A response without a row matches no open alert.
 */
export function answerOpenAlerts(db: Queries, rows: readonly ResponseRow[]) {
  return db.many(
    AnsweredRow,
    sql`with input as materialized (
        select * from json_to_recordset(${json(rows)}::json)
          as input (ord integer, "projectId" bigint, hash text, "from" text, "to" text)
      ), target as (
        select input.ord, input."to", o.id, o.iid, o.title, coalesce(o.status = input."from", false) as changed
        from input cross join lateral (
          ${openAlerts(sql`a.id, a.iid, a.title, a.status`)}
        ) o
      ), answered as (
        update alerts a set deliveries = a.deliveries + 1, last_seen_at = now(), updated_at = now(),
          status = case when t.changed then t."to" else a.status end
        from target t where a.id = t.id
      )
      select ord, id, iid, title, changed from target order by ord, id`,
  );
}

export const PersonRow = row({ ord: integer, id: integer, name: text });
export type Person = RowOf<typeof PersonRow>;

/**
 * Returns the person with a username, or a mail address that they show, who may see the project's alerts; administrators only
 * if they are members. By private addresses, whoever adds everybody to a project would learn whose each is (decision 0314).
 */
export function findPeople(
  db: Queries,
  asked: readonly { ord: number; projectId: number; person: string }[],
): Promise<Person[]> {
  return db.many(
    PersonRow,
    sql`select i.ord, u.id, u.name
      from json_to_recordset(${json(asked)}::json) as i (ord integer, "projectId" bigint, person text)
      cross join lateral (
        select id, name from users where lower(username) = lower(i.person) and not is_placeholder and state = 'active'
        union all
        select id, name from users where lower(email) = lower(i.person) and shows_email and not is_placeholder
          and state = 'active'
        limit 1
      ) u
      where exists (select from project_roles r
        where r.project_id = i."projectId" and r.user_id = u.id and r.access_level >= 30)`,
  );
}

/** Adds assignees to alerts. */
export function insertAssignees(
  db: Queries,
  given: readonly { alertId: number; userId: number }[],
): Promise<number> {
  return db.run(
    sql`insert into alert_assignees (alert_id, user_id)
      select distinct "alertId", "userId" from json_to_recordset(${json(given)}::json) as i ("alertId" bigint, "userId" bigint)
      on conflict do nothing`,
  );
}

/** Returns the iid of the open alert with a fingerprint in hexadecimal. */
export async function findOpenNumber(
  db: Queries,
  projectId: number,
  hash: string,
): Promise<number | undefined> {
  const found = await db.find(
    row({ iid: nullable(integer) }),
    sql`select max(o.iid) as iid from (select ${projectId}::bigint as "projectId", ${hash}::text as hash) input
      cross join lateral (${openAlerts(sql`a.iid`)}) o`,
  );
  return found?.iid ?? undefined;
}

/**
 * Returns the fingerprint of the alert with this iid that the integration opened, in hexadecimal. What follows changes the open
 * alerts of that fingerprint: none if this one is resolved and another integration has opened one since.
 */
export async function findFingerprint(
  db: Queries,
  integration: { id: number; projectId: number },
  iid: number,
): Promise<string | undefined> {
  const found = await db.find(
    row({ hash: text }),
    sql`select input.hash from (select encode(t.fingerprint_hash, 'hex') as hash, t.project_id as "projectId", t.status
        from alerts t where t.project_id = ${integration.projectId} and t.iid = ${iid}
          and t.integration_id = ${integration.id} and not t.test) input
      where input.status <> 'resolved' or not exists (select from (${openAlerts(sql`a.integration_id`)}) o
        where o.integration_id is distinct from ${integration.id})`,
  );
  return found?.hash;
}
