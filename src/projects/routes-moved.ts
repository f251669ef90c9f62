/**
 * Redirects reads by an old path of a project or group to its new address; writes work by the old path directly (contract-events
 * §5).
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { anyCallerOf } from "../accounts/caller.ts";
import { movedNamespace } from "../accounts/moved-namespace.ts";
import { mayBePath } from "../accounts/namespace.ts";
import type { Platform } from "../platform/platform.ts";
import { findMovedProject, findVisibleProject } from "./store.ts";
import { findVisibleGroup } from "./store-groups.ts";

/** Applies to the routes `/projects/:id…` and `/groups/:id…` that are registered after it. */
export function redirectsMoved(app: FastifyInstance, { db, config }: Platform): void {
  app.addHook("preHandler", async (request, reply) => {
    const [root, path] = oldPathOf(request);
    if (path === undefined) return;
    const asker = anyCallerOf(request);
    // The new address is only told to those who may see it; others get the usual 404.
    let seen: { id: number; fullPath: string } | undefined;
    if (root === "groups") {
      const moved = await movedNamespace(db, path);
      seen = moved?.kind === "group" ? await findVisibleGroup(db, asker, String(moved.id)) : undefined;
    } else {
      const id = await findMovedProject(db, path);
      seen = id === undefined ? undefined : await findVisibleProject(db, asker, String(id));
    }
    if (!seen) return;
    const place = request.url.replace(/(\/(?:projects|groups)\/)[^/?]+/, `$1${seen.id}`);
    return reply
      .code(301)
      .header("location", place)
      .send({
        message: `This resource has been moved permanently to ${config.publicUrl}${place.split("?")[0]}`,
      });
  });
}

/** The old path in a read of a project or group; undefined for a number and for other requests. */
function oldPathOf(request: FastifyRequest): ["projects" | "groups" | undefined, string | undefined] {
  if (request.method !== "GET" && request.method !== "HEAD") return [undefined, undefined];
  const [, root] = /^\/api\/v4\/(projects|groups)\/:/.exec(request.routeOptions.url ?? "") ?? [];
  if (root !== "projects" && root !== "groups") return [undefined, undefined];
  const { id, project_id } = request.params as Record<string, string | undefined>;
  const reference = id ?? project_id;
  const isPath = root === "groups" ? !/^\d+$/.test(reference ?? "") : reference?.includes("/");
  const fits = isPath && reference !== undefined && mayBePath(reference);
  return [root, fits ? reference : undefined];
}
