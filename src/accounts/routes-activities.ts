/** `GET /user/activities`: on which day each user was last active, for administrators (decision 0286). */
import type { FastifyInstance } from "fastify";
import { answering } from "../platform/answers.ts";
import { pageOf, pageParameters, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import Type, { type Static } from "../platform/schema.ts";
import { needsAdministrator } from "./caller.ts";
import { countActivities, listActivities } from "./store-activities.ts";
import { ACTIVITIES_ANSWERS } from "./wire-answers.ts";

const ActivitiesQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      format: "date",
      description: "only users who were active on this day or later, YYYY-MM-DD; default: six months ago",
    }),
  ),
  ...pageParameters,
});

export function activityRoutes(app: FastifyInstance, platform: Platform): void {
  // Reads all users, so it must not delay pipelined statements.
  const slow = platform.db.pooled;
  app.get<{ Querystring: Static<typeof ActivitiesQuery> }>(
    "/user/activities",
    {
      ...answering(needsAdministrator(platform, "read_user", "read_api", "api"), ACTIVITIES_ANSWERS),
      schema: { querystring: ActivitiesQuery },
    },
    async (request, reply) => {
      const { from } = request.query;
      const page = pageOf(request.query);
      const [total, activities] = await Promise.all([
        countActivities(slow, from),
        listActivities(slow, from, rowsOf(page)),
      ]);
      setPageHeaders(request, reply, platform.config.publicUrl, page, total);
      return activities.map(({ username, lastActivityOn }) => ({
        username,
        last_activity_on: lastActivityOn,
        last_activity_at: lastActivityOn,
      }));
    },
  );
}
