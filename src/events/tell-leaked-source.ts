/** Notifies the maintainers of an event source whose secret was found where others can read it (decision 0208). */
import type { Leak } from "../accounts/leak.ts";
import type { Platform } from "../platform/platform.ts";
import { tellMaintainers } from "../projects/tell-maintainers.ts";
import { findLeakedSource } from "./store-sources.ts";

/** The secret stays valid: a forge delivers each event once, and what nobody accepts is lost. */
export async function tellLeakedSource({ db }: Platform, leak: Leak): Promise<void> {
  const source = leak.kind === "eventSourceSecret" ? await findLeakedSource(db, leak.digest) : undefined;
  if (source) await tellMaintainers(db, leak, source);
}
