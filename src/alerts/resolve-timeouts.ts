/** Resolves alerts that were not reported for as long as their project allows (decision 0116). */
import type { Platform } from "../platform/platform.ts";
import { instantWords, resolveSilent } from "./resolve-silent.ts";
import { listTimedOut, lookAtTimeouts, resolveTimedOut } from "./store-timeouts.ts";

/** One round over all projects; several processes may do it at a time. */
export async function resolveTimeouts(platform: Platform): Promise<void> {
  await lookAtTimeouts(platform.db);
  await resolveSilent(platform, await listTimedOut(platform.db.pooled), {
    resolve: resolveTimedOut,
    why: ({ lastSeenAt, hours }) =>
      `nothing was received since **${instantWords(lastSeenAt)}**; this project resolves alerts after **${hours} h** without a delivery`,
    note: () => "closed this incident: its alert was not received again",
  });
}
