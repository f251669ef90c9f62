/** Finds the people to whom the alerts of a project can be assigned. */
import type { Queries } from "../platform/db.ts";
import { countPossibleAssignees, listPossibleAssignees } from "./store.ts";

/** As many as a choice on a page can hold. */
const MAX_LISTED = 200;

export interface PeopleToAssign {
  /** The first ones by name. */
  people: readonly { id: number; name: string }[];
  /** How many there are. */
  peopleTotal: number;
}

export async function findPeopleToAssign(db: Queries, projectId: number): Promise<PeopleToAssign> {
  const people = await listPossibleAssignees(db, projectId, MAX_LISTED);
  const areAll = people.length < MAX_LISTED;
  return { people, peopleTotal: areAll ? people.length : await countPossibleAssignees(db, projectId) };
}
