/** The API by which Maintainers configure integrations (contract §3; contract-alerts, integrations). */
import type { FastifyInstance } from "fastify";
import { actOf, callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { numberIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { ParameterProblem, Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import type { Asker } from "../projects/asker.ts";
import type { Project } from "../projects/project.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import {
  changeIntegration,
  noIntegration,
  openKey,
  removeIntegration,
  rotateKey,
} from "./change-integration.ts";
import { changeSettings } from "./change-settings.ts";
import { createIntegration } from "./create-integration.ts";
import type { Integration } from "./integration.ts";
import { sendTestAlert } from "./send-test-alert.ts";
import { countIntegrations, findEndpoint, findIntegration, listIntegrations } from "./store-integrations.ts";
import { findSettings } from "./store-settings.ts";
import { readingRecord } from "./wire.ts";
import {
  CHANGED_INTEGRATION_ANSWERS,
  CHANGED_SETTINGS_ANSWERS,
  INTEGRATION_ANSWERS,
  INTEGRATIONS_ANSWERS,
  KEY_ANSWERS,
  NEW_INTEGRATION_ANSWERS,
  REMOVED_INTEGRATION_ANSWERS,
  SETTINGS_ANSWERS,
  TEST_ANSWERS,
} from "./wire-answers-integrations.ts";
import {
  changedFieldsOf,
  IntegrationBody,
  IntegrationParameters,
  IntegrationsQuery,
  integrationRecord,
  NewIntegrationBody,
  newFieldsOf,
  RotateBody,
  TestBody,
} from "./wire-integrations.ts";
import { SettingsBody, settingsChangeOf, settingsRecord } from "./wire-settings.ts";

type InProject = { Params: Static<typeof ProjectParameters> };
type OfIntegration = { Params: IntegrationParameters };

export function integrationRoutes(app: FastifyInstance, platform: Platform): void {
  settingsRoutes(app, platform);
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
  keyRoutes(app, platform);
}

function settingsRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  app.get<InProject>(
    "/projects/:id/alert_settings",
    {
      ...answering(needsScope(platform, "read_api", "api"), SETTINGS_ANSWERS),
      schema: { params: ProjectParameters },
    },
    async (request) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      return settingsRecord(await findSettings(db, project.id), project);
    },
  );
  app.put<InProject & { Body: SettingsBody }>(
    "/projects/:id/alert_settings",
    {
      ...answering(needsScope(platform, "api"), CHANGED_SETTINGS_ANSWERS),
      schema: { params: ProjectParameters, body: SettingsBody },
    },
    async (request) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const change = settingsChangeOf(request.body);
      return settingsRecord(await changeSettings(platform, actOf(request), project, change), project);
    },
  );
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  app.get<InProject & { Querystring: Static<typeof IntegrationsQuery> }>(
    "/projects/:id/alert_integrations",
    {
      ...answering(needsScope(platform, "read_api", "api"), INTEGRATIONS_ANSWERS),
      schema: { params: ProjectParameters, querystring: IntegrationsQuery },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const project = await projectFor(db, caller, request.params.id, "maintainer");
      const page = pageOf(request.query);
      const [integrations, total] = await Promise.all([
        listIntegrations(db, project.id, rowsOf(page)),
        countIntegrations(db, project.id),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return integrations.map((one) => recordOf(platform, one, project));
    },
  );
  app.post<InProject & { Body: NewIntegrationBody }>(
    "/projects/:id/alert_integrations",
    {
      ...answering(needsScope(platform, "api"), NEW_INTEGRATION_ANSWERS),
      schema: { params: ProjectParameters, body: NewIntegrationBody },
    },
    async (request, reply) => {
      const project = await projectFor(db, callerOf(request), request.params.id, "maintainer");
      const { body } = request;
      if (body.type === "http" && !body.name?.trim()) throw new ParameterProblem(["name is missing"]);
      if (body.type === "external_tool" && !body.api_url?.trim()) {
        throw new ParameterProblem(["api_url is missing"]);
      }
      const made = await createIntegration(platform, actOf(request), project, body.type, newFieldsOf(body));
      return reply.code(201).send(recordOf(platform, made, project));
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db } = platform;
  const path = "/projects/:id/alert_integrations/:integration_id";
  app.get<OfIntegration>(
    path,
    {
      ...answering(needsScope(platform, "read_api", "api"), INTEGRATION_ANSWERS),
      schema: { params: IntegrationParameters },
    },
    async (request) => {
      const { project, id } = await integrationFor(platform, callerOf(request), request.params);
      const found = await findIntegration(db, project.id, id);
      if (!found) throw noIntegration();
      return recordOf(platform, found, project);
    },
  );
  app.put<OfIntegration & { Body: IntegrationBody }>(
    path,
    {
      ...answering(needsScope(platform, "api"), CHANGED_INTEGRATION_ANSWERS),
      schema: { params: IntegrationParameters, body: IntegrationBody },
    },
    async (request) => {
      const { project, id } = await integrationFor(platform, callerOf(request), request.params);
      const changed = await changeIntegration(
        platform,
        actOf(request),
        project,
        id,
        changedFieldsOf(request.body),
      );
      return recordOf(platform, changed, project);
    },
  );
  app.delete<OfIntegration>(
    path,
    {
      ...answering(needsScope(platform, "api"), REMOVED_INTEGRATION_ANSWERS),
      schema: { params: IntegrationParameters },
    },
    async (request, reply) => {
      const { project, id } = await integrationFor(platform, callerOf(request), request.params);
      await removeIntegration(platform, actOf(request), project, id);
      return reply.code(204).send();
    },
  );
}

function keyRoutes(app: FastifyInstance, platform: Platform): void {
  const path = "/projects/:id/alert_integrations/:integration_id";
  app.post<OfIntegration & { Body: RotateBody }>(
    `${path}/rotate_key`,
    {
      ...answering(needsScope(platform, "api"), KEY_ANSWERS),
      schema: { params: IntegrationParameters, body: RotateBody },
    },
    async (request, reply) => {
      const { project, id } = await integrationFor(platform, callerOf(request), request.params);
      const rotated = await rotateKey(
        platform,
        actOf(request),
        project,
        id,
        request.body.grace_seconds ?? 3600,
      );
      // An inactive integration's new key is returned too, since it is shown nowhere else (contract-alerts, rotation).
      const key = openKey(platform, { ...rotated, active: true });
      return reply
        .header("cache-control", "no-store")
        .send({ ...recordOf(platform, rotated, project), authorization_key: key ?? null });
    },
  );
  app.post<OfIntegration & { Body: TestBody }>(
    `${path}/test`,
    {
      ...answering(needsScope(platform, "api"), TEST_ANSWERS),
      schema: { params: IntegrationParameters, body: TestBody },
    },
    async (request, reply) => {
      const project = await projectFor(platform.db, callerOf(request), request.params.id, "developer");
      const id = numberIn(request.params.integration_id);
      const endpoint = id === undefined ? undefined : await findEndpoint(platform.db, project.id, id);
      if (!endpoint || endpoint.type === "external_tool") throw noIntegration();
      const { payload } = request.body;
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      try {
        const sent = await sendTestAlert(platform, endpoint, text, Date.now());
        return reply.send({
          status: "success",
          message: `Test alert #${sent.alertIid} was opened by ${endpoint.name}.`,
          alert_iid: sent.alertIid,
          reading: readingRecord(sent.reading),
        });
      } catch (error) {
        if (!(error instanceof Problem) || error.kind !== "unprocessable") throw error;
        return reply.code(422).send({ status: "error", message: error.message });
      }
    },
  );
}

async function integrationFor(platform: Platform, asker: Asker, params: IntegrationParameters) {
  const project = await projectFor(platform.db, asker, params.id, "maintainer");
  const id = numberIn(params.integration_id);
  if (id === undefined) throw noIntegration();
  return { project, id };
}

function recordOf(platform: Platform, integration: Integration, project: Project) {
  return integrationRecord(
    integration,
    openKey(platform, integration),
    project.fullPath,
    platform.config.publicUrl,
  );
}
