/** Finds the user who becomes the author of imported lines that name none. */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import { findPerson } from "./store-people.ts";

/** By number or username. @throws Problem not_found */
export async function findImportAuthor(db: Queries, reference: string): Promise<number> {
  const person = await findPerson(db, reference);
  if (person) return person.id;
  throw new Problem("not_found", `There is no user ${reference}`);
}
