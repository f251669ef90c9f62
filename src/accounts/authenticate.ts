/** The one gate for every password: pages, password grant and whatever comes; same words and same time for each refusal. */
import type { Platform } from "../platform/platform.ts";
import { passwordMatches } from "./password.ts";
import { findCredentials } from "./store.ts";
import { deleteSignInFailures, findSignInWait, insertSignInFailure } from "./store-sessions.ts";
import type { User } from "./user.ts";

export type Authentication =
  | { user: User; refused?: never }
  /** The reason is for the log and the audit alone: outwardly all are one. `waitSeconds` may be shown. */
  | { user?: never; refused: "unknown" | "password" | "blocked" | "throttled"; waitSeconds: number };

/**
 * Judges a login (username or mail address) and password from a network address.
 * Two-factor is left to the caller: `user.twoFactor` tells whether a second step is owed.
 * @throws Problem too_many when too many passwords are being hashed at once
 */
export async function authenticate(
  platform: Platform,
  login: string,
  password: string,
  address: string,
): Promise<Authentication> {
  const { db } = platform;
  const network = networkOf(address);
  const [waitSeconds, credentials] = await Promise.all([
    findSignInWait(db, login, network),
    findCredentials(db, login),
  ]);
  if (waitSeconds > 0) return { refused: "throttled", waitSeconds };
  const matches = await passwordMatches(credentials?.passwordHash ?? null, password);
  if (!credentials || !matches) {
    await insertSignInFailure(db, login, network);
    const next = await findSignInWait(db, login, network);
    return { refused: credentials ? "password" : "unknown", waitSeconds: next };
  }
  if (credentials.state === "blocked") return { refused: "blocked", waitSeconds: 0 };
  if (credentials.twoFactor === false) await deleteSignInFailures(db, login, network);
  const { passwordHash: _, ...user } = credentials;
  return { user };
}

/** The /24 or /64 of an address: one guesser's network, not one host of it. */
export function networkOf(address: string): string {
  const v4 = /(\d+\.\d+\.\d+)\.\d+$/.exec(address);
  if (v4) return `${v4[1]}.0/24`;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  if (tail !== undefined) while (groups.length < 4) groups.push("0");
  return `${groups.slice(0, 4).join(":")}::/64`;
}
