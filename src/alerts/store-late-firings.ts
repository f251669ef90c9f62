/** The statement that counts late firings on the alerts that ended after these began (decision 0179). */
import type { Queries } from "../platform/db.ts";
import { integer, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";
import { sameAlert, startsWith } from "./store-batch.ts";

export interface LateFiring {
  ord: number;
  projectId: number;
  hash: string;
  /** When the newest of the firings began, as its sender said. */
  began: string;
  /** The starts that distinguish its occurrences; if empty, each of `firings` is one. */
  starts: readonly string[];
  firings: number;
  deliveries: number;
}

/**
 * Counts firings of fingerprints without an open alert on their newest alert, if they all began before its end, or at its
 * start if it ended at once, as on an open alert. The caller has locked the projects. Returns one row for each late firing.
 */
export function recordLateFirings(db: Queries, rows: readonly LateFiring[]) {
  return db.many(
    row({ ord: integer, id: integer, iid: integer, title: text }),
    sql`with input as materialized (
        select * from json_to_recordset(${json(rows)}::json)
          as input (ord integer, "projectId" bigint, hash text, began timestamptz(3), starts timestamptz(3)[],
            firings bigint, deliveries bigint)
      ), late as materialized (
        select input.*, newest.id from input cross join lateral (
          select a.id, a.started_at, a.ended_at from alerts a
          where ${sameAlert} and a.status = 'resolved' and not a.test
          order by a.project_id desc, a.id desc limit 1
        ) newest
        where (newest.ended_at > input.began or newest.ended_at = input.began and newest.started_at = input.began)
          and not exists (select from alerts a where ${sameAlert} and a.status <> 'resolved' and a.grouped and not a.test)
      )
      update alerts a set
        events = a.events + case when l.starts = '{}' then l.firings
          else (select count(*) from unnest(l.starts) s where s <> all (a.occurrence_starts)) end,
        occurrence_starts = ${startsWith(sql`l.starts`)},
        deliveries = a.deliveries + l.deliveries, updated_at = now()
      from late l where a.id = l.id
      returning l.ord, a.id, a.iid, a.title`,
  );
}
