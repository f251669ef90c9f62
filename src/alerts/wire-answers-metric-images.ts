/** The answers about pictures beside alerts and incidents, as the OpenAPI document describes them. */
import { moment, nullable, record } from "../platform/answer-shapes.ts";
import { doneAnswers, pageAnswers, REFUSED, refusal, writeAnswers } from "../platform/answers.ts";
import Type from "../platform/schema.ts";

export const METRIC_IMAGE = record("MetricImage", {
  id: Type.Integer(),
  created_at: moment(),
  filename: Type.String(),
  file_path: Type.String({
    description: "where the picture is, below the address of this service; for the signed in",
  }),
  url: nullable(Type.String({ description: "where the measurement can be seen" })),
  url_text: nullable(Type.String({ description: "what that is called" })),
});

export const METRIC_IMAGES_ANSWERS = pageAnswers("The pictures beside it, the oldest first", METRIC_IMAGE);

export const NEW_METRIC_IMAGE_ANSWERS = writeAnswers(201, "The new picture", METRIC_IMAGE, {
  ...REFUSED.write,
  413: refusal("The body is larger than 6 MiB"),
  415: refusal("The body is no form with a file"),
  422: refusal("It has 20 pictures already"),
});

export const CHANGED_METRIC_IMAGE_ANSWERS = writeAnswers(200, "The picture as it is now", METRIC_IMAGE);

export const REMOVED_METRIC_IMAGE_ANSWERS = doneAnswers("It is gone", REFUSED.write);
