/** The session of somebody who has not signed in: a signed random value in the cookie, and nothing at rest. */
import { type Keys, newSecret, sameSecret } from "../platform/secret.ts";

/** A new value for the cookie of a stranger; forms are bound to it, and a row is made only for what must be kept. */
export function newAnonymousSecret(keys: Keys): string {
  const secret = newSecret("session");
  return `${secret}.${signatureOf(keys, secret)}`;
}

/** Whether this service gave the value out: a made-up one is no session (OWASP session fixation). */
export function isAnonymousSecret(keys: Keys, value: string): boolean {
  const dot = value.indexOf(".");
  return dot > 0 && sameSecret(value.slice(dot + 1), signatureOf(keys, value.slice(0, dot)));
}

function signatureOf(keys: Keys, secret: string): string {
  return keys.sign("anonymous session", secret);
}
