/** An authorization: one approval, or one accepted password, and everything issued from it. */

/** The flow by which an authorization was granted. */
export const FLOWS = [
  "authorization_code",
  "implicit",
  "password",
  "device_code",
  "client_credentials",
] as const;
export type Flow = (typeof FLOWS)[number];
