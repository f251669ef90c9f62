/** The keys that sign identity tokens: which algorithms there are, and how long a key signs and stays published. */
import type { JWK } from "jose";
import { boolean, bytes, integer, jsonb, oneOf, type RowOf, row, text } from "../platform/row.ts";

/** RS256 is what every client must know (OpenID Connect Core §15.1); ES256 is smaller. */
export const SIGNING_ALGORITHMS = ["RS256", "ES256"] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** The age from which on a key is replaced. */
export const SIGNING_SECONDS = 90 * 24 * 3600;
/** How long a key is published before it signs, so that whoever keeps the key set has read it by then. */
export const ANNOUNCED_SECONDS = 24 * 3600;
/** How long a key stays published after the next one took its place; longer than any identity token lives. */
export const PUBLISHED_SECONDS = 30 * 24 * 3600;

/** One of the two newest keys of an algorithm. */
export const SigningKeyRow = row({
  kid: text,
  algorithm: oneOf(SIGNING_ALGORITHMS),
  generation: integer,
  publicJwk: jsonb<JWK>(),
  privateSealed: bytes,
  /** Has signed for long enough. */
  old: boolean,
  /** Is not known everywhere yet. */
  announced: boolean,
});
export type SigningKey = RowOf<typeof SigningKeyRow>;

/** What a private key is sealed for. */
export function sealOf(kid: string): string {
  return `signing_keys:${kid}`;
}
