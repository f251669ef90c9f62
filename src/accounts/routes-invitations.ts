/** API routes for invitations of the whole installation, for administrators. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { answering } from "../platform/answers.ts";
import { numberIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { actOf, needsAdministrator } from "./caller.ts";
import { invite } from "./invite.ts";
import { inviteAgain } from "./invite-again.ts";
import { inviterOfCaller } from "./inviter-of-caller.ts";
import { findInvitations, invitationFor, withdrawInvitation } from "./pending-invitations.ts";
import {
  INVITATION_AGAIN_ANSWERS,
  INVITATIONS_ANSWERS,
  NEW_INVITATION_ANSWERS,
  WITHDRAWN_INVITATION_ANSWERS,
} from "./wire-answers-invitations.ts";
import {
  InvitationBody,
  InvitationParameters,
  InvitationsQuery,
  invitationRecord,
} from "./wire-invitations.ts";

type ById = { Params: { id: string } };

/** `/invitations…` below `/api/v4`: those of every project and group, and those for an account only. */
export function invitationRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const administers = needsAdministrator(platform, "api");
  app.get<{ Querystring: InvitationsQuery }>(
    "/invitations",
    { ...answering(administers, INVITATIONS_ANSWERS), schema: { querystring: InvitationsQuery } },
    async (request, reply) => {
      const page = pageOf(request.query);
      const { invitations, total } = await findInvitations(db, { everywhere: true }, rowsOf(page));
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return invitations.map((invitation) => invitationRecord(invitation));
    },
  );
  app.post<{ Body: InvitationBody }>(
    "/invitations",
    { ...answering(administers, NEW_INVITATION_ANSWERS), schema: { body: InvitationBody } },
    async (request, reply) => {
      const { id, link } = await invite(
        platform,
        { email: request.body.email.trim() },
        inviterOfCaller(request),
      );
      const invitation = await invitationFor(db, { everywhere: true, id });
      return reply.code(201).send(invitationRecord(invitation, link));
    },
  );
  app.post<ById>(
    "/invitations/:id/resend",
    { ...answering(administers, INVITATION_AGAIN_ANSWERS), schema: { params: InvitationParameters } },
    async (request, reply) => {
      const filter = filterOf(request);
      const link = await inviteAgain(
        platform,
        await invitationFor(db, filter),
        filter,
        inviterOfCaller(request),
      );
      return reply.code(201).send(invitationRecord(await invitationFor(db, filter), link));
    },
  );
  app.delete<ById>(
    "/invitations/:id",
    { ...answering(administers, WITHDRAWN_INVITATION_ANSWERS), schema: { params: InvitationParameters } },
    async (request, reply) => {
      await withdrawInvitation(db, filterOf(request), actOf(request));
      return reply.code(204).send();
    },
  );
}

/** @throws Problem not_found */
function filterOf(request: FastifyRequest<ById>) {
  const id = numberIn(request.params.id);
  if (id === undefined) throw new Problem("not_found", "404 Not found");
  return { everywhere: true, id };
}
