/** The API of the numbers of incidents: of a project, of a group, and of all that the caller may read (decision 0286). */
import type { FastifyInstance } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import type { Platform } from "../platform/platform.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor, visibleGroup } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import { GroupParameters, ProjectParameters } from "../projects/wire-parameters.ts";
import { isSought } from "./incident.ts";
import { countAllIncidents } from "./store-all-incidents.ts";
import { countIncidents } from "./store-incidents.ts";
import { incidentFilterOf } from "./wire-incident-filters.ts";
import {
  ALL_STATISTICS_ANSWERS,
  AllIssueStatisticsQuery,
  GroupIssueStatisticsQuery,
  IssueStatisticsQuery,
  STATISTICS_ANSWERS,
  statisticsRecord,
} from "./wire-incident-statistics.ts";

export function incidentStatisticsRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const reads = needsScope(platform, "read_api", "api");
  app.get<{ Querystring: AllIssueStatisticsQuery }>(
    "/issues_statistics",
    { ...answering(reads, ALL_STATISTICS_ANSWERS), schema: { querystring: AllIssueStatisticsQuery } },
    async (request) => {
      const { scope = "created_by_me", ...query } = request.query;
      return countOver(platform, callerOf(request), { ...query, scope });
    },
  );
  app.get<{ Params: Static<typeof GroupParameters>; Querystring: GroupIssueStatisticsQuery }>(
    "/groups/:id/issues_statistics",
    {
      ...answering(reads, STATISTICS_ANSWERS),
      schema: { params: GroupParameters, querystring: GroupIssueStatisticsQuery },
    },
    async (request) => {
      const caller = callerOf(request);
      const { id } = await visibleGroup(db, caller, request.params.id);
      return countOver(platform, caller, request.query, id);
    },
  );
  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: IssueStatisticsQuery }>(
    "/projects/:id/issues_statistics",
    {
      ...answering(reads, STATISTICS_ANSWERS),
      schema: { params: ProjectParameters, querystring: IssueStatisticsQuery },
    },
    async (request) => {
      const caller = callerOf(request);
      const { id } = await projectFor(db, caller, request.params.id, "reporter");
      const filter = incidentFilterOf(request.query, caller.id);
      const way = filter && isSought(filter) ? db.pooled : db;
      return statisticsRecord(filter && (await countIncidents(way, id, filter)));
    },
  );
}

/** Counts incidents of many projects, which are read as for their list. */
async function countOver({ db }: Platform, asker: Asker, query: GroupIssueStatisticsQuery, groupId?: number) {
  const filter = incidentFilterOf(query, asker.id);
  if (!filter) return statisticsRecord();
  const asked = { asker, filter, groupId, withReadOnly: query.non_archived === false };
  return statisticsRecord(await countAllIncidents(filter.search ? db.searching : db.pooled, asked));
}
