/** The API's doors that archive, delete and restore projects and groups (decisions 0152, 0153; shapes of the GitLab v4 API). */
import type { FastifyInstance } from "fastify";
import { actOf, callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import { archivePlace } from "./archive-place.ts";
import type { Asker } from "./asker.ts";
import type { PlaceKind } from "./lifecycle.ts";
import { markPlace } from "./mark-place.ts";
import { restorePlace } from "./restore-place.ts";
import { oneProject } from "./routes.ts";
import { oneGroup } from "./routes-groups.ts";
import {
  ARCHIVED_GROUP_ANSWERS,
  ARCHIVED_PROJECT_ANSWERS,
  MARKED_ANSWERS,
  MOVED_GROUP_ANSWERS,
  RESTORED_PROJECT_ANSWERS,
} from "./wire-answers.ts";
import { PLACE_PARAMETERS } from "./wire-parameters.ts";
import { Removal } from "./wire-removal.ts";

type ById = { Params: { id: string } };

const ROOTS = { project: "/projects", group: "/groups" } as const;
const RESTORED = { project: RESTORED_PROJECT_ANSWERS, group: MOVED_GROUP_ANSWERS };
const ARCHIVED = { project: ARCHIVED_PROJECT_ANSWERS, group: ARCHIVED_GROUP_ANSWERS };

/**
 * As in the GitLab v4 API, `POST /projects/:id/(un)archive` answers 201 and `POST /groups/:id/(un)archive` 200; `DELETE` 202,
 * `/restore` 201.
 */
export function lifecycleRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const writes = needsScope(platform, "api");
  for (const kind of ["project", "group"] as const) {
    const params = PLACE_PARAMETERS[kind];
    app.delete<ById & { Querystring: Removal; Body?: Removal | null }>(
      `${ROOTS[kind]}/:id`,
      { ...answering(writes, MARKED_ANSWERS), schema: { params, querystring: Removal, body: Removal } },
      async (request, reply) => {
        const { permanently_remove: word, full_path: fullPath } = { ...request.query, ...request.body };
        const atOnce = String(word) === "true" ? { fullPath } : undefined;
        const days = config.deletionDelayDays;
        const marking = { kind, reference: request.params.id, days, atOnce };
        await markPlace(platform, callerOf(request), actOf(request), marking);
        return reply.code(202).send({ message: "202 Accepted" });
      },
    );
    app.post<ById>(
      `${ROOTS[kind]}/:id/restore`,
      { ...answering(writes, RESTORED[kind]), schema: { params } },
      async (request, reply) => {
        const owner = callerOf(request);
        const reference = request.params.id;
        const place = await restorePlace(db, owner, actOf(request), { kind, reference });
        return reply.code(201).send(await recordOf(platform, owner, kind, place));
      },
    );
    for (const [word, isArchived] of [["archive", true] as const, ["unarchive", false] as const]) {
      app.post<ById>(
        `${ROOTS[kind]}/:id/${word}`,
        { ...answering(writes, ARCHIVED[kind]), schema: { params } },
        async (request, reply) => {
          const owner = callerOf(request);
          const reference = request.params.id;
          const place = await archivePlace(db, owner, actOf(request), { kind, reference }, isArchived);
          return reply
            .code(kind === "project" ? 201 : 200)
            .send(await recordOf(platform, owner, kind, place));
        },
      );
    }
  }
}

function recordOf(platform: Platform, owner: Asker, kind: PlaceKind, id: number) {
  return kind === "project" ? oneProject(platform, owner, id) : oneGroup(platform, owner, id);
}
