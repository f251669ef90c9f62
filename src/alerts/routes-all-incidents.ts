/** The API of incidents across projects: those of a group, and all that the caller may read (decision 0278). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { Static } from "../platform/schema.ts";
import { visibleGroup } from "../projects/access.ts";
import type { Group } from "../projects/group.ts";
import { GroupParameters } from "../projects/wire-parameters.ts";
import { type ListedIncident, listAllIncidents } from "./store-all-incidents.ts";
import { ALL_INCIDENTS_ANSWERS, INCIDENTS_ANSWERS } from "./wire-answers-incidents.ts";
import { AllIssuesQuery, GroupIssuesQuery, incidentFilterOf, issueRecord } from "./wire-incidents.ts";

export function allIncidentRoutes(app: FastifyInstance, platform: Platform): void {
  const reads = needsScope(platform, "read_api", "api");
  app.get<{ Querystring: AllIssuesQuery }>(
    "/issues",
    { ...answering(reads, ALL_INCIDENTS_ANSWERS), schema: { querystring: AllIssuesQuery } },
    async (request, reply) => {
      const { scope = "created_by_me", ...query } = request.query;
      return sendIncidents(platform, request, reply, { query: { ...query, scope } });
    },
  );
  app.get<{ Params: Static<typeof GroupParameters>; Querystring: GroupIssuesQuery }>(
    "/groups/:id/issues",
    {
      ...answering(reads, INCIDENTS_ANSWERS),
      schema: { params: GroupParameters, querystring: GroupIssuesQuery },
    },
    async (request, reply) => {
      const group = await visibleGroup(platform.db, callerOf(request), request.params.id);
      return sendIncidents(platform, request, reply, { query: request.query, group });
    },
  );
}

async function sendIncidents(
  { db, config }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, group }: { query: GroupIssuesQuery; group?: Group },
) {
  const asker = callerOf(request);
  const page = pageOf(query);
  const filter = incidentFilterOf(query, asker.id);
  const asked = filter && {
    asker,
    filter,
    groupId: group?.id,
    withResting: query.non_archived === false,
    byChange: query.order_by === "updated_at",
  };
  // The incidents of many projects are read, hence `pooled`.
  const { incidents, total } = asked
    ? await listAllIncidents(filter.search ? db.searching : db.pooled, asked, {
        ...rowsOf(page),
        ascending: query.sort === "asc",
      })
    : { incidents: [], total: 0 };
  setPageHeaders(request, reply, config.publicUrl, page, total);
  return incidents.map((incident) =>
    issueRecord(incident, incident.projectPath, config.publicUrl, relativeName(incident, group)),
  );
}

/** The name of an incident as seen from the group: without its path if the project is directly in it. */
function relativeName({ projectPath, iid }: ListedIncident, group: Group | undefined): string {
  const [, around, path] = /^(.*)\/([^/]+)$/.exec(projectPath) ?? [];
  return `${around === group?.fullPath ? path : projectPath}#${iid}`;
}
