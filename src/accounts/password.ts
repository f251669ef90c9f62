/** Password rules, and Argon2id hashing with limited concurrency, so that sign-ins never take both cores. */
import { randomBytes, randomInt } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { countUp } from "../platform/metrics.ts";
import { lowerPoolPriority } from "../platform/pool-priority.ts";
import { FieldProblem, Problem } from "../platform/problem.ts";
import { isCommonPassword } from "./common-passwords.ts";

// 19 MiB, two passes, one lane: the OWASP minimum for Argon2id.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** How many hashes of this cost may run at once; cheaper ones count for less. */
const RUNNING = 2;
const WAITING = 50;

/** Returns what is wrong with a new password, or undefined (contract §4: 12 to 1,024 bytes, no common ones). */
export function passwordFault(password: string): string | undefined {
  const bytes = Buffer.byteLength(password);
  if (bytes < 12) return "is too short (minimum is 12 characters)";
  if (bytes > 1024) return "is too long (maximum is 1024 bytes)";
  if (isCommonPassword(password)) return "is among the most common passwords";
  return undefined;
}

/** Returns a password that nobody knows, for an account whose owner will set one. */
export function randomPassword(): string {
  return randomBytes(32).toString("base64url");
}

const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

/**
 * Returns a password to read out or copy by hand: 20 letters and digits that are hard to confuse (99 bits), in groups of five.
 */
export function readablePassword(): string {
  const group = () => Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return Array.from({ length: 4 }, group).join("-");
}

/** Returns the address of a one-time link for a new password. */
export function passwordLinkAddress(publicUrl: string, secret: string): string {
  return `${publicUrl}/users/password/edit?reset_password_token=${secret}`;
}

/** Checks a new password. @throws FieldProblem if it is not allowed */
export function checkNewPassword(password: string): void {
  const fault = passwordFault(password);
  if (fault) throw new FieldProblem({ password: [fault] });
}

/** Returns the Argon2id hash in PHC format. @throws Problem too_many when too many hashes wait already */
export function hashPassword(password: string): Promise<string> {
  return gated(1, () => hash(composed(password), COST));
}

// A hash that no password matches, so that unknown users take the same time.
const NOBODY =
  "$argon2id$v=19$m=19456,t=2,p=1$Z2F0ZWhvdXNlLW5vYm9keQ$MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY";

/**
 * Whether the password matches the hash; null (no such user, or one without a password) takes the same time.
 * @throws Problem too_many when too many hashes wait already
 */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  // Refused without hashing: no password is that long.
  if (Buffer.byteLength(password) > 1024) return false;
  const known = stored ?? NOBODY;
  const matches = await gated(shareOf(known), () => verify(known, composed(password)));
  return matches && stored !== null;
}

// Keyboards and systems compose letters with marks differently (RFC 8265 §4.2.2).
const composed = (password: string) => password.normalize("NFC");

/** Returns the cost of a stored hash (memory times passes), relative to that of a new one. */
function shareOf(stored: string): number {
  const [, memory, passes] = /\$m=(\d+),t=(\d+),/.exec(stored) ?? [];
  return memory && passes ? (Number(memory) * Number(passes)) / (COST.memoryCost * COST.timeCost) : 1;
}

let running = 0;
let hasLowPriority = false;
const queue: { share: number; start: () => void }[] = [];

const fits = (share: number) => running === 0 || running + share <= RUNNING;

async function gated<T>(share: number, work: () => Promise<T>): Promise<T> {
  if (queue.length > 0 || !fits(share)) {
    if (queue.length >= WAITING) {
      throw new Problem("too_many", "Too many sign-ins at once. Try again shortly.", {
        retryAfterSeconds: 2,
      });
    }
    await new Promise<void>((start) => queue.push({ share, start }));
  } else {
    running += share;
  }
  try {
    countUp("gatehouse_password_hashes_total");
    const done = await work();
    if (!hasLowPriority) lowerPoolPriority();
    hasLowPriority = true;
    return done;
  } finally {
    running -= share;
    // Sums of fractions are not exact.
    if (running < 1e-6) running = 0;
    for (let next = queue[0]; next && fits(next.share); next = queue[0]) {
      queue.shift();
      running += next.share;
      next.start();
    }
  }
}
