/** A passkey: what its owner sees, its challenges, and its relying party (WebAuthn 3). */
import { boolean, bytes, instant, integer, list, nullable, type RowOf, row, text } from "../platform/row.ts";
import { nameFault } from "./name.ts";

/** What a challenge is for; a response is valid for this purpose only. */
export type PasskeyPurpose = "register" | "sign_in" | "second_factor" | "proof";

/** How long a challenge is valid; people look for their key, and type its PIN. */
export const CHALLENGE_SECONDS = 5 * 60;

/** Supported signature algorithms, as COSE numbers: Ed25519, ES256, RS256; every authenticator in use has one of them. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

/** The most passkeys of one person. */
export const PASSKEYS_OF_ONE = 25;

/** The longest accepted response of an authenticator. */
const ANSWER_CHARACTERS = 50_000;

/** A passkey as its owner sees it. */
export const PasskeyRow = row({
  id: integer,
  name: text,
  backedUp: boolean,
  createdAt: instant,
  lastUsedAt: nullable(instant),
});
export type Passkey = RowOf<typeof PasskeyRow>;

/** A passkey with what verifies its responses. */
export const PasskeyKeyRow = row({
  id: integer,
  userId: integer,
  credentialId: bytes,
  publicKey: bytes,
  transports: list(text),
  handle: nullable(bytes),
});
export type PasskeyKey = RowOf<typeof PasskeyKeyRow>;

/** Returns the relying party: it depends on the public URL only, not on what a request claims (reference reliability S64). */
export function relyingParty(publicUrl: string): { id: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}

/** Returns what is wrong with the name of a passkey, or undefined. */
export function passkeyNameFault(name: string): string | undefined {
  return nameFault(name, 100);
}

/** Parses the response of an authenticator as the page sent it; undefined if it is malformed. */
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
