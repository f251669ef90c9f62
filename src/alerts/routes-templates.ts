/** The API of incident templates: Reporters read them, Maintainers write them (decision 0117). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { actOf, callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { numberIn } from "../platform/number-in.ts";
import { onPage, pageOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import type { Role } from "../projects/role.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import type { IncidentTemplate } from "./incident-template.ts";
import { removeTemplate, saveTemplate, templateOf } from "./save-template.ts";
import { listTemplates } from "./store-templates.ts";
import {
  CHANGED_TEMPLATE_ANSWERS,
  NEW_TEMPLATE_ANSWERS,
  REMOVED_TEMPLATE_ANSWERS,
  TEMPLATE_ANSWERS,
  TEMPLATES_ANSWERS,
} from "./wire-answers-templates.ts";
import {
  NewTemplateBody,
  TemplateBody,
  TemplateParameters,
  TemplatesQuery,
  templateFieldsOf,
  templateRecord,
} from "./wire-templates.ts";

type InProject = { Params: Static<typeof ProjectParameters> };
type OfTemplate = { Params: TemplateParameters };
const COLLECTION = "/projects/:id/incident_templates";
const ITEM = `${COLLECTION}/:template_id`;

export function templateRoutes(app: FastifyInstance, platform: Platform): void {
  const reads = needsScope(platform, "read_api", "api");
  const writes = needsScope(platform, "api");
  app.get<InProject & { Querystring: TemplatesQuery }>(
    COLLECTION,
    {
      ...answering(reads, TEMPLATES_ANSWERS),
      schema: { params: ProjectParameters, querystring: TemplatesQuery },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request, "reporter");
      const page = pageOf(request.query);
      const all = await listTemplates(platform.db, project.id);
      setPageHeaders(request, reply, platform.config.publicUrl, page, all.length);
      return onPage(all, page).map(templateRecord);
    },
  );
  app.post<InProject & { Body: NewTemplateBody }>(
    COLLECTION,
    {
      ...answering(writes, NEW_TEMPLATE_ANSWERS),
      schema: { params: ProjectParameters, body: NewTemplateBody },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request, "maintainer");
      const made = await saveTemplate(platform, actOf(request), project, () =>
        templateFieldsOf(request.body),
      );
      return reply.code(201).send(templateRecord(made));
    },
  );
  app.get<OfTemplate>(
    ITEM,
    { ...answering(reads, TEMPLATE_ANSWERS), schema: { params: TemplateParameters } },
    async (request) => {
      const { template } = await templateFor(platform, request, "reporter");
      return templateRecord(template);
    },
  );
  app.put<OfTemplate & { Body: TemplateBody }>(
    ITEM,
    {
      ...answering(writes, CHANGED_TEMPLATE_ANSWERS),
      schema: { params: TemplateParameters, body: TemplateBody },
    },
    async (request) => {
      const { project, template } = await templateFor(platform, request, "maintainer");
      const given = (before: IncidentTemplate | undefined) => templateFieldsOf(request.body, before);
      return templateRecord(await saveTemplate(platform, actOf(request), project, given, template.id));
    },
  );
  app.delete<OfTemplate>(
    ITEM,
    { ...answering(writes, REMOVED_TEMPLATE_ANSWERS), schema: { params: TemplateParameters } },
    async (request, reply) => {
      const { project, template } = await templateFor(platform, request, "maintainer");
      await removeTemplate(platform, actOf(request), project, template);
      return reply.code(204).send();
    },
  );
}

function projectOf(platform: Platform, request: FastifyRequest<InProject>, role: Role) {
  return projectFor(platform.db, callerOf(request), request.params.id, role);
}

async function templateFor(platform: Platform, request: FastifyRequest<OfTemplate>, role: Role) {
  const project = await projectOf(platform, request, role);
  const template = await templateOf(platform.db, project.id, numberIn(request.params.template_id));
  return { project, template };
}
