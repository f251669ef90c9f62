/** Statements that read receipts, and remove old ones. */
import type { Queries } from "../platform/db.ts";
import { integer, row } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import { type Receipt, ReceiptRow } from "./receipt.ts";

const receiptColumns = sql`id, project_id, integration_id, key_hint, received_at, headers, raw, status, decision,
  warnings, alert_iids`;

export function listReceipts(
  db: Queries,
  projectId: number,
  page: { limit: number; offset: number },
): Promise<Receipt[]> {
  return db.many(
    ReceiptRow,
    sql`select ${receiptColumns} from alert_receipts where project_id = ${projectId}
      order by received_at desc, id desc limit ${page.limit} offset ${page.offset}`,
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
    sql`select ${receiptColumns} from alert_receipts where project_id = ${projectId} and id = ${id}::uuid`,
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

/**
 * Deletes up to `limit` receipts older than 90 days, with the occurrences that stand in them; the counters of alerts
 * stay as they are. Returns how many there were.
 */
export function deleteOldReceipts(db: Queries, limit: number): Promise<number> {
  return db.run(
    sql`delete from alert_receipts where id in (
        select id from alert_receipts where received_at < now() - interval '90 days' limit ${limit})`,
  );
}
