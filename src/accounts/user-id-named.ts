/** Finds one person by id or username. */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { findUserByName } from "./store.ts";
import { findUserByReference } from "./store-users.ts";

/** Returns the id of the person. @throws Problem not_found */
export async function userIdNamed(db: Queries, name: string, by: "id" | "username"): Promise<number> {
  const user = by === "id" ? await findUserByReference(db, name) : await findUserByName(db, name.trim());
  if (!user) throw new Problem("not_found", "404 User Not Found");
  return user.id;
}
