/** The user on whose behalf a project is looked up: that of a token, or the viewer of a page. */
import type { Act } from "../accounts/audit.ts";
import type { SignedIn } from "../accounts/session.ts";

/** The user of a token or the viewer of a page; undefined: nobody is signed in. */
export interface Asker {
  id: number;
  isAdmin: boolean;
  /** Whether they are about to change something: that is refused on what is archived or marked for deletion (decision 0153). */
  changes?: boolean;
}

type Viewer = Pick<SignedIn, "userId" | "isAdmin">;

/** The viewer of a page as the access rules take them; undefined: nobody is signed in. */
export function askerOf(viewer: Viewer): Asker;
export function askerOf(viewer: Viewer | undefined): Asker | undefined;
export function askerOf(viewer: Viewer | undefined): Asker | undefined {
  return viewer && { id: viewer.userId, isAdmin: viewer.isAdmin };
}

/** The asker of a page as the actor for the audit log. */
export function actOfAsker({ id: actorId }: Asker, { ip }: { ip: string }): Act {
  return { actorId, ip };
}

/** The same person as a reader, who may see the result of a change even where no more changes are allowed. */
export function readerOf({ id, isAdmin }: Asker): Asker {
  return { id, isAdmin };
}
