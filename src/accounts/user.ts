/** A person who can sign in, and the rules for what they may be called. */
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

/** Whose account one is that is no person's: of an application (decision 0125), or of the service itself. */
export const BOTS = ["application", "service"] as const;

/** What lists of users may go by; of the same there the number decides. */
export const USER_ORDERS = ["id", "name", "username", "created_at", "updated_at"] as const;
export type UserOrder = (typeof USER_ORDERS)[number];

export const UserRow = row({
  id: integer,
  username: text,
  name: text,
  email: text,
  state: oneOf(USER_STATES),
  isAdmin: boolean,
  /** No person who could come in: an outside one, a pseudonym or a bot. */
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
  /** What administrators noted, for their eyes alone; null: nothing. */
  note: nullable(text),
  namespaceId: integer,
  createdAt: instant,
});
export type User = RowOf<typeof UserRow>;

/**
 * The gate before every key that somebody gets: a password, a link for one, a personal token, the administrator's role.
 * What passes by it all the same is refused by the database (decision 0139).
 * @throws Problem unprocessable
 */
export function checkHoldsKeys({ isPlaceholder, bot }: Pick<User, "isPlaceholder" | "bot">): void {
  if (!isPlaceholder) return;
  throw new Problem(
    "unprocessable",
    bot === "application"
      ? "This account belongs to an application, which asks for its tokens itself (client_credentials). Nobody signs in as it, and it gets no other key."
      : "This user stands for somebody else: nobody signs in as it, and it gets no key.",
  );
}

/** First words of our own paths, which a user or a top-level group cannot be called. */
const RESERVED = new Set(
  "- admin api assets dashboard explore favicon.ico feed groups help invite oauth opsgenie openapi.json profile projects robots.txt search setup users v2 .well-known".split(
    " ",
  ),
);

/** What is wrong with a username or a path, in the words that follow the field's name; undefined when it is fine. */
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

/** Like `pathFault`, and refuses the words that our own addresses begin with. */
export function topLevelPathFault(path: string): string | undefined {
  return pathFault(path) ?? (RESERVED.has(path.toLowerCase()) ? "is a reserved name" : undefined);
}

/** What is wrong with a mail address, or undefined. */
export function emailFault(email: string): string | undefined {
  if (email === "") return "can't be blank";
  const isOne = email.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+$/.test(email) && !UNSEEN.test(email);
  return isOne ? undefined : "is invalid";
}

/** The picture of a user, which anyone may see. */
export function avatarUrl(userId: number, publicUrl: string): string {
  return `${publicUrl}/-/avatars/${userId}.svg`;
}
