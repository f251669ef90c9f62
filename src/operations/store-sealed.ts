/** Statements about everything that is sealed at rest, in whichever table it stands. */
import type { CopySession } from "../platform/copy.ts";
import type { Queries } from "../platform/db.ts";
import { boolean, bytes, row, text } from "../platform/row.ts";
import { Sql, sql } from "../platform/sql.ts";

/** A column of sealed values; names, type and expression go into SQL as they are. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key, and its type. */
  key: string;
  type: "bigint" | "bytea" | "text";
  /** The context under which the room that owns the table seals the value of a row. */
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
 * All that has to last. What is only handed out sealed is gone with its page; the way back that a session keeps is needed until
 * its sign-in is over, and leads to the start page once its key is dropped.
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

/** The newest key that signs, of each algorithm; nothing in a database that has no tables yet. */
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

/** Some of a column's values, in the order of their key. @param after the key of the last that was read before */
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

/** Puts one value in the place of another; 0: it is another since. */
export function replaceSealed(
  db: Queries,
  { table, column, key, type }: SealedColumn,
  row: { key: string; sealed: Buffer },
  by: Buffer,
): Promise<number> {
  const parts = [`update ${table} set ${column} = `, ` where ${key} = `, `::${type} and ${column} = `, ""];
  return db.run(new Sql(parts, [by, row.key, row.sealed]));
}
