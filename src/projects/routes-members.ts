/** The API's doors to members of projects and groups (contract §3; reference events B3). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anyCallerOf, callerOf, mayHaveScope, needsScope } from "../accounts/caller.ts";
import { peopleNamed } from "../accounts/people-named.ts";
import { answering } from "../platform/answers.ts";
import { numberIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import { visibleGroup, visibleProject } from "./access.ts";
import type { Asker } from "./asker.ts";
import { addMembers, type Change, changeMember, removeMember } from "./change-members.ts";
import { parseExpiry } from "./expiry.ts";
import type { RecordHappenings } from "./happenings.ts";
import type { MemberPlace } from "./member.ts";
import type { PlaceKind } from "./rest.ts";
import { countAllMembers, countMembers, findMember, listAllMembers, listMembers } from "./store-members.ts";
import { memberRecord } from "./wire.ts";
import {
  MEMBER_ANSWERS,
  MEMBERS_ANSWERS,
  NEW_MEMBER_ANSWERS,
  REMOVED_MEMBER_ANSWERS,
} from "./wire-answers-members.ts";
import { MEMBER_PARAMETERS, PLACE_PARAMETERS } from "./wire-parameters.ts";
import { MemberBody, MembersQuery, NewMemberBody } from "./wire-queries.ts";

interface Place extends MemberPlace {
  namespaceId: number;
  projectId: number | null;
}

type At = { Params: { id: string } };
type OneAt = { Params: { id: string; user_id: string } };
type Find = (platform: Platform, asker: Asker | undefined, reference: string) => Promise<Place>;

/** `/projects/:id/members…` and `/groups/:id/members…`. */
export function memberRoutes(app: FastifyInstance, platform: Platform, record: RecordHappenings): void {
  registerMembers(app, platform, record, "project", async ({ db }, asker, reference) => {
    const { id, access, namespaceId } = await visibleProject(db, asker, reference);
    return { source: { projectId: id }, access, namespaceId, projectId: id };
  });
  registerMembers(app, platform, record, "group", async ({ db }, asker, reference) => {
    const { id, access } = await visibleGroup(db, asker, reference);
    return { source: { namespaceId: id }, access, namespaceId: id, projectId: null };
  });
}

function registerMembers(
  app: FastifyInstance,
  platform: Platform,
  record: RecordHappenings,
  kind: PlaceKind,
  find: Find,
): void {
  const guard = mayHaveScope(platform, "read_api", "api");
  const root = `/${kind}s`;
  const params = PLACE_PARAMETERS[kind];
  const ofOne = MEMBER_PARAMETERS[kind];
  const reads = { ...answering(guard, MEMBERS_ANSWERS), schema: { params, querystring: MembersQuery } };
  const readsOne = { ...answering(guard, MEMBER_ANSWERS), schema: { params: ofOne } };
  const writes = needsScope(platform, "api");
  const changeOf = async (request: FastifyRequest<At>): Promise<Change> => {
    const caller = callerOf(request);
    return {
      db: platform.db,
      record,
      actorId: caller.id,
      place: await find(platform, caller, request.params.id),
    };
  };
  app.get<At & { Querystring: MembersQuery }>(`${root}/:id/members`, reads, async (request, reply) =>
    sendMembers(
      platform,
      request,
      reply,
      await find(platform, anyCallerOf(request), request.params.id),
      false,
    ),
  );
  app.get<At & { Querystring: MembersQuery }>(`${root}/:id/members/all`, reads, async (request, reply) =>
    sendMembers(
      platform,
      request,
      reply,
      await find(platform, anyCallerOf(request), request.params.id),
      true,
    ),
  );
  app.get<OneAt>(`${root}/:id/members/:user_id`, readsOne, async (request) =>
    oneMember(platform, await find(platform, anyCallerOf(request), request.params.id), userIdOf(request)),
  );
  app.get<OneAt>(`${root}/:id/members/all/:user_id`, readsOne, async (request) => {
    const place = await find(platform, anyCallerOf(request), request.params.id);
    const filter = { userIds: [userIdOf(request)] };
    const one = { limit: 1, offset: 0 };
    const [member] = await listAllMembers(platform.db, place.namespaceId, place.projectId, filter, one);
    if (!member) throw new Problem("not_found", "404 Not found");
    return memberRecord(member, platform.config.publicUrl);
  });
  app.post<At & { Body: NewMemberBody }>(
    `${root}/:id/members`,
    { ...answering(writes, NEW_MEMBER_ANSWERS), schema: { params, body: NewMemberBody } },
    async (request, reply) => {
      const change = await changeOf(request);
      const userIds = await addressed(platform, request.body);
      const { access_level: accessLevel, expires_at } = request.body;
      await addMembers(change, userIds, { accessLevel, expiresAt: expiryOf(expires_at) ?? null });
      const several = typeof request.body.user_id === "string" && request.body.user_id.includes(",");
      const answer = several
        ? { status: "success" }
        : await oneMember(platform, change.place, userIds[0] as number);
      return reply.code(201).send(answer);
    },
  );
  app.put<OneAt & { Body: MemberBody }>(
    `${root}/:id/members/:user_id`,
    { ...answering(writes, MEMBER_ANSWERS), schema: { params: ofOne, body: MemberBody } },
    async (request) => {
      const change = await changeOf(request);
      const { access_level: accessLevel, expires_at } = request.body;
      await changeMember(change, userIdOf(request), { accessLevel, expiresAt: expiryOf(expires_at) });
      return oneMember(platform, change.place, userIdOf(request));
    },
  );
  app.delete<OneAt>(
    `${root}/:id/members/:user_id`,
    { ...answering(writes, REMOVED_MEMBER_ANSWERS), schema: { params: ofOne } },
    async (request, reply) => {
      await removeMember(await changeOf(request), userIdOf(request));
      return reply.code(204).send();
    },
  );
}

async function sendMembers(
  { db, config }: Platform,
  request: FastifyRequest<{ Querystring: MembersQuery }>,
  reply: FastifyReply,
  place: Place,
  inherited: boolean,
) {
  const { query, user_ids: userIds, skip_users: exceptIds, state } = request.query;
  const filter = { search: query, userIds, exceptIds, none: state === "awaiting" };
  const page = pageOf(request.query);
  const { namespaceId, projectId, source } = place;
  const [total, members] = await Promise.all(
    inherited
      ? [
          countAllMembers(db, namespaceId, projectId, filter),
          listAllMembers(db, namespaceId, projectId, filter, rowsOf(page)),
        ]
      : [countMembers(db, source, filter), listMembers(db, source, filter, rowsOf(page))],
  );
  setPageHeaders(request, reply, config.publicUrl, page, total);
  return members.map((member) => memberRecord(member, config.publicUrl));
}

async function oneMember({ db, config }: Platform, place: MemberPlace, userId: number) {
  const member = await findMember(db, place.source, userId);
  if (!member) throw new Problem("not_found", "404 Not found");
  return memberRecord(member, config.publicUrl);
}

function userIdOf(request: FastifyRequest<OneAt>): number {
  const userId = numberIn(request.params.user_id);
  if (userId === undefined) throw new Problem("not_found", "404 Not found");
  return userId;
}

/** @throws ParameterProblem when nobody is named; Problem not_found when somebody is not there */
async function addressed({ db }: Platform, body: NewMemberBody): Promise<number[]> {
  const named = body.user_id === undefined ? body.username : String(body.user_id);
  if (named === undefined) throw new ParameterProblem(["user_id is missing"]);
  return peopleNamed(db, named.split(","), body.user_id === undefined ? "username" : "id");
}

/** Undefined: not said; null: never. @throws ParameterProblem */
function expiryOf(given: string | null | undefined): Date | null | undefined {
  if (given === undefined || given === null) return given;
  if (given === "") return null;
  const at = parseExpiry(given);
  if (!at) throw new ParameterProblem(["expires_at is invalid"]);
  return at;
}
