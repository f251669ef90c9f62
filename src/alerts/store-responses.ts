/** The statement by which another service's client answers open alerts, and the one that finds an alert's identity. */
import type { Queries } from "../platform/db.ts";
import { boolean, integer, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { openAlerts } from "./store-batch.ts";

export interface ResponseRow {
  ord: number;
  projectId: number;
  hash: string;
  /** False: a note, which leaves the status as it is. */
  acknowledges: boolean;
}

export const AnsweredRow = row({
  ord: integer,
  id: integer,
  iid: integer,
  title: text,
  wasTriggered: boolean,
});

/** Acknowledges what is triggered, and marks all that was named as seen. What has no row has no open alert. */
export function answerOpenAlerts(db: Queries, rows: readonly ResponseRow[]) {
  return db.many(
    AnsweredRow,
    sql`with i as materialized (
        select * from json_to_recordset(${json(rows)}::json)
          as i (ord integer, "projectId" bigint, hash text, acknowledges boolean)
      ), target as (
        select i.ord, i.acknowledges, o.id, o.iid, o.title, o.status from i cross join lateral (
          ${openAlerts(sql`a.id, a.iid, a.title, a.status`)}
        ) o
      ), answered as (
        update alerts a set deliveries = a.deliveries + 1, last_seen_at = now(), updated_at = now(),
          status = case when t.acknowledges and a.status = 'triggered' then 'acknowledged' else a.status end
        from target t where a.id = t.id
      )
      select ord, id, iid, title, status = 'triggered' as was_triggered from target order by ord, id`,
  );
}

/** What a project's alert of this number is known by, in hexadecimal. */
export async function findFingerprint(
  db: Queries,
  projectId: number,
  iid: number,
): Promise<string | undefined> {
  const found = await db.find(
    row({ hash: text }),
    sql`select encode(fingerprint_hash, 'hex') as hash from alerts
      where project_id = ${projectId} and iid = ${iid} and not test`,
  );
  return found?.hash;
}
