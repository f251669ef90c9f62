/** A browser session: what its cookie is called, how long it lasts, and what half signed in means. */
import {
  boolean,
  bytes,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";

const HOUR = 3600;

/** How long a signed-in session lasts without use, and in all, in seconds (decision 0202). */
export const KEPT_SESSION = { idle: 14 * 24 * HOUR, absolute: 30 * 24 * HOUR };
/** The same where nobody asked to stay signed in; its cookie ends with the browser, too. */
export const PASSING_SESSION = { idle: 2 * HOUR, administratorIdle: HOUR / 2, absolute: 12 * HOUR };
/** How long an anonymous one lasts. */
export const ANONYMOUS_SECONDS = HOUR;

/** Anonymous sessions with something to keep (a way back, a message), at most, for one address or IPv6 network. */
export const ANONYMOUS_AT_MOST = 1000;

/** How long a proof of the password is good for sensitive acts (decision 0047). */
export const FRESH_PROOF_SECONDS = 15 * 60;

/**
 * By what people prove who they are, in the words of RFC 8176 §2: password, code of an app or a recovery code, passkey
 * that stays in its device, passkey that is synchronised.
 */
const METHODS = ["pwd", "otp", "hwk", "swk"] as const;
/** One of them. */
export type Method = (typeof METHODS)[number];

/** A live session as the database knows it. */
export const SessionRow = row({
  digest: bytes,
  userId: nullable(integer),
  pendingUserId: nullable(integer),
  kept: boolean,
  returnTo: nullable(text),
  flash: nullable(bytes),
  username: nullable(text),
  name: nullable(text),
  isAdmin: nullable(boolean),
  stale: boolean,
  authenticatedAt: nullable(instant),
  /** By what the person proved themselves; null: not known. */
  authenticatedBy: nullable(list(oneOf(METHODS))),
  /** Whether the password was proven within the last 15 minutes, by the database's clock. */
  fresh: boolean,
});
export type SessionRecord = RowOf<typeof SessionRow>;

/** A session as its owner sees it; the key names it in addresses and opens nothing. */
export const OpenSessionRow = row({
  key: text,
  ip: text,
  userAgent: text,
  createdAt: instant,
  lastSeenAt: instant,
  /** When it is over whatever its use. */
  endsAt: instant,
  current: boolean,
});
export type OpenSession = RowOf<typeof OpenSessionRow>;

/** Who looks at a page. */
export interface SignedIn {
  userId: number;
  username: string;
  name: string;
  isAdmin: boolean;
}

/** Who has passed every step of sign-in, if anybody has. */
export function signedInOf(record: SessionRecord | undefined): SignedIn | undefined {
  if (record?.userId == null || record.username === null || record.name === null) return undefined;
  return {
    userId: record.userId,
    username: record.username,
    name: record.name,
    isAdmin: record.isAdmin ?? false,
  };
}

/** The cookie's name: with the `__Host-` prefix wherever the public address is https. */
export function sessionCookieName(secure: boolean): string {
  return secure ? "__Host-session" : "session";
}

/** A path of our own to go back to, or undefined for anything that could lead elsewhere (RFC 9700 §4.11). */
export function ownPath(path: string): string | undefined {
  if (!path.startsWith("/") || /^\/[/\\]/.test(path) || /[\\\p{Cc}]/u.test(path)) return undefined;
  return path.length <= 8192 ? path : undefined;
}
