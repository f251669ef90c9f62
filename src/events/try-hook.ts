/** Sends a hook a test message, so that its receiver can be tried out. */
import { enqueue } from "../outbox/enqueue.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { labelsOf } from "./feed-hooks.ts";
import type { Hook } from "./hook.ts";

/** Returns the id of the delivery, which is sent like any other, even while the hook is disabled. */
export async function tryHook(platform: Platform, hook: Hook): Promise<number> {
  const body = {
    type: "event.test",
    timestamp: new Date().toISOString(),
    data: { hook_id: hook.id, project_id: hook.projectId },
  };
  const [id] = await enqueue(platform.db, [{ ...labelsOf(platform, hook), event: "event.test", body }]);
  if (id === undefined)
    throw new Problem("unavailable", "The message could not be enqueued. Try again shortly.");
  return id;
}
