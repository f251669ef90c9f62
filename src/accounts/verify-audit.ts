/** Verifies the hash chain of the audit log: whether an entry was changed, removed or inserted. */
import type { Db } from "../platform/db.ts";
import { chainHash } from "./audit.ts";
import { listChain } from "./store-audit.ts";

export interface AuditVerdict {
  /** Number of valid entries from the first one on. */
  entries: number;
  /** The hash of the last of them in hexadecimal, to be stored elsewhere; empty without entries. */
  head: string;
  /** The first invalid entry. */
  broken?: { id: number; why: "missing" | "changed" };
}

const AT_ONCE = 2000;

/** Reads all entries in batches; those written meanwhile may be included or not. */
export async function verifyAudit(db: Db): Promise<AuditVerdict> {
  let previous: Buffer = Buffer.alloc(0);
  let entries = 0;
  for (;;) {
    const links = await listChain(db.pooled, entries, AT_ONCE);
    const verdict = () => ({ entries, head: previous.toString("hex") });
    for (const { id, canonical, hash } of links) {
      if (id !== entries + 1) return { ...verdict(), broken: { id: entries + 1, why: "missing" } };
      if (!chainHash(previous, canonical).equals(hash)) {
        return { ...verdict(), broken: { id, why: "changed" } };
      }
      previous = hash;
      entries = id;
    }
    if (links.length < AT_ONCE) return verdict();
  }
}
