/** The user in whose name alerts open and close incidents. */
import { ensureBot } from "../accounts/ensure-bot.ts";
import type { Platform } from "../platform/platform.ts";

const bots = new WeakMap<Platform, Promise<number>>();

/** The bot's user id, looked up once a process. */
export function alertBot(platform: Platform): Promise<number> {
  const known = bots.get(platform);
  if (known) return known;
  const found = ensureBot(platform, "alert-bot", "Alert Bot");
  bots.set(platform, found);
  // A database that was away must not be remembered as an answer.
  found.catch(() => bots.delete(platform));
  return found;
}
