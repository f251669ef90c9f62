/** Resolves alerts whose sender said how long they hold without a repeat, and then sent none (decision 0113). */
import type { Platform } from "../platform/platform.ts";
import { instantWords, resolveSilent } from "./resolve-silent.ts";
import { listUnheard, lookAtBeliefs, resolveUnheardAlerts } from "./store-unheard.ts";

/** One round over all projects; several processes may do it at a time. */
export async function resolveUnheard(platform: Platform): Promise<void> {
  await lookAtBeliefs(platform.db.pooled);
  const projectIds = (await listUnheard(platform.db.pooled)).map(({ projectId }) => projectId);
  await resolveSilent(platform, projectIds, {
    resolve: resolveUnheardAlerts,
    why: ({ lastSeenAt, believedUntil }) =>
      `not received since **${instantWords(lastSeenAt)}**; its sender said that it holds until **${instantWords(believedUntil)}**`,
    note: ({ iid }) => `closed this incident: alert #${iid} was not received again`,
  });
}
