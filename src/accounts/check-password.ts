/** Checks the password again before an act that a stolen token or an unattended browser must not allow. */
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { authenticate } from "./authenticate.ts";

/**
 * Counted and throttled like a sign-in.
 * @throws Problem forbidden: wrong password; too_many: tried too often
 */
export async function checkPassword(
  platform: Platform,
  person: { id: number; username: string },
  { password, address }: { password: string; address: string },
): Promise<void> {
  const judged = await authenticate(platform, { login: person.username, password }, address);
  if (judged.user?.id === person.id) return;
  const retryAfterSeconds = judged.user ? 0 : judged.waitSeconds;
  if (!judged.user && judged.refused === "throttled") {
    const text = `Too many wrong passwords. Try again in ${retryAfterSeconds} s.`;
    throw new Problem("too_many", text, { retryAfterSeconds });
  }
  throw new Problem("forbidden", "403 Forbidden - The password is not right.");
}
