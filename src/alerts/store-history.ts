/** Statements that store the history: receipts, occurrences, activity, and answers under an Idempotency-Key. */
import type { Queries } from "../platform/db.ts";
import { bytes, integer, jsonb, row, text } from "../platform/row.ts";
import { json, sql } from "../platform/sql.ts";

export interface NewReceipt {
  id: string;
  projectId: number;
  integrationId: number;
  keyHint: string;
  headers: Readonly<Record<string, string>>;
  raw: Buffer;
  status: number;
  decision: string;
  warnings: readonly string[];
  alertIids: readonly number[];
}

/** What a batch did, for the history of its alerts. */
export interface NewHistory {
  occurrences: readonly NewOccurrence[];
  activity: readonly NewActivity[];
}

/**
 * Inserts receipts with their history, and updates when their integrations last received something (at most every five
 * seconds, since all requests update that row).
 */
export function insertReceipts(
  db: Queries,
  receipts: readonly NewReceipt[],
  { occurrences, activity }: NewHistory = { occurrences: [], activity: [] },
): Promise<number> {
  const rest = json(
    receipts.map((one, ord) => ({
      ord: ord + 1,
      id: one.id,
      project_id: one.projectId,
      integration_id: one.integrationId,
      key_hint: one.keyHint,
      headers: one.headers,
      status: one.status,
      decision: one.decision,
      warnings: one.warnings,
      alert_iids: one.alertIids,
    })),
  );
  return db.run(
    sql`with seen as (
        update alert_integrations set last_received_at = now()
        where id = any (${[...new Set(receipts.map((one) => one.integrationId))]}::bigint[])
          and (last_received_at is null or last_received_at < now() - interval '5 seconds')
      )${activity.length > 0 ? sql`, told as (${activityOf(activity)})` : sql``}
      ${occurrences.length > 0 ? sql`, named as (${occurrencesOf(occurrences)})` : sql``}
      insert into alert_receipts (id, project_id, integration_id, key_hint, headers, raw, status, decision, warnings, alert_iids)
      select i.id, i.project_id, i.integration_id, i.key_hint, i.headers, r.raw, i.status, i.decision, i.warnings, i.alert_iids
      from json_to_recordset(${rest}::json) as i (ord bigint, id uuid, project_id bigint, integration_id bigint,
        key_hint text, headers jsonb, status smallint, decision text, warnings text[], alert_iids bigint[])
      join unnest(${receipts.map((one) => one.raw)}::bytea[]) with ordinality as r (raw, ord) on r.ord = i.ord`,
  );
}

export interface NewOccurrence {
  alert_id: number;
  receipt_id: string;
  item: number;
  kind: "firing" | "recovery";
  hosts: readonly string[];
}

export interface NewActivity {
  alert_id: number;
  author_id: number | null;
  kind: "fired" | "recovered" | "incident" | "status" | "assigned" | "comment";
  body: string;
}

const activityOf = (
  activity: readonly NewActivity[],
) => sql`insert into alert_activity (alert_id, author_id, kind, body)
  select * from json_to_recordset(${json(activity)}::json)
    as i (alert_id bigint, author_id bigint, kind text, body text)`;

const occurrencesOf = (occurrences: readonly NewOccurrence[]) => sql`insert into alert_occurrences
    (alert_id, receipt_id, item, kind, hosts)
  select * from json_to_recordset(${json(occurrences)}::json)
    as i (alert_id bigint, receipt_id uuid, item integer, kind text, hosts text[])`;

/** Inserts lines of alerts' activity. */
export function insertActivity(db: Queries, activity: readonly NewActivity[]): Promise<number> {
  return db.run(activityOf(activity));
}

/** An answer that is given again to a repeat under the same Idempotency-Key. */
export interface KeptAnswer {
  alerts: { iid: number; title: string }[];
  /** SHA-256 of the body in hexadecimal, if a repeat must have the same one. */
  body?: string;
}

export const KeptRow = row({
  keyHash: bytes,
  integrationId: integer,
  receiptId: text,
  answer: jsonb<KeptAnswer>(),
});

/** Returns the answers of the last 72 hours under these keys. */
export function findKeptAnswers(db: Queries, keys: readonly { integrationId: number; keyHash: Buffer }[]) {
  return db.many(
    KeptRow,
    sql`select k.key_hash, k.integration_id, k.receipt_id, k.answer from alert_idempotency_keys k
      join unnest(${keys.map((key) => key.integrationId)}::bigint[], ${keys.map((key) => key.keyHash)}::bytea[])
        as i (integration_id, key_hash) using (integration_id, key_hash)
      where k.created_at > now() - interval '72 hours'`,
  );
}

/** Stores answers, of which no two have the same key. */
export function insertKeptAnswers(
  db: Queries,
  kept: readonly { integrationId: number; keyHash: Buffer; receiptId: string; answer: KeptAnswer }[],
): Promise<number> {
  const rows = kept.map(({ keyHash, ...one }) => ({ ...one, keyHash: keyHash.toString("hex") }));
  return db.run(
    sql`insert into alert_idempotency_keys (integration_id, key_hash, receipt_id, answer)
      select "integrationId", decode("keyHash", 'hex'), "receiptId", answer
      from json_to_recordset(${json(rows)}::json)
        as i ("integrationId" bigint, "keyHash" text, "receiptId" uuid, answer jsonb)
      on conflict (integration_id, key_hash) do update
        set receipt_id = excluded.receipt_id, answer = excluded.answer, created_at = now()`,
  );
}

/** Counts a delivery on each of these alerts, once per time that it is listed. */
export function countRepeats(
  db: Queries,
  named: readonly { projectId: number; iid: number }[],
): Promise<number> {
  return db.run(
    sql`with i as materialized (
        select "projectId", iid, count(*) as times
        from json_to_recordset(${json(named)}::json) as i ("projectId" bigint, iid bigint) group by 1, 2
      )
      update alerts a set deliveries = a.deliveries + i.times, updated_at = now()
      from i where a.project_id = i."projectId" and a.iid = i.iid`,
  );
}

/** Subtracts deliveries from the counters of alerts, by their ids. */
export function uncountDeliveries(db: Queries, counts: ReadonlyMap<number, number>): Promise<number> {
  return db.run(
    sql`update alerts a set deliveries = a.deliveries - i.times
      from unnest(${[...counts.keys()]}::bigint[], ${[...counts.values()]}::integer[]) as i (id, times)
      where a.id = i.id`,
  );
}
