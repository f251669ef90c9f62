/** Whom a login names, for diagnoses; no password is judged. */
import type { Queries } from "../platform/db.ts";
import { findCredentials } from "./store.ts";
import type { User } from "./user.ts";

/** By username or mail address; undefined for nobody. Never the password hash. */
export async function findLogin(db: Queries, login: string): Promise<User | undefined> {
  const found = await findCredentials(db, login);
  if (!found) return undefined;
  const { passwordHash: _, ...user } = found;
  return user;
}
