/** Finds or makes the account for which an application acts that belongs to no person (decision 0125). */
import { placeholderUser } from "../accounts/placeholder-user.ts";
import type { Db } from "../platform/db.ts";
import { type Application, shownName } from "./application.ts";
import { findAccount, lockAccount, updateAccount } from "./store-account.ts";

/**
 * Nobody can sign in as it; it may be added to projects and groups, and blocked, like a person. Of several first
 * requests at once one makes it.
 * @returns its user's id, or undefined when the application is gone
 */
export async function ensureAccount(db: Db, application: Application): Promise<number | undefined> {
  const known = await findAccount(db, application.id);
  if (known?.accountId != null) return known.accountId;
  return db.transaction(async (tx) => {
    const locked = await lockAccount(tx, application.id);
    if (!locked || locked.accountId !== null) return locked?.accountId ?? undefined;
    const name = shownName(application.name);
    const made = await placeholderUser(tx, { login: name, name, bot: "application" });
    await updateAccount(tx, application.id, made);
    return made;
  });
}
