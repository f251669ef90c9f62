/** Sends a hook a test message, so that its receiver can be tried out. */
import { enqueue } from "../outbox/enqueue.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { labelsOf } from "./feed-hooks.ts";
import type { Hook } from "./hook.ts";
import { holdHook } from "./store-hooks.ts";

/**
 * Returns the id of the delivery, which is sent like any other, even while the hook is disabled.
 * @throws Problem not_found: it was deleted meanwhile
 */
export async function tryHook(platform: Platform, hook: Hook): Promise<number> {
  const body = {
    type: "event.test",
    timestamp: new Date().toISOString(),
    data: { hook_id: hook.id, project_id: hook.projectId },
  };
  const [id] = await platform.db.transaction(async (tx) => {
    const held = await holdHook(tx, hook.id);
    if (!held) throw new Problem("not_found", "404 Hook Not Found");
    return enqueue(tx, [{ ...labelsOf(platform, held), event: "event.test", body }]);
  });
  if (id === undefined)
    throw new Problem("unavailable", "The message could not be enqueued. Try again shortly.");
  return id;
}
