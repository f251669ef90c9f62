/** Writes an entry into the audit log. */
import type { Queries } from "../platform/db.ts";
import type { AuditNote } from "./audit.ts";
import { insertAuditEntry } from "./store-audit.ts";

/**
 * Entries are written one after another, each waiting for the commit of the one before: call it last in a
 * transaction, and with `db.pooled` outside of one, where it holds up nothing else.
 * @param isWanted false: writes nothing, at the price of an entry, for acts that nobody may tell apart by their time
 */
export async function recordAudit(tx: Queries, note: AuditNote, isWanted = true): Promise<void> {
  await insertAuditEntry(tx, note, isWanted);
}
