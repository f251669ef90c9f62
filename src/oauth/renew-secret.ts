/** Gives an application a new client secret (contract §4, secrets). */
import type { Queries } from "../platform/db.ts";
import { digest, newSecret } from "../platform/secret.ts";
import { replaceSecret } from "./store.ts";

/**
 * Returns the new secret, shown once. The old one is dead from this moment, or after `graceSeconds`
 * (0 to `MOST_GRACE_SECONDS`) in which both are valid.
 */
export async function renewSecret(db: Queries, applicationId: number, graceSeconds: number): Promise<string> {
  const secret = newSecret("clientSecret");
  await replaceSecret(db, applicationId, digest(secret), graceSeconds);
  return secret;
}
