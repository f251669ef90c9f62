/** Issues the access token by which an application acts for a person. */
import type { Queries } from "../platform/db.ts";
import { digest } from "../platform/secret.ts";
import { insertToken } from "./store.ts";

export interface DelegatedToken {
  /** The token itself; only its digest is stored. */
  secret: string;
  userId: number;
  applicationId: number;
  /** The approval that the token follows from, and dies with. */
  authorizationId: number;
  scopes: readonly string[];
  /** The thumbprint of the key whose possession must be proven with it; null or absent: of none. */
  boundKey?: string | null;
  lifetimeSeconds: number;
}

/** Stores the token's digest; it counts from the commit of `tx` until its lifetime is over or it is ended. */
export async function issueDelegatedToken(tx: Queries, token: DelegatedToken): Promise<void> {
  const { secret, ...rest } = token;
  await insertToken(tx, { ...rest, digest: digest(secret), kind: "oauth" });
}
