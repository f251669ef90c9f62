/** Finds or creates the account for which an application acts that belongs to no person (decision 0125). */
import { placeholderUser } from "../accounts/placeholder-user.ts";
import type { Db } from "../platform/db.ts";
import { type Application, shownName } from "./application.ts";
import {
  findAccountOfApplication,
  lockAccountOfApplication,
  updateAccountOfApplication,
} from "./store-account.ts";

/**
 * Nobody can sign in as this account; like a person it may be added to projects and groups, and blocked. Of several concurrent
 * first requests only one creates it.
 * @returns its user id, or undefined if the application was deleted
 */
export async function ensureAccount(db: Db, application: Application): Promise<number | undefined> {
  const known = await findAccountOfApplication(db, application.id);
  if (known?.accountId != null) return known.accountId;
  return db.transaction(async (tx) => {
    const locked = await lockAccountOfApplication(tx, application.id);
    if (!locked || locked.accountId !== null) return locked?.accountId ?? undefined;
    const name = shownName(application.name);
    const made = await placeholderUser(tx, { login: name, name, bot: "application" });
    await updateAccountOfApplication(tx, application.id, made);
    return made;
  });
}
