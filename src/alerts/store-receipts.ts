/** Statements that read receipts and delete old ones. */
import { countOf } from "../platform/count-of.ts";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { boolean, instant, integer, list, nullable, oneOf, type RowOf, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import { DECISIONS, type Decision, type Receipt, ReceiptRow } from "./receipt.ts";

const receiptColumns = sql`r.id, r.project_id, i.id as integration_id, r.key_hint, r.received_at, r.headers, r.raw, r.status,
  r.decision, r.warnings, r.alert_iids, i.mapping, i.value_tables, coalesce(i.group_by, '{}') as group_by,
  coalesce(i.ignore, '{}') as ignore`;
const receiptsWithRules = sql`alert_receipts r left join alert_integrations i on i.id = r.integration_id`;

export interface ReceiptFilter {
  integrationId?: number | undefined;
  decision?: Decision | undefined;
  /** The iid of an alert that the request named. */
  alertIid?: number | undefined;
}

/** How many receipts a filter reads, the newest first: no index covers their decisions. */
const SEARCHED_RECEIPTS = 50_000;

/** Returns a query for the receipts that match a filter; those of an alert are found by its occurrences. */
function chosen(projectId: number, { integrationId, decision, alertIid }: ReceiptFilter): Sql {
  const mine = sql`select id, received_at, integration_id, decision from alert_receipts`;
  const lately =
    alertIid === undefined
      ? sql`${mine} where project_id = ${projectId} order by received_at desc, id desc limit ${SEARCHED_RECEIPTS}`
      : sql`${mine} where project_id = ${projectId} and id = any (array(
          select o.receipt_id from alert_occurrences o join alerts a on a.id = o.alert_id
          where a.project_id = ${projectId} and a.iid = ${alertIid}
          order by o.received_at desc limit ${SEARCHED_RECEIPTS}))`;
  return sql`select id, received_at from (${lately}) lately
    where (${integrationId ?? null}::bigint is null or integration_id = ${integrationId ?? null})
      and (${decision ?? null}::text is null or decision = ${decision ?? null})`;
}

/** Lists the ids and sizes of a page of receipts, so that large ones can be read one after another. */
export function listReceiptSizes(
  db: Queries,
  projectId: number,
  page: { limit: number; offset: number },
  filter: ReceiptFilter = {},
) {
  return db.many(
    row({ id: text, sizeBytes: integer }),
    sql`with c as materialized (select id from (${chosen(projectId, filter)}) c
        order by received_at desc, id desc limit ${page.limit} offset ${page.offset})
      select r.id, octet_length(r.raw)::bigint as size_bytes from alert_receipts r where r.id in (select id from c)
      order by r.received_at desc, r.id desc`,
  );
}

/** Lists these receipts of a project, in the order of lists. */
export function listReceipts(db: Queries, projectId: number, ids: readonly string[]): Promise<Receipt[]> {
  return db.many(
    ReceiptRow,
    sql`select ${receiptColumns} from ${receiptsWithRules}
      where r.project_id = ${projectId} and r.id = any (${ids}::uuid[]) order by r.received_at desc, r.id desc`,
  );
}

/** Lists the newest receipts of an integration to try reading rules on, without tests and large ones. */
export function listTrialReceipts(
  db: Queries,
  projectId: number,
  integrationId: number,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<Receipt[]> {
  return db.many(
    ReceiptRow,
    sql`with c as materialized (
        select id from (${chosen(projectId, { integrationId })}) c order by received_at desc, id desc limit ${limit})
      select ${receiptColumns} from ${receiptsWithRules} where r.id in (select id from c)
        and octet_length(r.raw) <= ${maxBytes} and r.decision <> 'test'
      order by r.received_at desc, r.id desc`,
  );
}

export const ReceiptLineRow = row({
  id: text,
  integrationId: nullable(integer),
  integrationName: nullable(text),
  keyHint: text,
  receivedAt: instant,
  status: integer,
  decision: oneOf(DECISIONS),
  warnings: list(text),
  alertIids: list(integer),
  sizeBytes: integer,
});
export type ReceiptLine = RowOf<typeof ReceiptLineRow>;

/** Lists a page of receipts without their bodies. */
export function listReceiptLines(
  db: Queries,
  projectId: number,
  filter: ReceiptFilter,
  page: { limit: number; offset: number },
): Promise<ReceiptLine[]> {
  return db.many(
    ReceiptLineRow,
    sql`with c as materialized (select id from (${chosen(projectId, filter)}) c
        order by received_at desc, id desc limit ${page.limit} offset ${page.offset})
      select r.id, i.id as integration_id, i.name as integration_name, r.key_hint, r.received_at, r.status, r.decision,
        r.warnings, r.alert_iids[1:20] as alert_iids, octet_length(r.raw)::bigint as size_bytes
      from ${receiptsWithRules} where r.id in (select id from c) order by r.received_at desc, r.id desc`,
  );
}

export function countReceipts(db: Queries, projectId: number, filter: ReceiptFilter = {}): Promise<number> {
  const isAll = Object.values(filter).every((value) => value === undefined);
  return countOf(
    db,
    isAll
      ? sql`select count(*) as n from alert_receipts where project_id = ${projectId}`
      : sql`select count(*) as n from (${chosen(projectId, filter)}) c`,
  );
}

export function findReceipt(db: Queries, projectId: number, id: string): Promise<Receipt | undefined> {
  return db.find(
    ReceiptRow,
    sql`select ${receiptColumns} from ${receiptsWithRules} where r.project_id = ${projectId} and r.id = ${id}::uuid`,
  );
}

/** How many receipts of a day are counted at most: no index covers their integrations. */
const COUNTED_A_DAY = 5000;

/** Counts receipts of the last two weeks by integration and day (0: the oldest); `isMore` if a day had more than are counted. */
export function countReceiptsByDay(db: Queries, projectId: number) {
  return db.many(
    row({ integrationId: integer, bucket: integer, n: integer, isMore: boolean }),
    sql`select integration_id, bucket, count(*) as n, sum(count(*)) over (partition by bucket) >= ${COUNTED_A_DAY} as is_more
      from generate_series(0, 13) as bucket cross join lateral (
        select coalesce(integration_id, 0) as integration_id from alert_receipts
        where project_id = ${projectId} and received_at >= now()::date - 13 + bucket::integer
          and received_at < now()::date - 12 + bucket::integer
        limit ${COUNTED_A_DAY}) r
      group by integration_id, bucket`,
  );
}

/** Deletes up to `limit` receipts older than 90 days; the counters of alerts stay. Returns how many were deleted. */
export function deleteOldReceipts(db: Queries, limit: number): Promise<number> {
  return deleteSome(db, sql`alert_receipts`, sql`received_at < now() - interval '90 days'`, limit);
}

/** Deletes up to `limit` occurrences older than 90 days, like their receipts. Returns how many were deleted. */
export function deleteOldOccurrences(db: Queries, limit: number): Promise<number> {
  return deleteSome(db, sql`alert_occurrences`, sql`received_at < now() - interval '90 days'`, limit);
}
