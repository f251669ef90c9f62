/** Sends a delivery of a hook again. */
import { resend } from "../outbox/resend.ts";
import type { Platform } from "../platform/platform.ts";
import { labelsOf } from "./feed-hooks.ts";
import { type Hook, purposeOf } from "./hook.ts";
import { holdHook } from "./store-hooks.ts";

/** To the present address, signed with the present secret. False: the hook or its delivery is gone. */
export function sendAgain(platform: Platform, { id, projectId }: Hook, deliveryId: number): Promise<boolean> {
  return platform.db.transaction(async (tx) => {
    const hook = await holdHook(tx, id);
    return (
      hook !== undefined &&
      resend(tx, deliveryId, { projectId, purpose: purposeOf(hook) }, labelsOf(platform, hook))
    );
  });
}
