/** The API of pictures beside alerts, as the GitLab v4 API has it (decision 0201). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { callerOf, needsScope } from "../accounts/caller.ts";
import { answering } from "../platform/answers.ts";
import { takesFiles } from "../platform/multipart.ts";
import { onPage, pageOf, setPageHeaders } from "../platform/pagination.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import { projectFor } from "../projects/access.ts";
import { METRIC_FORM_BYTES } from "./metric-image.ts";
import { addMetricImage, changeMetricImage, removeMetricImage } from "./save-metric-image.ts";
import { findAlert } from "./store.ts";
import { listMetricImages } from "./store-metric-images.ts";
import { AlertParameters, type ItemParameters, numberIn } from "./wire.ts";
import {
  CHANGED_METRIC_IMAGE_ANSWERS,
  METRIC_IMAGES_ANSWERS,
  NEW_METRIC_IMAGE_ANSWERS,
  REMOVED_METRIC_IMAGE_ANSWERS,
} from "./wire-answers-metric-images.ts";
import {
  MetricImageBody,
  MetricImageParameters,
  MetricImagesQuery,
  metricImageRecord,
  NewMetricImageBody,
  wordsOf,
} from "./wire-metric-images.ts";

type OfAlert = { Params: ItemParameters };
type OfImage = { Params: MetricImageParameters };
const COLLECTION = "/projects/:id/alert_management_alerts/:iid/metric_images";
const ITEM = `${COLLECTION}/:image_id`;

export async function metricImageRoutes(app: FastifyInstance, platform: Platform): Promise<void> {
  const { db, config } = platform;
  takesFiles(app);
  app.get<OfAlert & { Querystring: Static<typeof MetricImagesQuery> }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "read_api", "api"), METRIC_IMAGES_ANSWERS),
      schema: { params: AlertParameters, querystring: MetricImagesQuery },
    },
    async (request, reply) => {
      const { alert, fullPath } = await named(platform, request);
      const page = pageOf(request.query);
      const images = await listMetricImages(db, alert.id);
      setPageHeaders(request, reply, config.publicUrl, page, images.length);
      return onPage(images, page).map((image) => metricImageRecord(image, fullPath, alert.iid));
    },
  );
  app.post<OfAlert & { Body: NewMetricImageBody }>(
    COLLECTION,
    {
      ...answering(needsScope(platform, "api"), NEW_METRIC_IMAGE_ANSWERS),
      schema: { params: AlertParameters, body: NewMetricImageBody, consumes: ["multipart/form-data"] },
      bodyLimit: METRIC_FORM_BYTES,
    },
    async (request, reply) => {
      const { alert, fullPath } = await named(platform, request);
      const { file, ...words } = request.body;
      const made = await addMetricImage(db, alert.id, callerOf(request).id, file, wordsOf(words));
      return reply.code(201).send(metricImageRecord(made, fullPath, alert.iid));
    },
  );
  app.put<OfImage & { Body: MetricImageBody }>(
    ITEM,
    {
      ...answering(needsScope(platform, "api"), CHANGED_METRIC_IMAGE_ANSWERS),
      schema: { params: MetricImageParameters, body: MetricImageBody },
    },
    async (request) => {
      const { alert, fullPath } = await named(platform, request);
      const id = numberIn(request.params.image_id) ?? 0;
      const changed = await changeMetricImage(db, alert.id, id, wordsOf(request.body));
      return metricImageRecord(changed, fullPath, alert.iid);
    },
  );
  app.delete<OfImage>(
    ITEM,
    {
      ...answering(needsScope(platform, "api"), REMOVED_METRIC_IMAGE_ANSWERS),
      schema: { params: MetricImageParameters },
    },
    async (request, reply) => {
      const { alert } = await named(platform, request);
      await removeMetricImage(db, alert.id, numberIn(request.params.image_id) ?? 0);
      return reply.code(204).send();
    },
  );
}

/** The alert of the address, for those who may see it. @throws Problem not_found, forbidden */
async function named({ db }: Platform, request: FastifyRequest<OfAlert>) {
  const project = await projectFor(db, callerOf(request), request.params.id, "developer");
  const alert = await findAlert(db, project.id, numberIn(request.params.iid) ?? 0, { isBare: true });
  if (!alert) throw new Problem("not_found", "404 Alert Not Found");
  return { alert, fullPath: project.fullPath };
}
