/** Tells of the secret of an event source that was found where others can read it (decision 0208). */
import type { Leak } from "../accounts/leak.ts";
import type { Platform } from "../platform/platform.ts";
import { tellMaintainers } from "../projects/tell-maintainers.ts";
import { findLeakedSource } from "./store-sources.ts";

/** It counts on: what a forge tells while nobody takes it is told once, and lost. */
export async function tellLeakedSource({ db }: Platform, leak: Leak): Promise<void> {
  const source = leak.kind === "eventSourceSecret" ? await findLeakedSource(db, leak.digest) : undefined;
  if (source) await tellMaintainers(db, leak, source);
}
