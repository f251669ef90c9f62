/** Creates the identity token that is issued together with an access token (OpenID Connect Core §2, §3.1.3.6). */
import { createHash } from "node:crypto";
import type { Platform } from "../platform/platform.ts";
import type { Application } from "./application.ts";
import { claimsOf, classClaim, knownPerson, methodsClaim } from "./claims.ts";
import { currentSigningKey } from "./current-signing-key.ts";
import { epochSeconds } from "./epoch-seconds.ts";
import type { Issued } from "./issued.ts";
import { IDENTITY_TOKEN_SECONDS } from "./lifetimes.ts";
import { findIdentity, listGroupsOfPerson } from "./store-openid.ts";

/**
 * Returns undefined if none is due: the scope `openid` was not granted, or the flow does not sign a person in. A refresh issues
 * one with the `auth_time`, `amr` and `acr` of the first, and without its nonce (§12.2).
 */
export async function signIdentityToken(
  platform: Platform,
  application: Application,
  issued: Issued,
): Promise<string | undefined> {
  const { scopes, identity, createdAt, accessToken } = issued;
  if (!identity || !scopes.includes("openid")) return undefined;
  const { db, config } = platform;
  const [found, groups] = await Promise.all([
    findIdentity(db, identity.userId),
    listGroupsOfPerson(db, identity.userId),
  ]);
  if (!found) return undefined;
  const { publicUrl } = config;
  const { kid, key } = await currentSigningKey(platform, application.idTokenAlgorithm);
  const issuedAt = epochSeconds(createdAt);
  const { authenticatedAt, nonce, sessionSid } = identity;
  const amr = methodsClaim(identity.authenticatedBy);
  const acr = classClaim(identity.authenticatedBy);
  const { SignJWT } = await import("jose");
  return new SignJWT({
    ...claimsOf(knownPerson(found, groups, publicUrl), scopes),
    ...(authenticatedAt ? { auth_time: epochSeconds(authenticatedAt) } : {}),
    ...(amr ? { amr } : {}),
    ...(acr ? { acr } : {}),
    ...(nonce === null ? {} : { nonce }),
    ...(sessionSid === null ? {} : { sid: sessionSid }),
    at_hash: halfHash(accessToken),
  })
    .setProtectedHeader({ alg: application.idTokenAlgorithm, kid, typ: "JWT" })
    .setIssuer(publicUrl)
    .setAudience(application.uid)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + IDENTITY_TOKEN_SECONDS)
    .sign(key);
}

/** The `at_hash`, which binds the access token to the identity token (§3.1.3.6); both algorithms use SHA-256. */
function halfHash(token: string): string {
  return createHash("sha256").update(token).digest().subarray(0, 16).toString("base64url");
}
