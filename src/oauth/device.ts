/** A device that waits for an answer given elsewhere: its user code, and the response to a poll (RFC 8628). */
import { randomInt } from "node:crypto";
import { covers } from "../accounts/scope.ts";
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
import type { Application } from "./application.ts";
import type { RefusalReason } from "./refusal-reason.ts";

/** No vowels, so that no words appear, and no characters that look alike (RFC 8628 §6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** How many wrong codes a person may type within ten minutes, against 20^8 codes (RFC 8628 §5.1). */
export const MAX_WRONG_CODES = 10;

/** Returns a new user code of eight letters. */
export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** The user code as it is shown, in two groups of four. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Reads a typed user code, ignoring everything but letters; undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  const code = typed
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, "");
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : undefined;
}

export const DECISIONS = ["allowed", "denied"] as const;
export type Decision = (typeof DECISIONS)[number];

/** A device as found and locked by its code. Times are compared by the database's clock. */
export const DeviceRow = row({
  digest: bytes,
  applicationId: integer,
  scopes: list(text),
  intervalSeconds: integer,
  /** Polled before its interval was over, and not just to try the other method of client authentication. */
  hasty: boolean,
  expired: boolean,
  decision: nullable(oneOf(DECISIONS)),
  userId: nullable(integer),
  userActive: boolean,
  authenticatedAt: nullable(instant),
  authenticatedBy: nullable(list(text)),
  spent: boolean,
  now: instant,
});
export type Device = RowOf<typeof DeviceRow>;

/** Where a poll carries its client authentication: libraries that do not know what a server accepts try both in turn. */
export type ProofPlace = "header" | "body";

export type DeviceVerdict =
  | "allowed"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_scope"
  | { refused: RefusalReason }
  /** Refused for good. */
  | { burned: "user_blocked" };

/** Checks a poll: known, issued to this application, unspent, then denied, expired, or polled too soon (RFC 8628 §3.5). */
export function judgeDevice(device: Device | undefined, application: Application): DeviceVerdict {
  if (!device) return { refused: "unknown" };
  if (device.applicationId !== application.id) return { refused: "another_application" };
  if (device.spent) return { refused: "used_again" };
  if (device.decision === "denied") return "access_denied";
  if (device.expired) return "expired_token";
  if (device.decision === null) return device.hasty ? "slow_down" : "authorization_pending";
  if (!device.userActive) return { burned: "user_blocked" };
  return covers(application.scopes, device.scopes) ? "allowed" : "invalid_scope";
}
