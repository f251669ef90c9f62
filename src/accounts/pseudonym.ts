/** The user that represents people whose accounts were removed: the author of what they wrote, who can never sign in. */
import type { Queries } from "../platform/db.ts";
import { findUserByName, insertUser, lockUsername } from "./store.ts";

/** Returns the pseudonym of this username, and creates it if there is none. */
export async function pseudonym(tx: Queries, username: string, name: string): Promise<number> {
  // Prevents two transactions from creating it at once.
  await lockUsername(tx, username);
  const known = await findUserByName(tx, username);
  if (known) return known.id;
  return insertUser(tx, {
    username,
    name,
    email: `${username}@placeholder.invalid`,
    passwordHash: null,
    isAdmin: false,
    isPlaceholder: true,
    privateProfile: false,
  });
}
