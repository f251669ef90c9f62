/** Writes an entry to the audit log. */
import type { Queries } from "../platform/db.ts";
import type { AuditNote } from "./audit.ts";
import { insertAuditEntry } from "./store-audit.ts";

/**
 * Entries are written one after another, each waiting for the commit of the previous one: call it last in a transaction, and with
 * `db.pooled` outside of one, where it does not block other statements.
 * @param isWanted false: writes nothing, but takes as long as an entry, so that timing does not tell acts apart
 */
export async function recordAudit(tx: Queries, note: AuditNote, isWanted = true): Promise<void> {
  await insertAuditEntry(tx, note, isWanted);
}
