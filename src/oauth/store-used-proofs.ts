/** Remembers assertions and proofs that may be used once, until they expire (RFC 7523 §3, RFC 9449 §11.1). */
import { createHash } from "node:crypto";
import type { Queries } from "../platform/db.ts";
import { deleteSome } from "../platform/delete-some.ts";
import { sql } from "../platform/sql.ts";

/** The signer of an assertion or proof, and its id. */
export interface UsedProof {
  kind: "client_assertion" | "dpop";
  /** The Application ID of an assertion, or the thumbprint of the key of a proof. */
  signer: string;
  /** The `jti`, of any length. */
  jti: string;
  /** When it is invalid anyway, including the tolerance for clocks. */
  expiresAt: Date;
}

/**
 * Returns true once, for one of any number of concurrent calls in all processes; never for what has expired by the database's
 * clock, by which used ones are deleted: it might have been used before.
 */
export async function spendProof(db: Queries, proof: UsedProof): Promise<boolean> {
  const inserted = await db.run(
    sql`insert into used_proofs (digest, expires_at)
      select ${digestOf(proof)}::bytea, ${proof.expiresAt}::timestamptz where ${proof.expiresAt}::timestamptz > now()
      on conflict (digest) do nothing`,
  );
  return inserted === 1;
}

/** Deletes a batch. */
export function deleteExpiredProofs(db: Queries, most: number): Promise<number> {
  return deleteSome(db, sql`used_proofs`, sql`expires_at < now()`, most);
}

/** Hashes a JSON list, so that different parts never give the same text. */
function digestOf({ kind, signer, jti }: UsedProof): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([kind, signer, jti]))
    .digest();
}
