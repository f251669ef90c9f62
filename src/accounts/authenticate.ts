/** Authenticates people: by password (pages, password grant) or by a passkey alone. */
import type { Platform } from "../platform/platform.ts";
import { partyOf } from "../platform/rate-limit.ts";
import { passwordMatches } from "./password.ts";
import { provePasskey } from "./prove-passkey.ts";
import { recordAudit } from "./record-audit.ts";
import type { Method } from "./session.ts";
import { findUser } from "./store.ts";
import {
  type Attempt,
  findAttempt,
  findStanding,
  type Granting,
  insertFailure,
  settleAttempt,
} from "./store-attempts.ts";
import { findNetworkWait, insertSignInFailure } from "./store-sign-in-failures.ts";
import type { User } from "./user.ts";

/** The person who was authenticated, or why nobody was. */
export type Authentication =
  | {
      user: Pick<User, "id" | "username" | "twoFactor">;
      /** The hash that the password was compared with; absent for a passkey. Never leaves this room. */
      passwordHash?: string;
      /** When what `granting` describes was granted; null: it was refused for a reason of its own. */
      grantedAt?: Date | null;
      by: readonly Method[];
      refused?: never;
    }
  /** The reason is for the log and the audit log only: outwardly all are the same. The other members may be shown. */
  | { user?: never; refused: Refusal; waitSeconds: number; triesLeft?: number };

type Refusal = "unknown" | "password" | "blocked" | "throttled" | "two-factor" | "administrator" | "passkey";

/**
 * Checks a login (username or mail address) and password from a network address. Two-factor is left to the caller:
 * `user.twoFactor` says whether a second step is required.
 * @param options.passwordAlone no second step is possible (password grant): people who need one are refused, counted and timed
 * like those with a wrong password, and a throttled attempt costs one hash and the statements of a refusal too
 * @param options.refusesAdministrators refuses administrators in the same way (password grant of an application that must not act
 * for them)
 * @param options.granting what the accepting statement grants as well (`settleAttempt`); prepared while the person is looked up,
 * and refused before a password is hashed if it is not allowed
 * @throws Problem too_many when too many passwords are being hashed at once
 */
export async function authenticate(
  platform: Platform,
  { login, password }: { login: string; password: string },
  address: string,
  options: {
    passwordAlone?: boolean;
    refusesAdministrators?: Promise<boolean>;
    granting?: Promise<Granting>;
  } = {},
): Promise<Authentication> {
  const { db, config } = platform;
  const attempt: Attempt = { login, network: networkOf(address), countsNetwork: config.rateLimits };
  const [found, granting, refusesAdministrators = false] = await Promise.all([
    findAttempt(db, attempt),
    options.granting,
    options.refusesAdministrators,
  ]);
  const waitSeconds = found?.waitSeconds ?? 0;
  const waits = waitSeconds > 0;
  if (waits && !options.passwordAlone) return { refused: "throttled", waitSeconds };
  const matches = await passwordMatches(waits ? null : (found?.passwordHash ?? null), password);
  const refused = waits
    ? "throttled"
    : refusalOf(found, matches, { passwordAlone: options.passwordAlone === true, refusesAdministrators });
  if (refused) return refuse(platform, attempt, { refused, userId: found?.id ?? null, address });
  const { id, username, twoFactor, passwordHash } = found as Known;
  // The throttle is checked again, because concurrent attempts queue for the hash after the first check.
  const settlement = { ...attempt, userId: id, passwordHash, owesMore: twoFactor };
  const settled = await settleAttempt(db.pooled, settlement, granting);
  if (settled.waitSeconds > 0) return { refused: "throttled", waitSeconds: settled.waitSeconds };
  if (!settled.accepted) return { refused: "blocked", waitSeconds: 0 };
  return { user: { id, username, twoFactor }, passwordHash, by: ["pwd"], grantedAt: settled.grantedAt };
}

type Known = Pick<User, "id" | "username" | "twoFactor"> & { passwordHash: string };
type FoundAttempt = { [K in "id" | "state" | "twoFactor" | "isAdmin"]: User[K] | null };

function refusalOf(
  found: FoundAttempt | undefined,
  matches: boolean,
  { passwordAlone, refusesAdministrators }: { passwordAlone: boolean; refusesAdministrators: boolean },
): Refusal | undefined {
  if (!found || found.id === null) return "unknown";
  if (!matches) return "password";
  if (found.state === "blocked") return "blocked";
  if (passwordAlone && found.twoFactor) return "two-factor";
  return refusesAdministrators && found.isAdmin ? "administrator" : undefined;
}

/** Runs the same statements for every reason, so that timing does not reveal it. */
async function refuse(
  { db }: Platform,
  attempt: Attempt,
  { refused, userId, address }: { refused: Refusal; userId: number | null; address: string },
): Promise<Authentication> {
  // Checks the throttle again, because concurrent attempts queue for the hash after the first check.
  const isCounted = (await insertFailure(db, attempt, refused !== "throttled")) > 0;
  // Also for unknown logins, so that all take the same time. The login is not stored: it may be a mistyped password.
  const note = { actorId: null, userId, ip: address, details: { reason: refused } };
  await recordAudit(db.pooled, { action: "password_refused", ...note }, isCounted);
  return { refused: isCounted ? refused : "throttled", ...(await findStanding(db, attempt)) };
}

/**
 * Checks a passkey used instead of name, password and second factor: it has verified its owner itself, and names the account. The
 * account's state is checked last, as for passwords.
 * @param given.session the digest of the session in which the challenge was issued
 */
export async function authenticateByPasskey(
  platform: Platform,
  given: { session: Buffer; answer: string },
  address: string,
): Promise<Authentication> {
  const { db, config } = platform;
  const network = networkOf(address);
  const waitSeconds = config.rateLimits ? await findNetworkWait(db, network) : 0;
  if (waitSeconds > 0) return { refused: "throttled", waitSeconds };
  const question = { purpose: "sign_in", session: given.session, userId: null } as const;
  const proof = await provePasskey(platform, question, given.answer);
  if (!proof.refused) {
    const user = await findUser(db, proof.userId);
    if (user?.state === "active" && !user.isPlaceholder) return { user, by: [proof.method] };
  }
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

/** Returns the /24 or /64 of an address: an attacker's network rather than one host. */
export function networkOf(address: string): string {
  const party = partyOf(address);
  return party.includes(":") ? party : party.replace(/\d+$/, "0/24");
}
