/** Creates the user that represents an outside person or an application: it can be an author, but can never sign in. */
import type { Queries } from "../platform/db.ts";
import { newIdentifier } from "../platform/secret.ts";
import { insertUser } from "./store.ts";
import type { User } from "./user.ts";

/**
 * Returns the new user's id. The username begins with the outside login in lower case and ends in a random suffix, so that it
 * never takes the name of a person or group here.
 */
export function placeholderUser(
  tx: Queries,
  outside: { login: string; name: string; bot?: User["bot"] },
): Promise<number> {
  // Truncated first: names of forges have any length, and the search for trailing dots would be quadratic.
  const begin = outside.login
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, "-")
    .replace(/^[^a-z0-9_]+|[.-]+$/g, "")
    .slice(0, 200);
  const username = `${begin || "someone"}-${newIdentifier(8)}`;
  const name = outside.name
    .replace(/[\p{Cc}\p{Cs}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "")
    .trim();
  return insertUser(tx, {
    username,
    name: name.slice(0, 255) || username,
    email: `${username.slice(0, 200)}@placeholder.invalid`,
    passwordHash: null,
    isAdmin: false,
    isPlaceholder: true,
    bot: outside.bot ?? null,
    privateProfile: false,
  });
}
