/** The API of silences (decision 0096). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { actOf, callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { numberIn } from "../platform/number-in.ts";
import { pageOf, rowsOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import { ProjectParameters } from "../projects/wire-parameters.ts";
import { previewSilence } from "./preview-silence.ts";
import { saveSilence, silenceOf, stopSilence } from "./save-silence.ts";
import type { Silence } from "./silence.ts";
import { countSilences, listSilences } from "./store-silences.ts";
import {
  CHANGED_SILENCE_ANSWERS,
  ENDED_SILENCE_ANSWERS,
  NEW_SILENCE_ANSWERS,
  PREVIEW_ANSWERS,
  SILENCE_ANSWERS,
  SILENCES_ANSWERS,
} from "./wire-answers-silences.ts";
import {
  matchersOf,
  NewSilenceBody,
  PreviewBody,
  SilenceBody,
  SilenceParameters,
  SilencesQuery,
  silenceFieldsOf,
  silenceRecord,
} from "./wire-silences.ts";

type InProject = { Params: Static<typeof ProjectParameters> };
type OfSilence = { Params: SilenceParameters };

export function silenceRoutes(app: FastifyInstance, platform: Platform): void {
  collectionRoutes(app, platform);
  itemRoutes(app, platform);
}

function collectionRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const path = "/projects/:id/alert_silences";
  app.get<InProject & { Querystring: Static<typeof SilencesQuery> }>(
    path,
    {
      ...answering(needsScope(platform, "read_api", "api"), SILENCES_ANSWERS),
      schema: { params: ProjectParameters, querystring: SilencesQuery },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const page = pageOf(request.query);
      const [silences, { total }] = await Promise.all([
        listSilences(db, project.id, rowsOf(page)),
        countSilences(db, project.id),
      ]);
      setPageHeaders(request, reply, config.publicUrl, page, total);
      return silences.map((one) => silenceRecord(one, config.publicUrl));
    },
  );
  app.post<InProject & { Body: NewSilenceBody }>(
    path,
    {
      ...answering(needsScope(platform, "api"), NEW_SILENCE_ANSWERS),
      schema: { params: ProjectParameters, body: NewSilenceBody },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      const made = await saveSilence(platform, actOf(request), project, () => silenceFieldsOf(request.body));
      return reply.code(201).send(silenceRecord(made, config.publicUrl));
    },
  );
  app.post<InProject & { Body: PreviewBody }>(
    `${path}/preview`,
    {
      ...answering(needsScope(platform, "read_api", "api"), PREVIEW_ANSWERS),
      schema: { params: ProjectParameters, body: PreviewBody },
    },
    async (request) => {
      const project = await projectOf(platform, request);
      const { alerts, lookedAt } = await previewSilence(
        db.pooled,
        project.id,
        matchersOf(request.body.matchers),
      );
      const shown = alerts.map(({ iid, title, severity, status }) => ({ iid, title, severity, status }));
      return { matched: alerts.length, looked_at: lookedAt, alerts: shown.slice(0, 100) };
    },
  );
}

function itemRoutes(app: FastifyInstance, platform: Platform): void {
  const { db, config } = platform;
  const path = "/projects/:id/alert_silences/:silence_id";
  app.get<OfSilence>(
    path,
    {
      ...answering(needsScope(platform, "read_api", "api"), SILENCE_ANSWERS),
      schema: { params: SilenceParameters },
    },
    async (request) => {
      const project = await projectOf(platform, request);
      return silenceRecord(
        await silenceOf(db, project.id, numberIn(request.params.silence_id)),
        config.publicUrl,
      );
    },
  );
  app.put<OfSilence & { Body: SilenceBody }>(
    path,
    {
      ...answering(needsScope(platform, "api"), CHANGED_SILENCE_ANSWERS),
      schema: { params: SilenceParameters, body: SilenceBody },
    },
    async (request) => {
      const project = await projectOf(platform, request);
      const { id } = await silenceOf(db, project.id, numberIn(request.params.silence_id));
      const given = (before: Silence | undefined) => silenceFieldsOf(request.body, before);
      const changed = await saveSilence(platform, actOf(request), project, given, id);
      return silenceRecord(changed, config.publicUrl);
    },
  );
  app.delete<OfSilence>(
    path,
    {
      ...answering(needsScope(platform, "api"), ENDED_SILENCE_ANSWERS),
      schema: { params: SilenceParameters },
    },
    async (request, reply) => {
      const project = await projectOf(platform, request);
      await stopSilence(platform, actOf(request), project, numberIn(request.params.silence_id));
      return reply.code(204).send();
    },
  );
}

function projectOf(platform: Platform, request: FastifyRequest<InProject>) {
  return projectFor(platform.db, callerOf(request), request.params.id, "developer");
}
