/** The session of somebody who has not signed in: a signed random value in the cookie, and nothing stored. */
import { type Keys, newSecret } from "../platform/secret.ts";

const PURPOSE = "anonymous session";

/**
 * Returns a new cookie value for an anonymous visitor; forms are bound to it, and a row is inserted only if something must be
 * stored.
 */
export function newAnonymousSecret(keys: Keys): string {
  const secret = newSecret("session");
  return `${secret}.${keys.sign(PURPOSE, secret)}`;
}

/** Whether this service issued the value: a made-up one is no session (OWASP session fixation). */
export function isAnonymousSecret(keys: Keys, value: string): boolean {
  const dot = value.indexOf(".");
  return dot > 0 && keys.isSigned(PURPOSE, value.slice(0, dot), value.slice(dot + 1));
}
