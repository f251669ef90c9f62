/** Finds what people may read of an application before they have signed in (ux §7, sign in). */
import type { Queries } from "../platform/db.ts";
import { shownName } from "./application.ts";
import { findApplicationByUid } from "./store.ts";

/**
 * Cut, and without what could turn the words around it (reference oauth D42); undefined: there is no such application, or it
 * registered itself, and its name is shown beside its host alone (decision 0196).
 */
export async function findApplicationName(db: Queries, uid: string): Promise<string | undefined> {
  const application = await findApplicationByUid(db, uid);
  return application && !application.selfRegistered ? shownName(application.name) : undefined;
}
