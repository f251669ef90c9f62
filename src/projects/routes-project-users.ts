/** `GET /projects/:id/users`: the direct and inherited members of a project as users, without their roles (decision 0278). */
import type { FastifyInstance } from "fastify";
import { anyCallerOf, mayHaveScope } from "../accounts/caller.ts";
import { authorRecord } from "../accounts/wire.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { numbers } from "../platform/query-members.ts";
import Type, { type Static } from "../platform/schema.ts";
import { visibleProject } from "./access.ts";
import { countAllMembers, listAllMembers } from "./store-members.ts";
import { PROJECT_USERS_ANSWERS } from "./wire-answers-members.ts";
import { ProjectParameters } from "./wire-parameters.ts";

const ProjectUsersQuery = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 255, description: "part of the username or name, case-insensitive" }),
  ),
  skip_users: numbers("leave out the users with these ids"),
  ...pageParameters,
});

export function projectUserRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: Static<typeof ProjectUsersQuery> }>(
    "/projects/:id/users",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), PROJECT_USERS_ANSWERS),
      schema: { params: ProjectParameters, querystring: ProjectUsersQuery },
    },
    async (request, reply) => {
      const { id, namespaceId } = await visibleProject(db, anyCallerOf(request), request.params.id);
      const place = { namespaceId, projectId: id };
      const { search, skip_users: exceptIds } = request.query;
      const filter = { search, exceptIds };
      const page = pageOf(request.query);
      const [total, members] = await Promise.all([
        countAllMembers(db, place, filter),
        listAllMembers(db, place, filter, rowsOf(page)),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return members.map(({ userId, username, name, state }) =>
        authorRecord({ id: userId, username, name, state }, config.publicUrl),
      );
    },
  );
}
