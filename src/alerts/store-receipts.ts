/** Statements that read receipts, and remove old ones. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Receipt, ReceiptRow } from "./receipt.ts";

const receiptColumns = sql`r.id, r.project_id, i.id as integration_id, r.key_hint, r.received_at, r.headers, r.raw, r.status,
  r.decision, r.warnings, r.alert_iids, i.mapping, coalesce(i.group_by, '{}') as group_by,
  coalesce(i.ignore, '{}') as ignore`;
const receiptsWithRules = sql`alert_receipts r left join alert_integrations i on i.id = r.integration_id`;

export function listReceipts(
  db: Queries,
  projectId: number,
  page: { limit: number; offset: number },
): Promise<Receipt[]> {
  return db.many(
    ReceiptRow,
    sql`select ${receiptColumns} from ${receiptsWithRules} where r.project_id = ${projectId}
      order by r.received_at desc, r.id desc limit ${page.limit} offset ${page.offset}`,
  );
}

export async function countReceipts(db: Queries, projectId: number): Promise<number> {
  const { n } = await db.one(
    row({ n: integer }),
    sql`select count(*) as n from alert_receipts where project_id = ${projectId}`,
  );
  return n;
}

export function findReceipt(db: Queries, projectId: number, id: string): Promise<Receipt | undefined> {
  return db.find(
    ReceiptRow,
    sql`select ${receiptColumns} from ${receiptsWithRules} where r.project_id = ${projectId} and r.id = ${id}::uuid`,
  );
}

/** Receipts of the last two weeks by integration and day (0: the oldest). */
export function countReceiptsByDay(db: Queries, projectId: number) {
  return db.many(
    row({ integrationId: integer, bucket: integer, n: integer }),
    sql`select integration_id, (received_at::date - (now()::date - 13))::bigint as bucket, count(*) as n
      from alert_receipts
      where project_id = ${projectId} and integration_id is not null and received_at >= now()::date - 13
      group by integration_id, bucket`,
  );
}

/** Deletes up to `limit` receipts older than 90 days; the counters of alerts stay. Returns how many there were. */
export function deleteOldReceipts(db: Queries, limit: number): Promise<number> {
  return db.run(
    sql`delete from alert_receipts where id in (
        select id from alert_receipts where received_at < now() - interval '90 days' limit ${limit})`,
  );
}

/** Deletes up to `limit` occurrences as old as the receipts that are gone. Returns how many there were. */
export function deleteOldOccurrences(db: Queries, limit: number): Promise<number> {
  return db.run(
    sql`delete from alert_occurrences where ctid = any (array(
        select ctid from alert_occurrences where received_at < now() - interval '90 days' limit ${limit}))`,
  );
}
