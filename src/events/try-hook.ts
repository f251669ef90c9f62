/** Sends a hook a message that is about nothing, so that its receiver can be tried out. */
import { enqueue } from "../outbox/enqueue.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { labelsOf } from "./feed-hooks.ts";
import type { Hook } from "./hook.ts";

/** Answers the number of the delivery, which goes out like any other, also while the hook is off. */
export async function tryHook(platform: Platform, hook: Hook): Promise<number> {
  const body = {
    type: "event.test",
    timestamp: new Date().toISOString(),
    data: { hook_id: hook.id, project_id: hook.projectId },
  };
  const [id] = await enqueue(platform.db, [{ ...labelsOf(platform, hook), event: "event.test", body }]);
  if (id === undefined) throw new Problem("unavailable", "The message was not taken");
  return id;
}
