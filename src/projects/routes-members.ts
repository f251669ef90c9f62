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
import { expiryOfBody } from "./expiry.ts";
import type { RecordHappenings } from "./happenings.ts";
import type { PlaceKind } from "./lifecycle.ts";
import type { MemberPlace } from "./member.ts";
import {
  countAllMembers,
  countMembers,
  findMember,
  listAllMembers,
  listMembers,
  type PlaceWithAbove,
} from "./store-members.ts";
import { memberRecord } from "./wire.ts";
import {
  MEMBER_ANSWERS,
  MEMBERS_ANSWERS,
  NEW_MEMBER_ANSWERS,
  REMOVED_MEMBER_ANSWERS,
} from "./wire-answers-members.ts";
import { MEMBER_PARAMETERS, PLACE_PARAMETERS } from "./wire-parameters.ts";
import { MemberBody, MembersQuery, NewMemberBody } from "./wire-queries.ts";

type Place = MemberPlace & PlaceWithAbove;

type At = { Params: { id: string } };
type OneAt = { Params: { id: string; user_id: string } };
/** The routes for one kind of place: its address, and how to find the place that the address names. */
interface PlaceRoutes {
  kind: PlaceKind;
  /** @throws Problem not_found: absent, or not visible to this asker */
  find(asker: Asker | undefined, reference: string): Promise<Place>;
}

/** `/projects/:id/members…` and `/groups/:id/members…`. */
export function memberRoutes(app: FastifyInstance, platform: Platform, record: RecordHappenings): void {
  const { db } = platform;
  const projects: PlaceRoutes = {
    kind: "project",
    async find(asker, reference) {
      const { id, access, namespaceId } = await visibleProject(db, asker, reference);
      return { source: { projectId: id }, access, namespaceId, projectId: id };
    },
  };
  const groups: PlaceRoutes = {
    kind: "group",
    async find(asker, reference) {
      const { id, access } = await visibleGroup(db, asker, reference);
      return { source: { namespaceId: id }, access, namespaceId: id, projectId: null };
    },
  };
  for (const routes of [projects, groups]) {
    readRoutes(app, platform, routes);
    writeRoutes(app, platform, record, routes);
  }
}

function readRoutes(app: FastifyInstance, platform: Platform, { kind, find }: PlaceRoutes): void {
  const guard = mayHaveScope(platform, "read_api", "api");
  const members = `/${kind}s/:id/members`;
  const list = {
    ...answering(guard, MEMBERS_ANSWERS),
    schema: { params: PLACE_PARAMETERS[kind], querystring: MembersQuery },
  };
  const one = { ...answering(guard, MEMBER_ANSWERS), schema: { params: MEMBER_PARAMETERS[kind] } };
  const placeOf = (request: FastifyRequest<At>) => find(anyCallerOf(request), request.params.id);
  app.get<At & { Querystring: MembersQuery }>(members, list, async (request, reply) =>
    sendMembers(platform, request, reply, { place: await placeOf(request), inherited: false }),
  );
  app.get<At & { Querystring: MembersQuery }>(`${members}/all`, list, async (request, reply) =>
    sendMembers(platform, request, reply, { place: await placeOf(request), inherited: true }),
  );
  app.get<OneAt>(`${members}/:user_id`, one, async (request) =>
    oneMember(platform, await placeOf(request), userIdOf(request)),
  );
  app.get<OneAt>(`${members}/all/:user_id`, one, async (request) => {
    const place = await placeOf(request);
    const filter = { userIds: [userIdOf(request)] };
    const [member] = await listAllMembers(platform.db, place, filter, { limit: 1, offset: 0 });
    if (!member) throw new Problem("not_found", "404 Not found");
    return memberRecord(member, platform.config.publicUrl);
  });
}

function writeRoutes(
  app: FastifyInstance,
  platform: Platform,
  record: RecordHappenings,
  { kind, find }: PlaceRoutes,
): void {
  const writes = needsScope(platform, "api");
  const members = `/${kind}s/:id/members`;
  const ofOne = MEMBER_PARAMETERS[kind];
  const changeOf = async (request: FastifyRequest<At>): Promise<Change> => {
    const caller = callerOf(request);
    const place = await find(caller, request.params.id);
    return { db: platform.db, record, actor: caller, place };
  };
  app.post<At & { Body: NewMemberBody }>(
    members,
    {
      ...answering(writes, NEW_MEMBER_ANSWERS),
      schema: { params: PLACE_PARAMETERS[kind], body: NewMemberBody },
    },
    async (request, reply) => {
      const change = await changeOf(request);
      const userIds = await addressed(platform, request.body);
      const { access_level: accessLevel, expires_at } = request.body;
      await addMembers(change, userIds, { accessLevel, expiresAt: expiryOfBody(expires_at) ?? null });
      const { user_id, username = "" } = request.body;
      const several = String(user_id ?? username).includes(",");
      const answer = several
        ? { status: "success" }
        : await oneMember(platform, change.place, userIds[0] as number);
      return reply.code(201).send(answer);
    },
  );
  app.put<OneAt & { Body: MemberBody }>(
    `${members}/:user_id`,
    { ...answering(writes, MEMBER_ANSWERS), schema: { params: ofOne, body: MemberBody } },
    async (request) => {
      const change = await changeOf(request);
      const { access_level: accessLevel, expires_at } = request.body;
      await changeMember(change, userIdOf(request), { accessLevel, expiresAt: expiryOfBody(expires_at) });
      return oneMember(platform, change.place, userIdOf(request));
    },
  );
  app.delete<OneAt>(
    `${members}/:user_id`,
    { ...answering(writes, REMOVED_MEMBER_ANSWERS), schema: { params: ofOne } },
    async (request, reply) => {
      await removeMember(await changeOf(request), userIdOf(request));
      return reply.code(204).send();
    },
  );
}

/** A page of members: only the direct ones, or with `inherited` also members of the groups above. */
async function sendMembers(
  { db, config }: Platform,
  request: FastifyRequest<{ Querystring: MembersQuery }>,
  reply: FastifyReply,
  { place, inherited }: { place: Place; inherited: boolean },
) {
  const { query, user_ids: userIds, skip_users: exceptIds, state } = request.query;
  const filter = { search: query, userIds, exceptIds, none: state === "awaiting" };
  const page = pageOf(request.query);
  const { source } = place;
  const [total, members] = await Promise.all(
    inherited
      ? [countAllMembers(db, place, filter), listAllMembers(db, place, filter, rowsOf(page))]
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

/** @throws ParameterProblem when nobody is named; Problem not_found when a named user does not exist */
async function addressed({ db }: Platform, body: NewMemberBody): Promise<number[]> {
  const named = body.user_id === undefined ? body.username : String(body.user_id);
  if (named === undefined) throw new ParameterProblem(["user_id is missing"]);
  return peopleNamed(db, named.split(","), body.user_id === undefined ? "username" : "id");
}
