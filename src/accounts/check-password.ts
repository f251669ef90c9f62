/** Checks the password again before an act that a stolen token or an unattended browser must not allow. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { authenticate } from "./authenticate.ts";

/**
 * Counted and throttled like a sign-in. Returns the hash that the password was compared with, so that the caller can tell whether
 * the password has changed since.
 * @throws Problem forbidden: wrong password; too_many: tried too often
 */
export async function checkPassword(
  platform: Platform,
  person: { id: number; username: string },
  { password, address }: { password: string; address: string },
): Promise<string> {
  const judged = await authenticate(platform, { login: person.username, password }, address);
  if (judged.user && judged.user.id === person.id && judged.passwordHash) return judged.passwordHash;
  const retryAfterSeconds = judged.user ? 0 : judged.waitSeconds;
  if (!judged.user && judged.refused === "throttled") {
    const text = `Too many wrong passwords. Try again in ${retryAfterSeconds} s.`;
    throw new Problem("too_many", text, { retryAfterSeconds });
  }
  throw wrongPassword();
}

/** The refusal of a password that is wrong, or was changed since it was compared. */
export function wrongPassword(): Problem {
  return new Problem("forbidden", "403 Forbidden - The password is not right.");
}
