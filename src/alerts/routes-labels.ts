/** `GET /projects/:id/labels`, to which project records link: the one label, which all incidents have (reference events B2). */
import type { FastifyInstance } from "fastify";
import { anyCallerOf, mayHaveScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { onPage, pageOf, pageParameters, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import Type, { type Static } from "../platform/schema.ts";
import { visibleProject } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { LABELS_ANSWERS } from "./wire-answers-incidents.ts";
import { INCIDENT_LABEL } from "./wire-incidents.ts";

const LabelsQuery = Type.Object(pageParameters);

export function labelRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: Static<typeof LabelsQuery> }>(
    "/projects/:id/labels",
    {
      ...answering(mayHaveScope(platform, "read_api", "api"), LABELS_ANSWERS),
      schema: { params: ProjectParameters, querystring: LabelsQuery },
    },
    async (request, reply) => {
      await visibleProject(db, anyCallerOf(request), request.params.id);
      const page = pageOf(request.query);
      setPageHeaders(request, reply, config.publicUrl, page, LABELS.length);
      return onPage(LABELS, page);
    },
  );
}

/** The same label in every project. */
const LABELS = [
  {
    id: 1,
    name: INCIDENT_LABEL,
    description: null,
    description_html: "",
    text_color: "#FFFFFF",
    color: "#CC0033",
    subscribed: false,
    priority: null,
    is_project_label: false,
  },
] as const;
