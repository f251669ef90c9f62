/** The API's doors to invitations by mail address into projects and groups (shapes of GitLab's API; decision 0111). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { type Inviter, invite } from "../accounts/invite.ts";
import { inviteAgain } from "../accounts/invite-again.ts";
import { inviterOfCaller } from "../accounts/inviter-of-caller.ts";
import {
  changeInvitation,
  findInvitations,
  invitationFor,
  withdrawInvitation,
} from "../accounts/pending-invitations.ts";
import { peopleNamed } from "../accounts/people-named.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { FieldProblem, ParameterProblem, Problem } from "../platform/problem.ts";
import { visibleGroup, visibleProject } from "./access.ts";
import { addMembers, type Change, checkLevel } from "./change-members.ts";
import { expiryOfBody } from "./expiry.ts";
import type { RecordHappenings } from "./happenings.ts";
import { holdInviter } from "./hold-inviter.ts";
import type { PlaceKind } from "./lifecycle.ts";
import type { MemberPlace } from "./member.ts";
import { findMember } from "./store-members.ts";
import {
  CHANGED_PLACE_INVITATION_ANSWERS,
  NEW_PLACE_INVITATION_ANSWERS,
  PLACE_INVITATION_AGAIN_ANSWERS,
  PLACE_INVITATIONS_ANSWERS,
  WITHDRAWN_PLACE_INVITATION_ANSWERS,
} from "./wire-answers-members.ts";
import { NewInvitationBody, PlaceInvitationsQuery, placeInvitationRecord } from "./wire-invitations.ts";
import { INVITATION_PARAMETERS, PLACE_PARAMETERS } from "./wire-parameters.ts";
import { InvitationBody } from "./wire-queries.ts";

const MAX_AT_ONCE = 20;

type At = { Params: { id: string } };
type OneAt = { Params: { id: string; email: string } };
type InvitedPlace = MemberPlace & { path: string };

/** The routes for one kind of place: its address, and how to find the place if the caller may invite to it. */
interface PlaceRoutes {
  kind: PlaceKind;
  /** @throws Problem not_found: absent, or not visible to this caller; forbidden: the caller may not invite */
  placeOf(request: FastifyRequest<At>): Promise<InvitedPlace>;
}

/** `/projects/:id/invitations…` for Maintainers, `/groups/:id/invitations…` for Owners. */
export function placeInvitationRoutes(
  app: FastifyInstance,
  platform: Platform,
  record: RecordHappenings,
): void {
  const { db } = platform;
  const projects: PlaceRoutes = {
    kind: "project",
    async placeOf(request) {
      const { id, access, fullPath: path } = await visibleProject(db, callerOf(request), request.params.id);
      return invitable({ source: { projectId: id }, access, path });
    },
  };
  const groups: PlaceRoutes = {
    kind: "group",
    async placeOf(request) {
      const { id, access, fullPath: path } = await visibleGroup(db, callerOf(request), request.params.id);
      return invitable({ source: { namespaceId: id }, access, path });
    },
  };
  for (const routes of [projects, groups]) {
    collectionRoutes(app, platform, record, routes);
    itemRoutes(app, platform, routes);
  }
}

/** The caller as one who may still give this role there at the moment of the change. */
function inviterAt(request: FastifyRequest, { source }: InvitedPlace, accessLevel: number): Inviter {
  return inviterOfCaller(request, holdInviter(callerOf(request).id, source, accessLevel));
}

/** @throws Problem forbidden: the caller may not invite to it at all */
function invitable(place: InvitedPlace): InvitedPlace {
  checkLevel(place, 0);
  return place;
}

function collectionRoutes(
  app: FastifyInstance,
  platform: Platform,
  record: RecordHappenings,
  { kind, placeOf }: PlaceRoutes,
): void {
  const { db, config } = platform;
  const invitations = `/${kind}s/:id/invitations`;
  const params = PLACE_PARAMETERS[kind];
  app.get<At & { Querystring: PlaceInvitationsQuery }>(
    invitations,
    {
      ...answering(needsScope(platform, "read_api", "api"), PLACE_INVITATIONS_ANSWERS),
      schema: { params, querystring: PlaceInvitationsQuery },
    },
    async (request, reply) => {
      const { source } = await placeOf(request);
      const page = pageOf(request.query);
      const filter = { ...source, email: request.query.query };
      const found = await findInvitations(db, filter, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, found.total);
      return found.invitations.map(placeInvitationRecord);
    },
  );
  app.post<At & { Body: NewInvitationBody }>(
    invitations,
    {
      ...answering(needsScope(platform, "api"), NEW_PLACE_INVITATION_ANSWERS),
      schema: { params, body: NewInvitationBody },
    },
    async (request, reply) =>
      reply.code(201).send(await inviteAll(platform, record, request, await placeOf(request))),
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform, { kind, placeOf }: PlaceRoutes): void {
  const { db } = platform;
  const writes = needsScope(platform, "api");
  const invitation = `/${kind}s/:id/invitations/:email`;
  const params = INVITATION_PARAMETERS[kind];
  app.put<OneAt & { Body: InvitationBody }>(
    invitation,
    { ...answering(writes, CHANGED_PLACE_INVITATION_ANSWERS), schema: { params, body: InvitationBody } },
    async (request) => {
      const place = await placeOf(request);
      const filter = { ...place.source, email: request.params.email };
      const { access_level: accessLevel, expires_at: end } = request.body;
      const before = await invitationFor(db, filter);
      const reach = Math.max(before.accessLevel ?? 0, accessLevel ?? 0);
      checkLevel(place, reach);
      const memberUntil = expiryOfBody(end);
      await changeInvitation(db, filter, { accessLevel, memberUntil }, inviterAt(request, place, reach));
      return placeInvitationRecord(await invitationFor(db, filter));
    },
  );
  app.post<OneAt>(
    `${invitation}/resend`,
    { ...answering(writes, PLACE_INVITATION_AGAIN_ANSWERS), schema: { params } },
    async (request, reply) => {
      const place = await placeOf(request);
      const filter = { ...place.source, email: request.params.email };
      const found = await invitationFor(db, filter);
      checkLevel(place, found.accessLevel ?? 0);
      const inviter = inviterAt(request, place, found.accessLevel ?? 0);
      const link = await inviteAgain(platform, found, filter, inviter);
      return reply.code(201).send({ status: "success", ...(link ? { links: { [found.email]: link } } : {}) });
    },
  );
  app.delete<OneAt>(
    invitation,
    { ...answering(writes, WITHDRAWN_PLACE_INVITATION_ANSWERS), schema: { params } },
    async (request, reply) => {
      const place = await placeOf(request);
      const filter = { ...place.source, email: request.params.email };
      await withdrawInvitation(db, filter, inviterAt(request, place, 0));
      return reply.code(204).send();
    },
  );
}

/**
 * Invites each address and adds each user by itself, as GitLab does: the answer has the fault of each one that was refused.
 * @throws ParameterProblem: nobody is named, or too many are; Problem not_found: one of the users does not exist
 */
async function inviteAll(
  platform: Platform,
  record: RecordHappenings,
  request: FastifyRequest<At & { Body: NewInvitationBody }>,
  place: InvitedPlace,
) {
  const { email, user_id, access_level: accessLevel, expires_at } = request.body;
  if (email === undefined && user_id === undefined)
    throw new ParameterProblem(["email, user_id are missing, at least one parameter must be provided"]);
  checkLevel(place, accessLevel);
  const member = { accessLevel, expiresAt: expiryOfBody(expires_at) ?? null };
  const emails = [...new Set(email?.split(",").map((one) => one.trim()))];
  if (emails.length > MAX_AT_ONCE)
    throw new ParameterProblem([`email has more than ${MAX_AT_ONCE} addresses`]);
  const { db } = platform;
  const userIds = user_id === undefined ? [] : await peopleNamed(db, String(user_id).split(","), "id");
  // Without a prototype, since an address may equal the name of a member of `Object.prototype`.
  const faults: Record<string, string> = Object.create(null);
  const links: Record<string, string> = Object.create(null);
  for (const one of emails) {
    const told = await inviteOne(platform, request, place, member, one);
    if (told.fault) faults[one] = told.fault;
    if (told.link) links[one] = told.link;
  }
  const change = { db, record, place, actor: callerOf(request) };
  for (const id of userIds) {
    const fault = await addOne(change, id, member);
    if (fault) faults[(await findMember(db, place.source, id))?.username ?? id] = fault;
  }
  const shown = Object.keys(links).length > 0 ? { links } : {};
  return Object.keys(faults).length > 0
    ? { status: "error", message: faults, ...shown }
    : { status: "success", ...shown };
}

type NewMember = { accessLevel: number; expiresAt: Date | null };

/** Invites an address; returns the link if no mail is sent, or what is wrong with the address. */
async function inviteOne(
  platform: Platform,
  request: FastifyRequest,
  invitedTo: InvitedPlace,
  { accessLevel, expiresAt: memberUntil }: NewMember,
  email: string,
): Promise<{ link?: string | undefined; fault?: string }> {
  try {
    const { source, path } = invitedTo;
    const place = { source, accessLevel, memberUntil, path };
    return {
      link: (await invite(platform, { email, place }, inviterAt(request, invitedTo, accessLevel))).link,
    };
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    const [[field = "", words = []] = []] = Object.entries(error.fields);
    if (field !== "email") throw error;
    return { fault: `Email ${words.join(", ")}` };
  }
}

/** Adds somebody with an account as a member; returns why not if they are one already. */
async function addOne(change: Change, userId: number, member: NewMember): Promise<string | undefined> {
  try {
    await addMembers(change, [userId], member);
    return undefined;
  } catch (error) {
    if (error instanceof FieldProblem || !(error instanceof Problem) || error.kind !== "conflict")
      throw error;
    return error.message;
  }
}
