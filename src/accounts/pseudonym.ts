/** The user who stands for people whose accounts are gone: it bears what they wrote and can never sign in. */
import type { Queries } from "../platform/db.ts";
import { findUserByName, insertUser, lockUsername } from "./store.ts";

/** The pseudonym of this username, made if there is none yet. */
export async function pseudonym(tx: Queries, username: string, name: string): Promise<number> {
  // Two who need it first would both make it.
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
