/**
 * `GET /projects/:id/merge_requests`, to which the records of projects link: merge requests as far as events know them (reference
 * events B2, B4).
 */
import type { FastifyInstance } from "fastify";
import { anyCallerOf, mayHaveScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { visibleProject } from "../projects/access.ts";
import { isAtLeast } from "../projects/role.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { countMergeRequests, listMergeRequests } from "./store-merge-requests.ts";
import { MERGE_REQUESTS_ANSWERS } from "./wire-answers-merge-requests.ts";
import { MergeRequestsQuery, mergeRequestFilterOf, mergeRequestRecord } from "./wire-merge-requests.ts";

export function mergeRequestRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: MergeRequestsQuery }>(
    "/projects/:id/merge_requests",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), MERGE_REQUESTS_ANSWERS),
      schema: { params: ProjectParameters, querystring: MergeRequestsQuery },
    },
    async (request, reply) => {
      const caller = anyCallerOf(request);
      const project = await visibleProject(db, caller, request.params.id);
      // As for events about them: Reporters of a private project, and everybody who sees any other project.
      if (project.visibility === "private" && !isAtLeast(project.access, "reporter")) {
        throw new Problem("forbidden", "403 Forbidden");
      }
      const { query } = request;
      const page = pageOf(query);
      const filter = mergeRequestFilterOf(query, caller?.id);
      const byChange = query.order_by === "updated_at";
      const order = { ...rowsOf(page), ascending: query.sort === "asc", byChange };
      const list = filter ? await listMergeRequests(db, project.id, filter, order) : [];
      const total = filter ? await countMergeRequests(db, project.id, filter) : 0;
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return list.map((one) => mergeRequestRecord(one, project, config.publicUrl));
    },
  );
}
