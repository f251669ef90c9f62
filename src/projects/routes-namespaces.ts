/** The API's doors to namespaces and their plans (contract §3; shapes of the GitLab v4 API). */
import type { FastifyInstance } from "fastify";
import { actOf, callerOf, needsAdministrator, needsScope } from "../accounts/caller.ts";
import { setPlan } from "../accounts/set-plan.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { listQueries } from "./list-queries.ts";
import { countGroups, findNamespaceOf, listGroups } from "./store-groups.ts";
import { suggestInstead } from "./suggest-instead.ts";
import { namespaceRecord } from "./wire.ts";
import {
  CHANGED_NAMESPACE_ANSWERS,
  NAMESPACE_ANSWERS,
  NAMESPACE_EXISTS_ANSWERS,
  NAMESPACES_ANSWERS,
} from "./wire-answers.ts";
import { NamespaceParameters, NewNamespaceParameters } from "./wire-parameters.ts";
import { ExistsQuery, NamespacesQuery, PlanBody } from "./wire-queries.ts";

/** `/namespaces`, `/namespaces/:id`, `/namespaces/:id/exists`. */
export function namespaceRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = needsScope(platform, "read_api", "api");
  app.get<{ Querystring: NamespacesQuery }>(
    "/namespaces",
    { ...answering(reads, NAMESPACES_ANSWERS), schema: { querystring: NamespacesQuery } },
    async (request, reply) => {
      const caller = callerOf(request);
      const { search, owned_only: owned, top_level_only: topLevel } = request.query;
      const filter = { search, owned, topLevel, leastAccess: 0, namespacesOf: caller };
      const page = pageOf(request.query);
      const slow = listQueries(db, filter);
      const total = await countGroups(slow, caller, filter);
      const namespaces = await listGroups(slow, caller, filter, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return namespaces.map((each) => namespaceRecord(each, config.publicUrl));
    },
  );
  app.get<{ Params: { id: string } }>(
    "/namespaces/:id",
    { ...answering(reads, NAMESPACE_ANSWERS), schema: { params: NamespaceParameters } },
    async (request) => {
      const found = await findNamespaceOf(db, callerOf(request), request.params.id);
      if (!found) throw new Problem("not_found", "404 Namespace Not Found");
      return namespaceRecord(found, config.publicUrl);
    },
  );
  app.get<{ Params: { id: string }; Querystring: ExistsQuery }>(
    "/namespaces/:id/exists",
    {
      ...answering(reads, NAMESPACE_EXISTS_ANSWERS),
      schema: { params: NewNamespaceParameters, querystring: ExistsQuery },
    },
    async (request) => {
      const suggests = await suggestInstead(
        db,
        callerOf(request),
        request.params.id,
        request.query.parent_id,
      );
      return { exists: suggests !== undefined, suggests: suggests ?? [] };
    },
  );
  app.put<{ Params: { id: string }; Body: PlanBody }>(
    "/namespaces/:id",
    {
      ...answering(needsAdministrator(platform, "api"), CHANGED_NAMESPACE_ANSWERS),
      schema: { params: NamespaceParameters, body: PlanBody },
    },
    async (request) =>
      namespaceRecord(
        await setPlan(db, request.params.id, request.body.plan, actOf(request)),
        config.publicUrl,
      ),
  );
}
