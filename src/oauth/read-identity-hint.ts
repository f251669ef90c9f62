/** Reads an identity token that is sent back as a hint (OpenID Connect Core §3.1.2.1; RP-Initiated Logout §2). */
import type { Queries } from "../platform/db.ts";
import type { JsonObject } from "../platform/json-object.ts";
import { LOGOUT_TYPE } from "./logout-token.ts";
import { MAX_PUSHED_BYTES } from "./pushed-request.ts";
import { SIGNING_ALGORITHMS } from "./signing-key.ts";
import { listPublishedKeys } from "./store-openid.ts";

/** The person whom the token is about, and the application for which it was issued. */
export interface IdentityHint {
  userId: number;
  applicationUid: string;
  /** The claim by which the token names the person to its holder. */
  names: "username" | "email" | undefined;
}

/**
 * Returns undefined unless it is an identity token of this issuer, signed with a key that is still published. It may have
 * expired: it only says who was signed in, and grants no access.
 */
export async function readIdentityHint(
  db: Queries,
  issuer: string,
  token: string,
): Promise<IdentityHint | undefined> {
  // Nothing longer gets here, least of all by an address.
  if (token.length > MAX_PUSHED_BYTES || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
  const published = await listPublishedKeys(db);
  const { compactVerify, importJWK } = await import("jose");
  let claims: unknown;
  try {
    const { payload, protectedHeader } = await compactVerify(
      token,
      ({ kid, alg }) => {
        const key = published.find((each) => each.kid === kid && each.algorithm === alg);
        if (!key) throw new Error("signed with a key that is not published");
        return importJWK(key.publicJwk, key.algorithm);
      },
      { algorithms: [...SIGNING_ALGORITHMS] },
    );
    // Logout tokens are signed with the same keys, but never pass through a browser.
    if (protectedHeader.typ === LOGOUT_TYPE) return undefined;
    claims = JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return undefined;
  }
  const { iss, sub, aud, preferred_username: username, email } = claims as JsonObject;
  if (iss !== issuer || typeof sub !== "string" || typeof aud !== "string") return undefined;
  const names = username !== undefined ? "username" : email !== undefined ? "email" : undefined;
  return { userId: Number(sub), applicationUid: aud, names };
}
