/** The one gate for everybody who comes in: by password (pages, password grant) or by a passkey that stands alone. */
import type { Platform } from "../platform/platform.ts";
import { passwordMatches } from "./password.ts";
import { provePasskey } from "./prove-passkey.ts";
import { recordAudit } from "./record-audit.ts";
import { findCredentials, findUser } from "./store.ts";
import {
  deleteSignInFailures,
  findNetworkWait,
  findSignInWait,
  insertSignInFailure,
} from "./store-sessions.ts";
import type { User } from "./user.ts";

export type Authentication =
  | { user: User; refused?: never }
  /** The reason is for the log and the audit alone: outwardly all are one. `waitSeconds` may be shown. */
  | { user?: never; refused: Refusal; waitSeconds: number };

type Refusal = "unknown" | "password" | "blocked" | "throttled" | "two-factor" | "passkey";

/**
 * Judges a login (username or mail address) and password from a network address.
 * Two-factor is left to the caller: `user.twoFactor` tells whether a second step is owed.
 * @param options.passwordAlone no second step can follow (password grant): who owes one is refused, counted and timed
 *   like anybody with a wrong password, and waiting takes as long as hashing
 * @throws Problem too_many when too many passwords are being hashed at once
 */
export async function authenticate(
  platform: Platform,
  login: string,
  password: string,
  address: string,
  options: { passwordAlone?: boolean } = {},
): Promise<Authentication> {
  const { db } = platform;
  const network = networkOf(address);
  const [waitSeconds, credentials] = await Promise.all([
    findWait(platform, login, network),
    findCredentials(db, login),
  ]);
  if (waitSeconds > 0) {
    if (options.passwordAlone) await passwordMatches(null, password);
    return { refused: "throttled", waitSeconds };
  }
  const matches = await passwordMatches(credentials?.passwordHash ?? null, password);
  // Asked again, because of many tries at once all but a few have waited for their turn at the hash.
  const waitNow = await findWait(platform, login, network);
  if (waitNow > 0) return { refused: "throttled", waitSeconds: waitNow };
  const owesMore = options.passwordAlone === true && credentials?.twoFactor === true;
  if (!credentials || !matches || credentials.state === "blocked" || owesMore) {
    await insertSignInFailure(db, login, network);
    const refused = refusalOf(credentials, matches);
    // For the unknown too, so that all take the same time; what was typed may be a password, and is not kept.
    await recordAudit(db.pooled, {
      action: "password_refused",
      actorId: null,
      userId: credentials?.id ?? null,
      ip: address,
      details: { reason: refused },
    });
    return { refused, waitSeconds: await findWait(platform, login, network) };
  }
  if (!credentials.twoFactor) await deleteSignInFailures(db, login, network);
  const { passwordHash: _, ...user } = credentials;
  return { user };
}

/**
 * Judges a passkey in the place of name, password and second factor: it has verified its owner itself, and its own word
 * says whose it is. The person's state is asked last, as for passwords.
 * @param session the digest of the session in which the question was asked
 */
export async function authenticateByPasskey(
  platform: Platform,
  session: Buffer,
  answer: string,
  address: string,
): Promise<Authentication> {
  const { db, config } = platform;
  const network = networkOf(address);
  const waitSeconds = config.rateLimits ? await findNetworkWait(db, network) : 0;
  if (waitSeconds > 0) return { refused: "throttled", waitSeconds };
  const proof = await provePasskey(platform, { purpose: "sign_in", session, userId: null }, answer);
  const user = proof.refused ? undefined : await findUser(db, proof.userId);
  if (user?.state === "active" && !user.isPlaceholder) return { user };
  await insertSignInFailure(db, "a passkey", network);
  await recordAudit(db.pooled, {
    action: "passkey_refused",
    actorId: null,
    userId: proof.userId,
    ip: address,
    details: { reason: proof.refused ?? "blocked", for: "sign-in" },
  });
  return { refused: proof.refused ? "passkey" : "blocked", waitSeconds: 0 };
}

function refusalOf(credentials: User | undefined, matches: boolean): Refusal {
  if (!credentials) return "unknown";
  if (!matches) return "password";
  return credentials.state === "blocked" ? "blocked" : "two-factor";
}

async function findWait({ db, config }: Platform, login: string, network: string): Promise<number> {
  const waits = [findSignInWait(db, login, network), config.rateLimits ? findNetworkWait(db, network) : 0];
  return Math.max(...(await Promise.all(waits)));
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
