/** Notifies Maintainers of an authorization key that was found where others can read it (decision 0208). */
import type { Leak } from "../accounts/leak.ts";
import type { Platform } from "../platform/platform.ts";
import { tellMaintainers } from "../projects/tell-maintainers.ts";
import { findLeakedKey } from "./store-leaks.ts";

/** The key stays valid: losing alerts would be worse than receiving some that nobody should have sent. */
export async function tellLeakedKey({ db }: Platform, leak: Leak): Promise<void> {
  const key = leak.kind === "authorizationKey" ? await findLeakedKey(db, leak.digest) : undefined;
  if (key) await tellMaintainers(db, leak, key);
}
