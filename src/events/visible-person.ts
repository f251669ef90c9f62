/** Whose events a caller means; a private profile looks like one without events (contract-events §4, users). */
import type { Db } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Asker } from "../projects/asker.ts";
import { findPerson } from "./store-people.ts";

/** The person by id or username; undefined when nothing of them is shown to the asker. @throws Problem not_found */
export async function visiblePerson(
  db: Db,
  asker: Asker | undefined,
  reference: string,
): Promise<{ authorId: number } | undefined> {
  const person = await findPerson(db, reference);
  if (!person) throw new Problem("not_found", "404 User Not Found");
  const hidden = person.privateProfile && person.id !== asker?.id && !asker?.isAdmin;
  return hidden ? undefined : { authorId: person.id };
}
