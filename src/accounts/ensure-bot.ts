/** Finds or creates a user as whom the service itself acts; nobody can sign in as one. */
import { violatedConstraint } from "../platform/db-errors.ts";
import type { Platform } from "../platform/platform.ts";
import { findUserByName, insertUser } from "./store.ts";

/** Returns the id of the bot with this username; if a person has it, the bot's name gets a number appended. */
export async function ensureBot({ db }: Platform, username: string, name: string): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    const candidate = attempt === 0 ? username : `${username}${attempt}`;
    const known = await findUserByName(db, candidate);
    if (known?.isPlaceholder) return known.id;
    if (known) continue;
    try {
      return await insertUser(db, {
        username: candidate,
        name,
        email: `${candidate}@noreply.invalid`,
        passwordHash: null,
        isAdmin: false,
        isPlaceholder: true,
        bot: "service",
        privateProfile: false,
      });
    } catch (error) {
      // Another process was faster, or a group has the name.
      if (!violatedConstraint(error) || attempt > 20) throw error;
      const made = await findUserByName(db, candidate);
      if (made?.isPlaceholder) return made.id;
    }
  }
}
