/** The API's search over the whole instance (GitLab v4 API, `GET /search`; decision 0192). */
import type { FastifyInstance } from "fastify";
import { type Caller, callerOf, needsScope } from "../accounts/caller.ts";
import { countPeopleFound, peopleFound } from "../accounts/people-found.ts";
import { seenRecord } from "../accounts/wire.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { withLevels } from "./routes.ts";
import { countProjects, listProjects } from "./store.ts";
import { SEARCH_ANSWERS } from "./wire-answers.ts";
import { SearchQuery } from "./wire-queries.ts";

/** `/search`: projects or users, each in the form of their own list. */
export function searchRoutes(app: FastifyInstance, platform: Platform): void {
  const reads = needsScope(platform, "read_api", "api");
  app.get<{ Querystring: SearchQuery }>(
    "/search",
    { ...answering(reads, SEARCH_ANSWERS), schema: { querystring: SearchQuery } },
    async (request, reply) => {
      const search = request.query.scope === "projects" ? searchProjects : searchUsers;
      const { total, records } = await search(platform, callerOf(request), request.query);
      setPageHeaders(request, reply, platform.config.publicUrl, pageOf(request.query), total);
      return records;
    },
  );
}

async function searchProjects(platform: Platform, caller: Caller, query: SearchQuery) {
  // A search reads everything, so it uses connections of its own and delays no other statement.
  const slow = platform.db.searching;
  const order = { orderBy: "created_at", ascending: query.sort === "asc" } as const;
  const filter = { search: query.search, ...order, ...rowsOf(pageOf(query)) };
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
