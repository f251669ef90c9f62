/** Requests about metric images of alerts and incidents, and their record on the API (shapes of the GitLab v4 API). */
import type { Described } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { type MetricImage, type MetricImageWords, metricImagePath, type Pictured } from "./metric-image.ts";
import { AlertParameters, IncidentParameters, type ItemParameters } from "./wire.ts";
import type { METRIC_IMAGE } from "./wire-answers-metric-images.ts";

const image_id = Type.String({ description: "number of the metric image" });
export const AlertImageParameters = Type.Object({ ...AlertParameters.properties, image_id });
export const IncidentImageParameters = Type.Object({ ...IncidentParameters.properties, image_id });
export type MetricImageParameters = ItemParameters & { image_id: string };

export const MetricImagesQuery = Type.Object({ ...pageParameters });

const words = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));

export const MetricImageBody = Type.Object({
  url: words(
    "address of the metric that the image shows, http or https, at most 255 characters; empty: none",
  ),
  url_text: words("link text for `url`, at most 128 characters; empty: none"),
});
export type MetricImageBody = Static<typeof MetricImageBody>;

export const NewMetricImageBody = Type.Object({
  // Required, but checked after the caller's role, which is reported first if it is too low.
  file: Type.Optional(
    Type.Unsafe<unknown>({
      description: "image file, required: PNG, JPEG, GIF or WebP, at most 5 MiB",
      contentMediaType: "application/octet-stream",
    }),
  ),
  ...MetricImageBody.properties,
});
export type NewMetricImageBody = Static<typeof NewMetricImageBody>;

export function wordsOf({ url, url_text: urlText }: MetricImageBody): MetricImageWords {
  return { url, urlText };
}

/** A metric image as the API shows it. */
export function metricImageRecord(
  image: MetricImage,
  projectPath: string,
  beside: Pictured,
): Described<typeof METRIC_IMAGE> {
  return {
    id: image.id,
    created_at: image.createdAt.toISOString(),
    filename: image.filename,
    file_path: metricImagePath(projectPath, beside, image),
    url: image.url,
    url_text: image.urlText,
  };
}
