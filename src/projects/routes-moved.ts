/** Leads reads by a project's old path to its new address; writes go through without a detour (contract-events §5). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { anyCallerOf } from "../accounts/caller.ts";
import type { Platform } from "../platform/platform.ts";
import { findMovedProject, findVisibleProject } from "./store.ts";

/** Watches the routes `/projects/:id…` that are registered after it. */
export function redirectsMoved(app: FastifyInstance, { db, config }: Platform): void {
  app.addHook("preHandler", async (request, reply) => {
    const path = oldPathOf(request);
    if (path === undefined) return;
    const id = await findMovedProject(db, path);
    // Where it moved to is told to whoever may see it; others meet the same 404 as ever.
    if (id === undefined || !(await findVisibleProject(db, anyCallerOf(request), String(id)))) return;
    const place = request.url.replace(/(\/projects\/)[^/?]+/, `$1${id}`);
    return reply
      .code(301)
      .header("location", place)
      .send({
        message: `This resource has been moved permanently to ${config.publicUrl}${place.split("?")[0]}`,
      });
  });
}

function oldPathOf(request: FastifyRequest): string | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  if (!request.routeOptions.url?.startsWith("/api/v4/projects/:")) return undefined;
  const { id, project_id } = request.params as Record<string, string | undefined>;
  const reference = id ?? project_id;
  const isPath = reference?.includes("/") && !reference.includes("\0") && reference.length <= 2000;
  return isPath ? reference : undefined;
}
