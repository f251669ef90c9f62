/** Links the account of an application to the application, for people who manage it. */
import type { Queries } from "../platform/db.ts";
import { findApplicationOfAccount } from "./store-bots.ts";

/** Returns its current name and its page; undefined if it is deleted or the person does not manage it (decision 0139). */
export async function applicationOfAccount(
  db: Queries,
  accountId: number,
  asker: { id: number; isAdmin: boolean } | undefined,
): Promise<{ name: string; href: string } | undefined> {
  const found = asker && (await findApplicationOfAccount(db, accountId, asker));
  if (!found) return undefined;
  const path = encodeURIComponent(found.ownerGroupPath ?? "");
  const home = asker.isAdmin ? "/admin/applications" : `/groups/${path}/-/settings/applications`;
  return { name: found.name, href: `${home}/${found.id}` };
}
