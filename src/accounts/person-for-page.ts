/** Finds the person of an administrators' page address. */
import { idIn } from "../platform/number-in.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { findUser } from "./store.ts";
import type { User } from "./user.ts";

/** @throws Problem not_found: no such person, or one who can never sign in */
export async function personForPage({ db }: Platform, id: string): Promise<User> {
  const user = await findUser(db, idIn(id));
  if (!user || user.isPlaceholder) throw new Problem("not_found", "404 Not Found");
  return user;
}
