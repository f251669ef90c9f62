/** What the token endpoint issues, before it is written as an answer. */
import type { Keys } from "../platform/secret.ts";
import { secretFrom } from "../platform/secret.ts";

/** When the person had proven who they are at a page of ours, and by what (RFC 8176); null: not known. */
export interface ProvenBy {
  authenticatedAt: Date | null;
  authenticatedBy: readonly string[] | null;
}

/** A successful answer; both tokens are plain text here for the last time, since only their digests are stored. */
export interface Issued {
  accessToken: string;
  /** Absent where the flow or the application has none. */
  refreshToken?: string;
  /** Seconds; of the refresh token. */
  refreshExpiresIn?: number;
  scopes: readonly string[];
  /** Seconds. */
  expiresIn: number;
  createdAt: Date;
  /** Of whom an identity token would speak; absent where a flow brings none. */
  identity?: { userId: number; nonce: string | null; sessionSid: string | null } & ProvenBy;
}

/** The pair that follows a refresh token. */
export interface Successors {
  accessToken: string;
  refreshToken: string;
}

/**
 * The pair that follows a refresh token, by each master key, today's first. It is computed, not drawn, from the token itself and a key of this service,
 * so that the same request can be answered the same way without either being stored (decision 0012).
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
