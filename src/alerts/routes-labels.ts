/** The labels of a project, to which its record links: the one label, which all incidents have (reference events B2). */
import type { FastifyInstance } from "fastify";
import { anyCallerOf, mayHaveScope } from "../accounts/caller.ts";
import { answering, type Described } from "../platform/answers.ts";
import { onPage, pageOf, pageParameters, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import Type, { type Static } from "../platform/schema.ts";
import { visibleProject } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { type LABEL, LABEL_ANSWERS, LABELS_ANSWERS } from "./wire-answers-incidents.ts";
import { INCIDENT_LABEL } from "./wire-incident-filters.ts";

const LabelsQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 255, description: "part of the name, case-insensitive" })),
  ...pageParameters,
});

const LabelParameters = Type.Object({
  ...ProjectParameters.properties,
  label_id: Type.String({ description: "number or name of the label" }),
});

export function labelRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const reads = mayHaveScope(platform, "read_api", "api");
  app.get<{ Params: Static<typeof ProjectParameters>; Querystring: Static<typeof LabelsQuery> }>(
    "/projects/:id/labels",
    {
      ...answering(reads, LABELS_ANSWERS),
      schema: { params: ProjectParameters, querystring: LabelsQuery },
    },
    async (request, reply) => {
      await visibleProject(db, anyCallerOf(request), request.params.id);
      const page = pageOf(request.query);
      const sought = request.query.search?.toLowerCase() ?? "";
      const found = LABELS.filter(({ name }) => name.includes(sought));
      setPageHeaders(request, reply, config.publicUrl, page, found.length);
      return onPage(found, page);
    },
  );
  app.get<{ Params: Static<typeof LabelParameters> }>(
    "/projects/:id/labels/:label_id",
    { ...answering(reads, LABEL_ANSWERS), schema: { params: LabelParameters } },
    async (request) => {
      await visibleProject(db, anyCallerOf(request), request.params.id);
      const wanted = request.params.label_id;
      const label = LABELS.find(({ id, name }) => String(id) === wanted || name === wanted);
      if (!label) throw new Problem("not_found", "404 Label Not Found");
      return label;
    },
  );
}

/** The same label in every project. */
const LABELS: readonly Described<typeof LABEL>[] = [
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
];
