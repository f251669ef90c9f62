/** Finds several people by id or username, all of them or none. */
import type { Queries } from "../platform/db.ts";
import { userIdNamed } from "./user-id-named.ts";

/** Returns their ids without duplicates. @throws Problem not_found if one of them does not exist */
export async function peopleNamed(
  db: Queries,
  names: readonly string[],
  by: "id" | "username",
): Promise<number[]> {
  const ids = new Set<number>();
  for (const name of names) ids.add(await userIdNamed(db, name, by));
  return [...ids];
}
