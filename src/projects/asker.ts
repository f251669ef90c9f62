/** The user on whose behalf a project is looked up: that of a token, or the viewer of a page. */

/** The user of a token or the viewer of a page; undefined: nobody is signed in. */
export interface Asker {
  id: number;
  isAdmin: boolean;
  /** Whether they are about to change something: that is refused on what is archived or marked for deletion (decision 0153). */
  changes?: boolean;
}

/** The same person as a reader, who may see the result of a change even where no more changes are allowed. */
export function readerOf({ id, isAdmin }: Asker): Asker {
  return { id, isAdmin };
}
