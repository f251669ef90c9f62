/** Finds the name of an application that is shown before people have signed in (ux §7, sign in). */
import type { Queries } from "../platform/db.ts";
import { shownName } from "./application.ts";
import { findApplicationByUid } from "./store.ts";

/**
 * Truncated, and without characters that could change the text around it (reference oauth D42); undefined: there is no such
 * application, or it registered itself, and its name is shown only beside its host (decision 0196).
 */
export async function findApplicationName(db: Queries, uid: string): Promise<string | undefined> {
  const application = await findApplicationByUid(db, uid);
  return application && !application.selfRegistered ? shownName(application.name) : undefined;
}
