/** The API's doors to projects (contract §3; shapes of the GitLab v4 API). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  actOf,
  anyCallerOf,
  callerOf,
  mayHaveScope,
  needsAdministrator,
  needsScope,
} from "../accounts/caller.ts";
import { namespaceFor, namespaceOfUser } from "../accounts/set-plan.ts";
import { userIdNamed } from "../accounts/user-id-named.ts";
import { UserParameters } from "../accounts/wire-users.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem } from "../platform/problem.ts";
import { momentOf } from "../platform/query-members.ts";
import { groupFor, projectFor, visibleGroup, visibleProject } from "./access.ts";
import { addProject } from "./add-project.ts";
import { type Asker, readerOf } from "./asker.ts";
import { changeProject } from "./change-project.ts";
import type { RecordHappenings } from "./happenings.ts";
import { keepEvents } from "./keep-events.ts";
import { listQueries } from "./list-queries.ts";
import { moveProject } from "./move-project.ts";
import { PROJECT_ORDERS, type Project } from "./project.ts";
import { leastOf } from "./role.ts";
import { oneGroup } from "./routes-groups.ts";
import { countProjects, listLevels, listProjects, type ProjectFilter } from "./store.ts";
import { projectRecord } from "./wire.ts";
import {
  CHANGED_PROJECT_ANSWERS,
  GROUP_PROJECTS_ANSWERS,
  MOVED_GROUP_ANSWERS,
  NEW_PROJECT_ANSWERS,
  PROJECT_ANSWERS,
  PROJECTS_ANSWERS,
  USER_PROJECTS_ANSWERS,
} from "./wire-answers.ts";
import { GroupParameters, IncomingParameters, ProjectParameters } from "./wire-parameters.ts";
import { OwnerParameters, ProjectOfUserBody } from "./wire-project-of-user.ts";
import {
  GroupProjectsQuery,
  NewProjectBody,
  ProjectBody,
  ProjectMove,
  ProjectsQuery,
} from "./wire-queries.ts";

type ById = { Params: { id: string } };

/** `/projects`, `/projects/:id`, `/projects/user/:user_id`, `/users/:id/projects`, `/groups/:id/projects`. */
export function projectRoutes(app: FastifyInstance, platform: Platform, record: RecordHappenings): void {
  collectionRoutes(app, platform, record);
  itemRoutes(app, platform);
  ownerRoutes(app, platform);
  incomingRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform, record: RecordHappenings): void {
  const { db } = platform;
  app.get<{ Querystring: ProjectsQuery }>(
    "/projects",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), PROJECTS_ANSWERS),
      schema: { querystring: ProjectsQuery },
    },
    async (request, reply) => sendProjects(platform, request, reply, {}),
  );
  app.post<{ Body: NewProjectBody }>(
    "/projects",
    { ...answering(needsScope(platform, "api"), NEW_PROJECT_ANSWERS), schema: { body: NewProjectBody } },
    async (request, reply) => {
      const maker = callerOf(request);
      const fields = fieldsOf(request.body);
      const namespace = await namespaceFor(db, request.body.namespace_id ?? maker.namespaceId);
      const id = await addProject(db, record, maker, { namespace, ...fields });
      return reply.code(201).send(await oneProject(platform, maker, id));
    },
  );
  app.post<{ Params: { user_id: string }; Body: ProjectOfUserBody }>(
    "/projects/user/:user_id",
    {
      ...answering(needsAdministrator(platform, "api"), NEW_PROJECT_ANSWERS),
      schema: { params: OwnerParameters, body: ProjectOfUserBody },
    },
    async (request, reply) => {
      const maker = callerOf(request);
      const fields = fieldsOf(request.body);
      const namespace = await namespaceOfUser(db, request.params.user_id);
      const id = await addProject(db, record, maker, { namespace, ...fields });
      return reply.code(201).send(await oneProject(platform, maker, id));
    },
  );
}

/** @throws ParameterProblem: the body has neither a name nor a path */
function fieldsOf({ name, path, ...rest }: ProjectOfUserBody) {
  const called = name ?? path;
  if (called === undefined) {
    throw new ParameterProblem(["name, path are missing, at least one parameter must be provided"]);
  }
  return {
    name: called,
    path: path ?? pathFrom(called),
    description: rest.description ?? undefined,
    visibility: rest.visibility,
    defaultBranch: rest.default_branch,
  };
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const writes = needsScope(platform, "api");
  app.get<ById>(
    "/projects/:id",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), PROJECT_ANSWERS),
      schema: { params: ProjectParameters },
    },
    async (request) => {
      const asker = anyCallerOf(request);
      const project = await visibleProject(db, asker, request.params.id);
      return (await withLevels(platform, asker, [project]))[0];
    },
  );
  app.put<ById & { Body: ProjectBody }>(
    "/projects/:id",
    {
      ...answering(writes, CHANGED_PROJECT_ANSWERS),
      schema: { params: ProjectParameters, body: ProjectBody },
    },
    async (request) => {
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "maintainer");
      const namespace = await namespaceFor(db, project.namespaceId);
      const { default_branch: defaultBranch, event_retention_days: days, ...edit } = request.body;
      await changeProject(db, actOf(request), project, namespace.visibility, { ...edit, defaultBranch });
      if (days !== undefined) await keepEvents(db, actOf(request), project, days);
      return oneProject(platform, caller, project.id);
    },
  );
  app.put<ById & { Body: ProjectMove; Querystring: ProjectMove }>(
    "/projects/:id/transfer",
    {
      ...answering(writes, CHANGED_PROJECT_ANSWERS),
      schema: { params: ProjectParameters, body: ProjectMove, querystring: ProjectMove },
    },
    async (request) => {
      const caller = callerOf(request);
      const { id } = await visibleProject(db, caller, request.params.id);
      const namespace = request.body.namespace ?? request.query.namespace;
      if (namespace === undefined) throw new ParameterProblem(["namespace is missing"]);
      await moveProject(db, caller, actOf(request), id, namespace);
      return oneProject(platform, caller, id);
    },
  );
}

/** The projects of one user, and those in one group. */
function ownerRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  // Needs a token, as all routes about users: without one, answers would reveal which users exist.
  app.get<ById & { Querystring: ProjectsQuery }>(
    "/users/:id/projects",
    {
      ...answering(needsScope(platform, "read_api", "api"), USER_PROJECTS_ANSWERS),
      schema: { params: UserParameters, querystring: ProjectsQuery },
    },
    async (request, reply) => {
      const ownerId = await userIdNamed(db, request.params.id, "id");
      return sendProjects(platform, request, reply, { ownerId });
    },
  );
  app.get<ById & { Querystring: GroupProjectsQuery }>(
    "/groups/:id/projects",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), GROUP_PROJECTS_ANSWERS),
      schema: { params: GroupParameters, querystring: GroupProjectsQuery },
    },
    async (request, reply) => {
      const { id } = await visibleGroup(db, anyCallerOf(request), request.params.id);
      const place = request.query.include_subgroups ? { belowId: id } : { namespaceId: id };
      return sendProjects(platform, request, reply, place);
    },
  );
}

/** Moves a project into a group, as `PUT /projects/:id/transfer` does. */
function incomingRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.post<{ Params: { id: string; project_id: string } }>(
    "/groups/:id/projects/:project_id",
    {
      ...answering(needsScope(platform, "api"), MOVED_GROUP_ANSWERS),
      schema: { params: IncomingParameters },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const group = await groupFor(db, caller, request.params.id, "owner");
      const project = await visibleProject(db, caller, request.params.project_id);
      await moveProject(db, caller, actOf(request), project.id, group.id);
      return reply.code(201).send(await oneGroup(platform, caller, group.id));
    },
  );
}

async function sendProjects(
  platform: Platform,
  request: FastifyRequest<{ Querystring: ProjectsQuery }>,
  reply: FastifyReply,
  place: Pick<ProjectFilter, "namespaceId" | "belowId" | "ownerId">,
) {
  const { db, config } = platform;
  const asker = anyCallerOf(request);
  const { search, membership, owned, archived, visibility, min_access_level } = request.query;
  const { active, topic, topic_id, with_programming_language, starred, imported } = request.query;
  const { id_after: idAfter, id_before: idBefore, order_by, sort } = request.query;
  // As at GitLab, and so that a client that reads page after page misses none when something happens meanwhile.
  const orderBy = PROJECT_ORDERS.find((order) => order === order_by) ?? "created_at";
  const leastAccess = leastOf(owned, min_access_level);
  const page = pageOf(request.query);
  const none = Boolean(topic || topic_id || with_programming_language || starred || imported);
  const sought = { search, membership, archived, active, visibility, leastAccess, idAfter, idBefore, none };
  const filter = {
    ...sought,
    markedOn: request.query.marked_for_deletion_on,
    ...momentsOf(request.query),
    ...place,
    orderBy,
    ascending: sort === "asc",
    ...rowsOf(page),
  };
  const slow = listQueries(db, filter);
  const total = await countProjects(slow, asker, filter);
  const projects = await listProjects(slow, asker, filter);
  setPageHeaders(request, reply, config.publicUrl, page, total);
  return withLevels(platform, asker, projects);
}

function momentsOf(query: ProjectsQuery) {
  return {
    activeAfter: momentOf(query.last_activity_after),
    activeBefore: momentOf(query.last_activity_before),
    updatedAfter: momentOf(query.updated_after),
    updatedBefore: momentOf(query.updated_before),
  };
}

/** A project as the asker sees it. @throws Problem not_found */
export async function oneProject(platform: Platform, asker: Asker, id: number) {
  const project = await visibleProject(platform.db, readerOf(asker), String(id));
  return (await withLevels(platform, asker, [project]))[0];
}

/** Projects as the asker sees them, with the asker's own levels. */
export async function withLevels({ db, config }: Platform, asker: Asker | undefined, projects: Project[]) {
  const ids = projects.map(({ id }) => id);
  const levels = asker && ids.length > 0 ? await listLevels(db, asker.id, ids) : [];
  const byId = new Map(levels.map((level) => [level.projectId, level]));
  return projects.map((project) => projectRecord(project, config.publicUrl, byId.get(project.id)));
}

/** "My rocket!" → `my-rocket`. The rule for paths refuses an empty result later. */
function pathFrom(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9_.-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
}
