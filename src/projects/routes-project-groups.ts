/** `GET /projects/:id/groups`: the groups that contain a project (decision 0286). */
import type { FastifyInstance } from "fastify";
import { anyCallerOf, mayHaveScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { numbers } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { visibleProject } from "./access.ts";
import { countGroups, listGroups } from "./store-groups.ts";
import { aroundRecord } from "./wire.ts";
import { PROJECT_GROUPS_ANSWERS } from "./wire-answers.ts";
import { ProjectParameters } from "./wire-parameters.ts";

const ProjectGroupsQuery = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 255, description: "part of the full path or name, case-insensitive" }),
  ),
  skip_groups: numbers("leave out the groups with these ids"),
  ...pageParameters,
});

export function projectGroupRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: Static<typeof ProjectGroupsQuery> }>(
    "/projects/:id/groups",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), PROJECT_GROUPS_ANSWERS),
      schema: { params: ProjectParameters, querystring: ProjectGroupsQuery },
    },
    async (request, reply) => {
      const asker = anyCallerOf(request);
      const { id } = await visibleProject(db, asker, request.params.id);
      const { search, skip_groups: exceptIds } = request.query;
      const around = { search, exceptIds, aroundProjectId: id, leastAccess: 0 };
      const page = pageOf(request.query);
      const [total, groups] = await Promise.all([
        countGroups(db, asker, around),
        listGroups(db, asker, { ...around, orderBy: "id", descending: true }, rowsOf(page)),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return groups.map((group) => aroundRecord(group, config.publicUrl));
    },
  );
}
