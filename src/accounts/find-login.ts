/** Finds the person of a login for diagnostics, without a password. */
import type { Queries } from "../platform/db.ts";
import { findCredentials } from "./store.ts";
import type { User } from "./user.ts";

/** Finds by username or mail address; undefined if nobody matches. Never returns the password hash. */
export async function findLogin(db: Queries, login: string): Promise<User | undefined> {
  const found = await findCredentials(db, login);
  if (!found) return undefined;
  const { passwordHash: _, ...user } = found;
  return user;
}
