/** An authorization: one approval, or one password, and everything that follows from it. */

/** How an authorization came to be. */
export const FLOWS = [
  "authorization_code",
  "implicit",
  "password",
  "device_code",
  "client_credentials",
] as const;
export type Flow = (typeof FLOWS)[number];
