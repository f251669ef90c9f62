/** A passkey: what its owner sees of it, what it is asked for, and whose word it is (WebAuthn 3). */
import { boolean, bytes, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { nameFault } from "./name.ts";

/** What a question to an authenticator is for; an answer counts for this alone. */
export const PASSKEY_PURPOSES = ["register", "sign_in", "second_factor", "proof"] as const;
export type PasskeyPurpose = (typeof PASSKEY_PURPOSES)[number];

/** How long a question waits for its answer; people look for their key, and type its PIN. */
export const CHALLENGE_SECONDS = 5 * 60;

/** Signatures that we understand, as COSE numbers: Ed25519, ES256, RS256; every authenticator in use knows one. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

/** More of one person are no use to anybody. */
export const PASSKEYS_OF_ONE = 25;

/** No answer of an authenticator is longer. */
export const ANSWER_CHARACTERS = 50_000;

/** A passkey as its owner sees it. */
export const PasskeyRow = row({
  id: integer,
  name: text,
  backedUp: boolean,
  createdAt: instant,
  lastUsedAt: nullable(instant),
});
export type Passkey = RowOf<typeof PasskeyRow>;

/** A passkey as its answers are judged by. */
export const PasskeyKeyRow = row({
  id: integer,
  userId: integer,
  credentialId: bytes,
  publicKey: bytes,
  transports: list(text),
  handle: nullable(bytes),
});
export type PasskeyKey = RowOf<typeof PasskeyKeyRow>;

/** Whom authenticators work for: the public address alone decides, whatever a request claims (reference reliability S64). */
export function relyingParty(publicUrl: string): { id: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}

/** What is wrong with the name of a passkey, or undefined. */
export function passkeyNameFault(name: string): string | undefined {
  return nameFault(name, 100);
}

/** The answer of an authenticator as the page sent it, with its credential's id; undefined for anything else. */
export function readAnswer<T extends { id: string }>(sent: string): T | undefined {
  if (sent.length > ANSWER_CHARACTERS) return undefined;
  try {
    const answer = JSON.parse(sent);
    const isAnswer = typeof answer?.id === "string" && typeof (answer.response ?? "") === "object";
    return isAnswer ? answer : undefined;
  } catch {
    return undefined;
  }
}
