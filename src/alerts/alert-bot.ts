/** The user in whose name alerts open and close incidents. */
import { ensureBot } from "../accounts/ensure-bot.ts";
import type { Platform } from "../platform/platform.ts";

const bots = new WeakMap<Platform, Promise<number>>();

/** Returns the bot's user id, which each process looks up once. */
export function alertBot(platform: Platform): Promise<number> {
  const known = bots.get(platform);
  if (known) return known;
  const found = ensureBot(platform, "alert-bot", "Alert Bot");
  bots.set(platform, found);
  // A failed lookup must not be cached.
  found.catch(() => bots.delete(platform));
  return found;
}
