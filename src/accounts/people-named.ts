/** Finds several people by id or username, all of them or none. */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { findUserByName } from "./store.ts";
import { findUserByReference } from "./store-users.ts";

/** Returns their ids without duplicates. @throws Problem not_found if one of them does not exist */
export async function peopleNamed(
  db: Queries,
  names: readonly string[],
  by: "id" | "username",
): Promise<number[]> {
  const ids = new Set<number>();
  for (const name of names) {
    const user = by === "id" ? await findUserByReference(db, name) : await findUserByName(db, name.trim());
    if (!user) throw new Problem("not_found", "404 User Not Found");
    ids.add(user.id);
  }
  return [...ids];
}
