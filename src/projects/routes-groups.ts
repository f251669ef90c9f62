/** The API's doors to groups (contract §3; shapes of the GitLab v4 API). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { actOf, anyCallerOf, callerOf, mayHaveScope, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { groupFor, visibleGroup } from "./access.ts";
import { type Asker, readerOf } from "./asker.ts";
import { changeGroup } from "./change-group.ts";
import { createGroup } from "./create-group.ts";
import { GROUP_ORDERS } from "./group.ts";
import { listQueries } from "./list-queries.ts";
import { moveGroup } from "./move-group.ts";
import { ACCESS_LEVELS, isAtLeast, leastOf } from "./role.ts";
import { countGroups, type GroupFilter, listGroups } from "./store-groups.ts";
import { groupRecord } from "./wire.ts";
import {
  CHANGED_GROUP_ANSWERS,
  GROUP_ANSWERS,
  GROUPS_ANSWERS,
  MOVED_GROUP_ANSWERS,
  NEW_GROUP_ANSWERS,
  SUBGROUPS_ANSWERS,
} from "./wire-answers.ts";
import { GroupParameters } from "./wire-parameters.ts";
import { GroupBody, GroupMove, GroupsQuery, NewGroupBody } from "./wire-queries.ts";

type ById = { Params: { id: string } };

const LEAST_ROLE = Math.min(...ACCESS_LEVELS);

/** `/groups`, `/groups/:id`, and the groups in one. */
export function groupRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
  subgroupRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.get<{ Querystring: GroupsQuery }>(
    "/groups",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), GROUPS_ANSWERS),
      schema: { querystring: GroupsQuery },
    },
    async (request, reply) => sendGroups(platform, request, reply, {}),
  );
  app.post<{ Body: NewGroupBody }>(
    "/groups",
    { ...answering(needsScope(platform, "api"), NEW_GROUP_ANSWERS), schema: { body: NewGroupBody } },
    async (request, reply) => {
      const caller = callerOf(request);
      const { parent_id, ...fields } = request.body;
      const parent = parent_id ? await visibleGroup(db, caller, String(parent_id)) : undefined;
      if (parent && !isAtLeast(parent.access, "maintainer")) throw new Problem("forbidden", "403 Forbidden");
      const { id } = await createGroup(db, caller, { ...fields, parent });
      return reply.code(201).send(await oneGroup(platform, caller, id));
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const writes = needsScope(platform, "api");
  app.get<ById>(
    "/groups/:id",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), GROUP_ANSWERS),
      schema: { params: GroupParameters },
    },
    async (request) => {
      const group = await visibleGroup(db, anyCallerOf(request), request.params.id);
      return groupRecord(group, config.publicUrl);
    },
  );
  app.put<ById & { Body: GroupBody }>(
    "/groups/:id",
    { ...answering(writes, CHANGED_GROUP_ANSWERS), schema: { params: GroupParameters, body: GroupBody } },
    async (request) => {
      const caller = callerOf(request);
      const group = await groupFor(db, caller, request.params.id, "owner");
      await changeGroup(db, caller, { actorId: caller.id, ip: request.ip }, group.id, request.body);
      return oneGroup(platform, caller, group.id);
    },
  );
  app.post<ById & { Body: GroupMove; Querystring: GroupMove }>(
    "/groups/:id/transfer",
    {
      ...answering(writes, MOVED_GROUP_ANSWERS),
      schema: { params: GroupParameters, body: GroupMove, querystring: GroupMove },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const into = request.body.group_id ?? request.query.group_id;
      const { id } = await visibleGroup(db, caller, request.params.id);
      const parent = into ? await visibleGroup(db, caller, String(into)) : null;
      await moveGroup(db, caller, actOf(request), { groupId: id, parentId: parent?.id ?? null });
      return reply.code(201).send(await oneGroup(platform, caller, id));
    },
  );
}

/** The direct subgroups of a group (`subgroups`), and those at any depth below it (`descendant_groups`). */
function subgroupRoutes(app: FastifyInstance, platform: Platform): void {
  for (const [list, key] of [
    ["subgroups", "parentId"],
    ["descendant_groups", "belowId"],
  ] as const) {
    app.get<ById & { Querystring: GroupsQuery }>(
      `/groups/:id/${list}`,
      {
        ...answering(mayHaveScope(platform, "read_api", "api"), SUBGROUPS_ANSWERS),
        schema: { params: GroupParameters, querystring: GroupsQuery },
      },
      async (request, reply) => {
        const { id } = await visibleGroup(platform.db, anyCallerOf(request), request.params.id);
        return sendGroups(platform, request, reply, { [key]: id });
      },
    );
  }
}

async function sendGroups(
  { db, config }: Platform,
  request: FastifyRequest<{ Querystring: GroupsQuery }>,
  reply: FastifyReply,
  place: Pick<GroupFilter, "parentId" | "belowId">,
) {
  const asker = anyCallerOf(request);
  const { search, owned, archived, active, visibility, min_access_level, all_available } = request.query;
  const { top_level_only: topLevel, skip_groups: exceptIds, order_by, sort } = request.query;
  const leastRole = asker && all_available === false ? LEAST_ROLE : 0;
  const filter = {
    search,
    archived,
    active,
    markedOn: request.query.marked_for_deletion_on,
    visibility,
    topLevel,
    exceptIds,
    ...place,
    leastAccess: Math.max(leastOf(owned, min_access_level), leastRole),
    orderBy: GROUP_ORDERS.find((order) => order === order_by),
    descending: sort === "desc",
  };
  const page = pageOf(request.query);
  const slow = listQueries(db, filter);
  const total = await countGroups(slow, asker, filter);
  const groups = await listGroups(slow, asker, filter, rowsOf(page));
  setPageHeaders(request, reply, config.publicUrl, page, total);
  return groups.map((group) => groupRecord(group, config.publicUrl));
}

/** A group as the asker sees it. @throws Problem not_found */
export async function oneGroup({ db, config }: Platform, asker: Asker, id: number) {
  return groupRecord(await visibleGroup(db, readerOf(asker), String(id)), config.publicUrl);
}
