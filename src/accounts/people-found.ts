/** The people whom somebody finds by a search (decision 0192). */
import type { Queries } from "../platform/db.ts";
import { countUsers, listUsers, type UserFilter } from "./store-users.ts";
import type { User } from "./user.ts";

/** Whoever searches. */
export interface Seeker {
  id: number;
  isAdmin: boolean;
}

export interface PeoplePage {
  limit: number;
  offset: number;
  /** Undefined: the newest first. */
  ascending?: boolean;
  /** Whoever has the words as username before all others. */
  exactFirst?: boolean;
}

/** Those with the words in their name or username, or as a mail address that the seeker may see; reads all users. */
export function peopleFound(
  db: Queries,
  seeker: Seeker,
  words: string,
  { limit, offset, ascending = false, exactFirst = false }: PeoplePage,
): Promise<User[]> {
  return listUsers(db, { ...filterOf(seeker, words), ascending, exactFirst }, { limit, offset });
}

/** How many there are. */
export function countPeopleFound(db: Queries, seeker: Seeker, words: string): Promise<number> {
  return countUsers(db, filterOf(seeker, words));
}

/** Administrators find everybody, as on their own pages. */
function filterOf({ id, isAdmin }: Seeker, search: string): UserFilter {
  return { search, byEmail: isAdmin, notService: true, foundBy: isAdmin ? undefined : id };
}
