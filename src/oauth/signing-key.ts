/** The keys that sign identity tokens: their algorithms, and how long a key signs and stays published. */
import type { JWK } from "jose";
import { boolean, bytes, integer, jsonb, oneOf, type RowOf, row, text } from "../platform/row.ts";

/** RS256 must be supported by every client (OpenID Connect Core §15.1); ES256 is smaller. */
export const SIGNING_ALGORITHMS = ["RS256", "ES256"] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** The age at which a key is replaced. */
export const SIGNING_SECONDS = 90 * 24 * 3600;
/** How long a key is published before it signs, so that clients which cache the key set know it by then. */
export const ANNOUNCED_SECONDS = 24 * 3600;
/** How long a key stays published after its successor was created; longer than any identity token is valid. */
export const PUBLISHED_SECONDS = 30 * 24 * 3600;

/** One of the two newest keys of an algorithm. */
export const SigningKeyRow = row({
  kid: text,
  algorithm: oneOf(SIGNING_ALGORITHMS),
  generation: integer,
  publicJwk: jsonb<JWK>(),
  privateSealed: bytes,
  /** Whether it is due to be replaced. */
  old: boolean,
  /** Whether it was published too recently to sign. */
  announced: boolean,
});
export type SigningKey = RowOf<typeof SigningKeyRow>;

/** The context to which the encryption of a private key is bound. */
export function sealOf(kid: string): string {
  return `signing_keys:${kid}`;
}
