/** Remembers what was signed to be shown once, for as long as it would count (RFC 7523 §3, RFC 9449 §11.1). */
import { createHash } from "node:crypto";
import type { Queries } from "../platform/db.ts";
import { sql } from "../platform/sql.ts";

/** What signed it, and what it calls itself. */
export interface UsedProof {
  kind: "client_assertion" | "dpop";
  /** The Application ID of an assertion, or the thumbprint of the key of a proof. */
  signer: string;
  /** The `jti`, of any length. */
  jti: string;
  /** When it counts no more by itself, the tolerance of clocks included. */
  expiresAt: Date;
}

/** True once, of however many that come at the same moment, to whichever process. */
export async function useProof(db: Queries, proof: UsedProof): Promise<boolean> {
  const inserted = await db.run(
    sql`insert into used_proofs (digest, expires_at) values (${digestOf(proof)}, ${proof.expiresAt})
      on conflict (digest) do nothing`,
  );
  return inserted === 1;
}

export function deleteExpiredProofs(db: Queries): Promise<number> {
  return db.run(sql`delete from used_proofs where expires_at < now()`);
}

/** A list in JSON, so that no two of them read alike however their parts are cut. */
function digestOf({ kind, signer, jti }: UsedProof): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([kind, signer, jti]))
    .digest();
}
