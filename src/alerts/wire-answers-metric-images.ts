/** Responses about the metric images of alerts and incidents, for the OpenAPI document. */
import { moment, nullable, record } from "../platform/answer-shapes.ts";
import { doneAnswers, pageAnswers, REFUSED, refusal, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

export const METRIC_IMAGE = record("MetricImage", {
  id: Type.Integer(),
  created_at: moment(),
  filename: Type.String(),
  file_path: Type.String({
    description: "path of the image, relative to the address of this service; loading it requires sign-in",
  }),
  url: nullable(Type.String({ description: "address of the metric that the image shows" })),
  url_text: nullable(Type.String({ description: "link text for `url`" })),
});

export const METRIC_IMAGES_ANSWERS = pageAnswers("A page of metric images, oldest first", METRIC_IMAGE);

export const NEW_METRIC_IMAGE_ANSWERS = writeAnswers(201, "The new metric image", METRIC_IMAGE, {
  ...REFUSED.write,
  413: refusal("The body is larger than 6 MiB"),
  415: refusal("The body is not a multipart form with a file"),
  422: refusal("There are already 20 images, the maximum"),
});

export const CHANGED_METRIC_IMAGE_ANSWERS = writeAnswers(200, "The updated metric image", METRIC_IMAGE);

export const REMOVED_METRIC_IMAGE_ANSWERS = doneAnswers("The metric image was deleted", REFUSED.write);
