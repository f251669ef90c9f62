/** Finds the user whom a sender names as the author of an event. */
import type { Queries } from "../platform/db.ts";
import { type NamedAuthor, unknownAuthor } from "./draft.ts";
import { findPerson, findPersonByName } from "./store-people.ts";

/** The id of the person whom one of the members names. @throws Problem unprocessable: it names nobody */
export async function namedAuthor(db: Queries, named: NamedAuthor): Promise<number> {
  const { authorId, authorUsername } = named;
  const person =
    authorId === undefined
      ? await findPersonByName(db, authorUsername ?? "")
      : await findPerson(db, String(authorId));
  if (!person) throw unknownAuthor(named);
  return person.id;
}
