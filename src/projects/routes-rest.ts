/** The API's doors to the rest of projects and groups: archive and unarchive (decision 0153; shapes of the GitLab v4 API). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { actOf, callerOf, needsScope } from "../accounts/caller.ts";
import type { Platform } from "../platform/platform.ts";
import { visibleGroup } from "./access.ts";
import { archivePlace } from "./archive-place.ts";
import type { Asker } from "./asker.ts";
import type { PlaceKind } from "./rest.ts";
import { oneProject } from "./routes.ts";
import { groupRecord } from "./wire.ts";

type ById = { Params: { id: string } };

const ROOTS = { project: "/projects", group: "/groups" } as const;

/** `POST /projects/:id/(un)archive` answers 201 and `POST /groups/:id/(un)archive` 200, as there. */
export function restRoutes(app: FastifyInstance, platform: Platform): void {
  for (const kind of ["project", "group"] as const) {
    for (const [word, isArchived] of [["archive", true] as const, ["unarchive", false] as const]) {
      app.post<ById>(`${ROOTS[kind]}/:id/${word}`, needsScope(platform, "api"), async (request, reply) => {
        const owner = ownerOf(request);
        const { id } = request.params;
        const place = await archivePlace(platform.db, owner, actOf(request), kind, id, isArchived);
        return reply.code(kind === "project" ? 201 : 200).send(await recordOf(platform, owner, kind, place));
      });
    }
  }
}

/** What rests does not refuse whoever ends its rest. */
function ownerOf(request: FastifyRequest): Asker {
  const { id, isAdmin } = callerOf(request);
  return { id, isAdmin };
}

async function recordOf(platform: Platform, owner: Asker, kind: PlaceKind, id: number) {
  if (kind === "project") return oneProject(platform, owner, id);
  return groupRecord(await visibleGroup(platform.db, owner, String(id)), platform.config.publicUrl);
}
