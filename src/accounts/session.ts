/** A browser session: the name of its cookie, its lifetime, and its states during sign-in. */
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

/** Lifetime of a kept session without use, and in all, in seconds (decision 0202). */
export const KEPT_SESSION = { idle: 14 * 24 * HOUR, absolute: 30 * 24 * HOUR };
/** The same for a session that is not kept; its cookie also ends with the browser. */
export const PASSING_SESSION = { idle: 2 * HOUR, administratorIdle: HOUR / 2, absolute: 12 * HOUR };
/** Lifetime of an anonymous session. */
export const ANONYMOUS_SECONDS = HOUR;

/** The most stored anonymous sessions (with a return path or a message) of one address or IPv6 network. */
export const ANONYMOUS_AT_MOST = 1000;

/** How long a proof of identity suffices for sensitive acts (decision 0047). */
export const FRESH_PROOF_SECONDS = 15 * 60;

/**
 * Authentication methods in the words of RFC 8176 §2: password, code of an app or recovery code, device-bound passkey,
 * synchronised passkey.
 */
const METHODS = ["pwd", "otp", "hwk", "swk"] as const;
export type Method = (typeof METHODS)[number];

/** A valid session as stored. */
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
  /** The methods by which the person signed in; null: unknown. */
  authenticatedBy: nullable(list(oneOf(METHODS))),
  /** Whether identity was proven within the last 15 minutes, by the database's clock. */
  fresh: boolean,
});
export type SessionRecord = RowOf<typeof SessionRow>;

/** A session as its owner sees it; the key identifies it in addresses but grants no access. */
export const OpenSessionRow = row({
  key: text,
  ip: text,
  userAgent: text,
  createdAt: instant,
  lastSeenAt: instant,
  /** When it ends, whatever its use. */
  endsAt: instant,
  current: boolean,
});
export type OpenSession = RowOf<typeof OpenSessionRow>;

/** The person who views a page. */
export interface SignedIn {
  userId: number;
  username: string;
  name: string;
  isAdmin: boolean;
}

/** Returns the person who has passed every step of sign-in, if any. */
export function signedInOf(record: SessionRecord | undefined): SignedIn | undefined {
  if (record?.userId == null || record.username === null || record.name === null) return undefined;
  return {
    userId: record.userId,
    username: record.username,
    name: record.name,
    isAdmin: record.isAdmin ?? false,
  };
}

/** Returns the cookie's name: with the `__Host-` prefix if the public address is https. */
export function sessionCookieName(secure: boolean): string {
  return secure ? "__Host-session" : "session";
}

/** Returns the path if it is one of this site, or undefined for anything that could lead elsewhere (RFC 9700 §4.11). */
export function ownPath(path: string): string | undefined {
  if (!path.startsWith("/") || /^\/[/\\]/.test(path) || /[\\\p{Cc}]/u.test(path)) return undefined;
  return path.length <= 8192 ? path : undefined;
}
