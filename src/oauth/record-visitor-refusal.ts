/** Records a refusal of what a browser requested, and names the person to an application that knows them only (decision 0149). */
import type { Platform } from "../platform/platform.ts";
import type { Refusal } from "./application-event.ts";
import { explainInBackground, recordRefusal } from "./record-refusal.ts";
import { isAcquainted } from "./store-facts.ts";

/**
 * Returns at once. Anybody may register an application and lead people to its refusals by a link, so that the person who is
 * signed in is recorded only if they own the application or have authorized it before.
 */
export function recordVisitorRefusal(platform: Platform, refusal: Refusal): void {
  const { applicationId, network, userId } = refusal;
  if (userId === null) {
    recordRefusal(platform, refusal);
    return;
  }
  explainInBackground(platform, network, async () => {
    const isKnown = await isAcquainted(platform.db.pooled, applicationId, userId);
    recordRefusal(platform, { ...refusal, userId: isKnown ? userId : null });
  });
}
