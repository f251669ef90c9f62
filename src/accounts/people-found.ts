/** Searches people (decision 0192). */
import type { Queries } from "../platform/db.ts";
import { countUsers, listUsers, type UserFilter } from "./store-users.ts";
import type { User } from "./user.ts";

/** The person who searches. */
export interface Seeker {
  id: number;
  isAdmin: boolean;
}

export interface PeoplePage {
  limit: number;
  offset: number;
  /** Undefined: newest first. */
  ascending?: boolean;
  /** Puts a person whose username equals the words first. */
  exactFirst?: boolean;
}

/** Finds people by the words in their name or username, or by a mail address that the seeker may see; reads all users. */
export function peopleFound(
  db: Queries,
  seeker: Seeker,
  words: string,
  { limit, offset, ascending = false, exactFirst = false }: PeoplePage,
): Promise<User[]> {
  return listUsers(db, { ...filterOf(seeker, words), ascending, exactFirst }, { limit, offset });
}

/** Returns their number. */
export function countPeopleFound(db: Queries, seeker: Seeker, words: string): Promise<number> {
  return countUsers(db, filterOf(seeker, words));
}

/** Administrators find everybody, as on their own pages. */
function filterOf({ id, isAdmin }: Seeker, search: string): UserFilter {
  return { search, byEmail: isAdmin, notService: true, foundBy: isAdmin ? undefined : id };
}
