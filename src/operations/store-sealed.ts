/** Statements about all encrypted values, in whichever table they are. */
import type { CopySession } from "../platform/copy.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, row, text } from "../platform/row.ts";
import { Sql, sql } from "../platform/sql.ts";

/** A column of encrypted values; names, type and expression go into SQL unescaped. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key, and its type. */
  key: string;
  type: "bigint" | "bytea" | "text";
  /** The context with which the owning room encrypts the value of a row. */
  context: string;
}

const OUTBOX = "'outbox'";
const INTEGRATION = "project_id || '/' || identifier";

const column = (
  table: string,
  column: string,
  context: string,
  key = "id",
  type: SealedColumn["type"] = "bigint",
): SealedColumn => ({ table, column, key, type, context });

/**
 * All values that must last. Others are only passed to a page and back; the return path of a session is needed until the sign-in
 * ends, and becomes the start page once its key is dropped.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  column("users", "totp_sealed", "'users:' || id || ':totp'"),
  column("sessions", "flash", "'flash'", "digest", "bytea"),
  column("signing_keys", "private_sealed", "'signing_keys:' || kid", "kid", "text"),
  column("event_sources", "secret_sealed", "'event_sources:' || identifier"),
  column("event_feed_tokens", "sealed", "'event_feed_tokens:' || user_id", "user_id"),
  column("event_hooks", "url_sealed", OUTBOX),
  column("event_hooks", "secret_sealed", OUTBOX),
  column("alert_integrations", "key_sealed", `'alert_integrations:' || ${INTEGRATION}`),
  column("alert_integrations", "signature_sealed", `'alert_integrations signature:' || ${INTEGRATION}`),
  column("alert_heartbeats", "key_sealed", "'alert_heartbeats:' || identifier"),
  column("alert_channels", "url_sealed", OUTBOX),
  column("alert_channels", "secret_sealed", OUTBOX),
  column("outbox_deliveries", "sealed_url", OUTBOX),
  column("outbox_deliveries", "sealed_secret", OUTBOX),
];

const SealedRow = row({ key: text, context: text, sealed: bytes });

/** The newest signing key of each algorithm; empty in a database without tables. */
export async function listNewestSealed({ many }: CopySession) {
  const [schema] = await many(
    row({ isThere: boolean }),
    sql`select to_regclass('signing_keys') is not null as is_there`,
  );
  if (!schema?.isThere) return [];
  return many(
    row({ context: text, sealed: bytes }),
    sql`select distinct on (algorithm) 'signing_keys:' || kid as context, private_sealed as sealed
      from signing_keys order by algorithm, generation desc`,
  );
}

/** A batch of a column's values, in the order of their key. @param after the key of the last one read before */
export function findSomeSealed(
  db: Queries,
  { table, column, key, type, context }: SealedColumn,
  after: string | undefined,
  most: number,
) {
  const read = `select ${key}::text as key, ${context} as context, ${column} as sealed from ${table} where ${column} is not null`;
  const order = `order by ${key} limit `;
  const statement =
    after === undefined
      ? new Sql([`${read} ${order}`, ""], [most])
      : new Sql([`${read} and ${key} > `, `::${type} ${order}`, ""], [after, most]);
  return db.many(SealedRow, statement);
}

/** Replaces one value by another; returns 0 if it has changed meanwhile. */
export function replaceSealed(
  db: Queries,
  { table, column, key, type }: SealedColumn,
  row: { key: string; sealed: Buffer },
  by: Buffer,
): Promise<number> {
  const parts = [`update ${table} set ${column} = `, ` where ${key} = `, `::${type} and ${column} = `, ""];
  return db.run(new Sql(parts, [by, row.key, row.sealed]));
}
