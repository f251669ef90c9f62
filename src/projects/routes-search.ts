/** The API's searches over the instance, a group and a project (GitLab v4 API, search; decisions 0192, 0293). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Caller, callerOf, needsScope } from "../accounts/caller.ts";
import { countPeopleFound, peopleFound } from "../accounts/people-found.ts";
import { seenRecord } from "../accounts/wire.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { Static } from "../platform/schema.ts";
import { visibleGroup } from "./access.ts";
import { withLevels } from "./routes.ts";
import { countProjects, listProjects } from "./store.ts";
import { GroupParameters, ProjectParameters } from "./wire-parameters.ts";
import {
  GroupSearchQuery,
  ProjectSearchQuery,
  type Search,
  type SearchOfRoom,
  type SearchPlace,
  SearchQuery,
  searchAnswers,
} from "./wire-search.ts";

/** Each scope returns the records of its own list. Clients ask for groups and projects with `/-` as well. */
export function searchRoutes(app: FastifyInstance, platform: Platform, issues: SearchOfRoom): void {
  const reads = needsScope(platform, "read_api", "api");
  const answers = searchAnswers(issues.row);
  const searches: Readonly<Record<SearchQuery["scope"], Search>> = {
    projects: searchProjects,
    users: searchUsers,
    issues: issues.search,
  };
  const send = async (
    request: FastifyRequest<{ Querystring: SearchQuery }>,
    reply: FastifyReply,
    place: SearchPlace,
  ) => {
    const { query } = request;
    const { total, records } = await searches[query.scope](platform, callerOf(request), query, place);
    setPageHeaders(request, reply, platform.config.publicUrl, pageOf(query), total);
    return records;
  };
  app.get<{ Querystring: SearchQuery }>(
    "/search",
    { ...answering(reads, answers.instance), schema: { querystring: SearchQuery } },
    async (request, reply) => send(request, reply, {}),
  );
  for (const [path, undocumented] of [
    ["search", false],
    ["-/search", true],
  ] as const) {
    const guard = { ...reads, config: { ...reads.config, undocumented } };
    app.get<{ Params: Static<typeof GroupParameters>; Querystring: GroupSearchQuery }>(
      `/groups/:id/${path}`,
      {
        ...answering(guard, answers.group),
        schema: { params: GroupParameters, querystring: GroupSearchQuery },
      },
      async (request, reply) => send(request, reply, { group: request.params.id }),
    );
    app.get<{ Params: Static<typeof ProjectParameters>; Querystring: ProjectSearchQuery }>(
      `/projects/:id/${path}`,
      {
        ...answering(guard, answers.project),
        schema: { params: ProjectParameters, querystring: ProjectSearchQuery },
      },
      async (request, reply) => send(request, reply, { project: request.params.id }),
    );
  }
}

async function searchProjects(
  platform: Platform,
  caller: Caller,
  query: SearchQuery,
  { group }: SearchPlace,
) {
  const belowId = group === undefined ? undefined : (await visibleGroup(platform.db, caller, group)).id;
  // A search reads everything, so it uses connections of its own and delays no other statement.
  const slow = platform.db.searching;
  const order = { orderBy: "created_at", ascending: query.sort === "asc" } as const;
  const filter = { search: query.search, belowId, ...order, ...rowsOf(pageOf(query)) };
  const [total, projects] = await Promise.all([
    countProjects(slow, caller, filter),
    listProjects(slow, caller, filter),
  ]);
  return { total, records: await withLevels(platform, caller, projects) };
}

async function searchUsers({ db, config }: Platform, caller: Caller, query: SearchQuery) {
  const slow = db.searching;
  const page = { ...rowsOf(pageOf(query)), ascending: query.sort === "asc" };
  const [total, users] = await Promise.all([
    countPeopleFound(slow, caller, query.search),
    peopleFound(slow, caller, query.search, page),
  ]);
  return { total, records: users.map((user) => seenRecord(caller, user, config.publicUrl)) };
}
