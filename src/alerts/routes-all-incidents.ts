/**
 * The API of incidents across projects: those of a group, all that the caller may read (decision 0278), and for administrators any
 * one by its id (decision 0293).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { callerOf, needsAdministrator, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { idIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import { visibleGroup } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Group } from "../projects/group.ts";
import { GroupParameters } from "../projects/wire-parameters.ts";
import { findAnyIncident, listAllIncidents, type PlacedIncident } from "./store-all-incidents.ts";
import { ALL_INCIDENTS_ANSWERS, INCIDENT_ANSWERS, INCIDENTS_ANSWERS } from "./wire-answers-incidents.ts";
import { incidentFilterOf } from "./wire-incident-filters.ts";
import { AllIssuesQuery, GroupIssuesQuery, issueRecord } from "./wire-incidents.ts";

const AnyIncidentParameters = Type.Object({
  id: Type.String({ description: "id of the incident in the instance, the `id` of its record" }),
});

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
  app.get<{ Params: Static<typeof AnyIncidentParameters> }>(
    "/issues/:id",
    {
      ...answering(needsAdministrator(platform, "read_api", "api"), INCIDENT_ANSWERS),
      schema: { params: AnyIncidentParameters },
    },
    async (request) => {
      const incident = await findAnyIncident(platform.db, idIn(request.params.id));
      if (!incident) throw new Problem("not_found", "404 Issue Not Found");
      return issueRecord(incident, incident.projectPath, platform.config.publicUrl, relativeName(incident));
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

/** What is asked for: the incidents of a group or, without one, of all that the caller may read. */
interface Asked {
  query: GroupIssuesQuery;
  group?: Group | undefined;
}

async function sendIncidents(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  { query, group }: Asked,
) {
  const { total, records } = await incidentsOver(platform, callerOf(request), { query, group });
  setPageHeaders(request, reply, platform.config.publicUrl, pageOf(query), total);
  return records;
}

/** A page of incidents as records, and the number of all. */
export async function incidentsOver({ db, config }: Platform, asker: Asker, { query, group }: Asked) {
  const filter = incidentFilterOf(query, asker.id);
  const asked = filter && {
    asker,
    filter,
    groupId: group?.id,
    withReadOnly: query.non_archived === false,
    byChange: query.order_by === "updated_at",
  };
  // The incidents of many projects are read, hence `pooled`.
  const { incidents, total } = asked
    ? await listAllIncidents(filter.search ? db.searching : db.pooled, asked, {
        ...rowsOf(pageOf(query)),
        ascending: query.sort === "asc",
      })
    : { incidents: [], total: 0 };
  const records = incidents.map((incident) =>
    issueRecord(incident, incident.projectPath, config.publicUrl, relativeName(incident, group)),
  );
  return { total, records };
}

/** The name of an incident as seen from the group: without its path if the project is directly in it. */
function relativeName({ projectPath, iid }: PlacedIncident, group?: Group): string {
  const [, around, path] = /^(.*)\/([^/]+)$/.exec(projectPath) ?? [];
  return `${around === group?.fullPath ? path : projectPath}#${iid}`;
}
