/** A user, and the rules for usernames, paths and mail addresses. */
import { Problem } from "../platform/problem.ts";
import {
  boolean,
  day,
  instant,
  integer,
  jsonb,
  nullable,
  oneOf,
  type RowOf,
  row,
  text,
} from "../platform/row.ts";
import type { About } from "./about.ts";
import { UNSEEN } from "./name.ts";

export const USER_STATES = ["active", "blocked"] as const;

/** The owners of accounts that belong to no person: an application (decision 0125), or the service itself. */
export const BOTS = ["application", "service"] as const;

/** The sort orders of lists of users; ties are ordered by id. */
export const USER_ORDERS = ["id", "name", "username", "created_at", "updated_at"] as const;
export type UserOrder = (typeof USER_ORDERS)[number];

export const UserRow = row({
  id: integer,
  username: text,
  name: text,
  email: text,
  state: oneOf(USER_STATES),
  isAdmin: boolean,
  /** Cannot sign in: an outside person, a pseudonym or a bot. */
  isPlaceholder: boolean,
  /** Null: a person, here or outside. */
  bot: nullable(oneOf(BOTS)),
  privateProfile: boolean,
  confirmedAt: nullable(instant),
  lastSignInAt: nullable(instant),
  currentSignInAt: nullable(instant),
  lastActivityOn: nullable(day),
  twoFactor: boolean,
  /** The mail address, if its owner shows it; else empty. */
  publicEmail: text,
  about: jsonb<About | null>(),
  /** The note of the administrators, visible to them only; null: none. */
  note: nullable(text),
  namespaceId: integer,
  createdAt: instant,
});
export type User = RowOf<typeof UserRow>;

/**
 * Checked before a user gets a password, a link for one, a personal token or the administrator's role; the database refuses it as
 * well (decision 0139).
 * @throws Problem unprocessable
 */
export function checkHoldsKeys({ isPlaceholder, bot }: Pick<User, "isPlaceholder" | "bot">): void {
  if (!isPlaceholder) return;
  throw new Problem(
    "unprocessable",
    bot === "application"
      ? "This account belongs to an application, which gets its tokens with client_credentials. Nobody can sign in as it, and it gets no other tokens."
      : "This user is a placeholder: nobody can sign in as it, and it gets no tokens.",
  );
}

/** First segments of our own paths, which no user or top-level group may have. */
const RESERVED = new Set(
  "- admin api assets dashboard explore favicon.ico feed groups help invite oauth opsgenie openapi.json profile projects robots.txt search setup users v2 .well-known".split(
    " ",
  ),
);

/** Returns what is wrong with a username or a path, in words that follow the field's name; undefined if nothing is. */
export function pathFault(path: string): string | undefined {
  if (path === "") return "can't be blank";
  if (path.length > 255) return "is too long (maximum is 255 characters)";
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(path)) {
    return "can contain only letters, digits, '_', '-' and '.', and must start with a letter, digit or '_'";
  }
  if (/\.(git|atom|json)$/i.test(path) || path.endsWith("."))
    return "cannot end in '.', '.git', '.atom' or '.json'";
  return undefined;
}

/** Like `pathFault`, and refuses reserved names. */
export function topLevelPathFault(path: string): string | undefined {
  return pathFault(path) ?? (RESERVED.has(path.toLowerCase()) ? "is a reserved name" : undefined);
}

/** Returns what is wrong with a mail address, or undefined. */
export function emailFault(email: string): string | undefined {
  if (email === "") return "can't be blank";
  const isOne = email.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+$/.test(email) && !UNSEEN.test(email);
  return isOne ? undefined : "is invalid";
}

/** Returns the address of a user's avatar, which is public. */
export function avatarUrl(userId: number, publicUrl: string): string {
  return `${publicUrl}/-/avatars/${userId}.svg`;
}
