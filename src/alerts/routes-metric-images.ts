/** The API of metric images of alerts and incidents, as in the GitLab v4 API (decisions 0201, 0204). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { takesFiles } from "../platform/multipart.ts";
import { idIn } from "../platform/number-in.ts";
import { onPage, pageOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import type { Static } from "../platform/schema.ts";
import { projectFor } from "../projects/access.ts";
import type { Role } from "../projects/role.ts";
import { METRIC_FORM_BYTES, type PicturedKind, READERS } from "./metric-image.ts";
import { addMetricImage, changeMetricImage, removeMetricImage } from "./save-metric-image.ts";
import { findPictured, listMetricImages } from "./store-metric-images.ts";
import { AlertParameters, IncidentParameters, type ItemParameters } from "./wire.ts";
import {
  CHANGED_METRIC_IMAGE_ANSWERS,
  METRIC_IMAGES_ANSWERS,
  NEW_METRIC_IMAGE_ANSWERS,
  REMOVED_METRIC_IMAGE_ANSWERS,
} from "./wire-answers-metric-images.ts";
import {
  AlertImageParameters,
  IncidentImageParameters,
  MetricImageBody,
  type MetricImageParameters,
  MetricImagesQuery,
  metricImageRecord,
  NewMetricImageBody,
  wordsOf,
} from "./wire-metric-images.ts";

type OfPictured = { Params: ItemParameters };
type OfImage = { Params: MetricImageParameters };

interface Doors {
  kind: PicturedKind;
  collection: string;
  params: typeof AlertParameters;
  imageParams: typeof AlertImageParameters;
  /** The message if the alert or incident does not exist. */
  missing: string;
}
const ALERTS: Doors = {
  kind: "alert",
  collection: "/projects/:id/alert_management_alerts/:iid/metric_images",
  params: AlertParameters,
  imageParams: AlertImageParameters,
  missing: "404 Alert Not Found",
};
const INCIDENTS: Doors = {
  kind: "incident",
  collection: "/projects/:id/issues/:iid/metric_images",
  params: IncidentParameters,
  imageParams: IncidentImageParameters,
  missing: "404 Issue Not Found",
};

export async function metricImageRoutes(app: FastifyInstance, platform: Platform): Promise<void> {
  takesFiles(app, METRIC_FORM_BYTES);
  for (const doors of [ALERTS, INCIDENTS]) imageRoutes(app, platform, doors);
}

function imageRoutes(app: FastifyInstance, platform: Platform, doors: Doors): void {
  const { db, config } = platform;
  const { kind, collection, params, imageParams } = doors;
  const item = `${collection}/:image_id`;
  app.get<OfPictured & { Querystring: Static<typeof MetricImagesQuery> }>(
    collection,
    {
      ...answering(needsScope(platform, "read_api", "api"), METRIC_IMAGES_ANSWERS),
      schema: { params, querystring: MetricImagesQuery },
    },
    async (request, reply) => {
      const { beside, fullPath } = await picturedFor(platform, request, doors, READERS[kind]);
      const page = pageOf(request.query);
      const images = await listMetricImages(db, beside);
      setPageHeaders(request, reply, config.publicUrl, page, images.length);
      return onPage(images, page).map((image) => metricImageRecord(image, fullPath, beside));
    },
  );
  app.post<OfPictured & { Body: NewMetricImageBody }>(
    collection,
    {
      ...answering(needsScope(platform, "api"), NEW_METRIC_IMAGE_ANSWERS),
      schema: { params, body: NewMetricImageBody, consumes: ["multipart/form-data"] },
    },
    async (request, reply) => {
      const { beside, fullPath } = await picturedFor(platform, request, doors);
      const { file, ...words } = request.body;
      const made = await addMetricImage(platform, beside, callerOf(request).id, file, wordsOf(words));
      return reply.code(201).send(metricImageRecord(made, fullPath, beside));
    },
  );
  app.put<OfImage & { Body: MetricImageBody }>(
    item,
    {
      ...answering(needsScope(platform, "api"), CHANGED_METRIC_IMAGE_ANSWERS),
      schema: { params: imageParams, body: MetricImageBody },
    },
    async (request) => {
      const { beside, fullPath } = await picturedFor(platform, request, doors);
      const id = idIn(request.params.image_id);
      const changed = await changeMetricImage(db, beside, id, wordsOf(request.body));
      return metricImageRecord(changed, fullPath, beside);
    },
  );
  app.delete<OfImage>(
    item,
    {
      ...answering(needsScope(platform, "api"), REMOVED_METRIC_IMAGE_ANSWERS),
      schema: { params: imageParams },
    },
    async (request, reply) => {
      const { beside } = await picturedFor(platform, request, doors);
      await removeMetricImage(db, beside, idIn(request.params.image_id));
      return reply.code(204).send();
    },
  );
}

/** Returns the alert or incident of the request's path, if the caller has the role. @throws Problem not_found, forbidden */
async function picturedFor(
  { db }: Platform,
  request: FastifyRequest<OfPictured>,
  { kind, missing }: Doors,
  role: Role = "developer",
) {
  const project = await projectFor(db, callerOf(request), request.params.id, role);
  const beside = await findPictured(db, kind, project.id, idIn(request.params.iid));
  if (!beside) throw new Problem("not_found", missing);
  return { beside, fullPath: project.fullPath };
}
