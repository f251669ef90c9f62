/** Goes through the audit log and says whether anything in it was changed, removed or put in between. */
import type { Db } from "../platform/db.ts";
import { chainHash } from "./audit.ts";
import { listChain } from "./store-audit.ts";

export interface AuditVerdict {
  /** How many entries hang together, from the first one on. */
  entries: number;
  /** The hash of the last of them in hexadecimal, to be kept elsewhere; empty without entries. */
  head: string;
  /** The first entry that does not fit. */
  broken?: { id: number; why: "missing" | "changed" };
}

const AT_ONCE = 2000;

/** Reads everything, a part at a time; entries written meanwhile may or may not be among them. */
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
