/** Issues the access token with which an application acts for a person. */
import type { Queries } from "../platform/db.ts";
import { digest } from "../platform/secret.ts";
import { insertToken } from "./store.ts";

export interface DelegatedToken {
  /** The token itself; only its digest is stored. */
  secret: string;
  userId: number;
  applicationId: number;
  /** The approval that the token belongs to, and ends with. */
  authorizationId: number;
  scopes: readonly string[];
  /** The thumbprint of the key that the token is bound to; null or absent: unbound. */
  boundKey?: string | null;
  lifetimeSeconds: number;
}

/** Stores the token's digest; the token is valid from the commit of `tx` until it expires or is revoked. */
export async function issueDelegatedToken(tx: Queries, token: DelegatedToken): Promise<void> {
  const { secret, ...rest } = token;
  await insertToken(tx, { ...rest, digest: digest(secret), kind: "oauth" });
}
