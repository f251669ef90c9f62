/**
 * Finds the person whose events a caller asks for; a private profile looks like one without events (contract-events §4, users).
 */
import { movedNamespace } from "../accounts/moved-namespace.ts";
import type { Db, Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import type { Asker } from "../projects/asker.ts";
import { findPerson, findProfile, type Person, type Profile } from "./store-people.ts";
import type { Subject } from "./subject.ts";

/** The person by id or username; undefined when the asker may see nothing of them. @throws Problem not_found */
export async function visiblePerson(
  db: Db,
  asker: Asker | undefined,
  reference: string,
): Promise<Extract<Subject, { kind: "author" }> | undefined> {
  const person = await findPerson(db, reference);
  if (!person) throw new Problem("not_found", "404 User Not Found");
  return isHiddenFrom(person, asker) ? undefined : { kind: "author", authorId: person.id };
}

/** The person who had this name before, if the asker may see them (decision 0122). */
export async function renamedProfile(
  db: Queries,
  asker: Asker | undefined,
  name: string,
): Promise<Profile | undefined> {
  const moved = await movedNamespace(db, name);
  const person = moved?.kind === "user" ? await findProfile(db, moved.fullPath) : undefined;
  return person && !isHiddenFrom(person, asker) ? person : undefined;
}

export function isHiddenFrom(person: Person, asker: Asker | undefined): boolean {
  return person.privateProfile && person.id !== asker?.id && !asker?.isAdmin;
}
