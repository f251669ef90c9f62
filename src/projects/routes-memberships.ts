/** `GET /users/:id/memberships`: what a user was added to, for administrators (decision 0286). */
import type { FastifyInstance } from "fastify";
import { needsAdministrator } from "../accounts/caller.ts";
import { userIdNamed } from "../accounts/user-id-named.ts";
import { UserParameters } from "../accounts/wire-users.ts";
import { answering } from "../platform/answers.ts";
import { pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import Type, { type Static } from "../platform/schema.ts";
import { SOURCE_TYPES } from "./member.ts";
import { countMemberships, listMemberships } from "./store-members.ts";
import { membershipRecord } from "./wire.ts";
import { MEMBERSHIPS_ANSWERS } from "./wire-answers-members.ts";

const MembershipsQuery = Type.Object({
  type: Type.Optional(
    Type.Enum([...SOURCE_TYPES], {
      description: "Project: only memberships of projects; Namespace: only those of groups; default: both",
    }),
  ),
  ...pageParameters,
});

export function membershipRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<{ Params: { id: string }; Querystring: Static<typeof MembershipsQuery> }>(
    "/users/:id/memberships",
    {
      ...answering(needsAdministrator(platform, "read_api", "api"), MEMBERSHIPS_ANSWERS),
      schema: { params: UserParameters, querystring: MembershipsQuery },
    },
    async (request, reply) => {
      const userId = await userIdNamed(db, request.params.id, "id");
      const { type } = request.query;
      const page = pageOf(request.query);
      const [total, memberships] = await Promise.all([
        countMemberships(db, userId, type),
        listMemberships(db, userId, type, rowsOf(page)),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return memberships.map(membershipRecord);
    },
  );
}
