/** What the token endpoint issues, before it becomes a response. */
import type { Keys } from "../platform/secret.ts";
import { secretFrom } from "../platform/secret.ts";

/** When and by which methods the person authenticated here (RFC 8176); null: unknown. */
export interface ProvenBy {
  authenticatedAt: Date | null;
  authenticatedBy: readonly string[] | null;
}

/** A successful answer; both tokens are plain text here for the last time, since only their digests are stored. */
export interface Issued {
  accessToken: string;
  /** Absent if the flow or the application has none. */
  refreshToken?: string;
  /** Seconds until the refresh token expires. */
  refreshExpiresIn?: number;
  scopes: readonly string[];
  /** Seconds until the access token expires. */
  expiresIn: number;
  createdAt: Date;
  /** The subject of the identity token; absent if the flow issues none. */
  identity?: { userId: number; nonce: string | null; sessionSid: string | null } & ProvenBy;
}

/** The pair of tokens that follows a refresh token. */
export interface Successors {
  accessToken: string;
  refreshToken: string;
}

/**
 * Returns the pair that follows a refresh token, one for each master key, the current one first. It is derived from the token and
 * a key of this service, not random, so that a repeated request gets the same response without either being stored
 * (decision 0012).
 */
export function successorsOf(keys: Keys, refreshToken: string): readonly [Successors, ...Successors[]] {
  const pairs = keys.signers().map((sign) => {
    const seed = (purpose: string) =>
      Buffer.from(sign(`refresh successor ${purpose}`, refreshToken), "base64url");
    return {
      accessToken: secretFrom("accessToken", seed("access")),
      refreshToken: secretFrom("refreshToken", seed("refresh")),
    };
  });
  return pairs as [Successors, ...Successors[]];
}
