/** The requests and records of pictures beside alerts and incidents (GitLab v4 API: metric images of alert management alerts, of issues). */
import type { Described } from "../platform/answers.ts";
import { pageParameters } from "../platform/pagination.ts";
import Type, { type Static } from "../platform/schema.ts";
import { type MetricImage, type MetricImageWords, metricImagePath, type Pictured } from "./metric-image.ts";
import { AlertParameters, IncidentParameters, type ItemParameters } from "./wire.ts";
import type { METRIC_IMAGE } from "./wire-answers-metric-images.ts";

const image_id = Type.String({ description: "number of the picture" });
export const AlertImageParameters = Type.Object({ ...AlertParameters.properties, image_id });
export const IncidentImageParameters = Type.Object({ ...IncidentParameters.properties, image_id });
export type MetricImageParameters = ItemParameters & { image_id: string };

export const MetricImagesQuery = Type.Object({ ...pageParameters });

const words = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));

export const MetricImageBody = Type.Object({
  url: words("where the measurement can be seen: http or https, at most 255 characters; empty: nowhere"),
  url_text: words("what that is called, at most 128 characters; empty: nothing"),
});
export type MetricImageBody = Static<typeof MetricImageBody>;

export const NewMetricImageBody = Type.Object({
  // Must be there; whose role is too low is told that first.
  file: Type.Optional(
    Type.Unsafe<unknown>({
      description: "the picture, without which it is refused: PNG, JPEG, GIF or WebP, at most 5 MiB",
      contentMediaType: "application/octet-stream",
    }),
  ),
  ...MetricImageBody.properties,
});
export type NewMetricImageBody = Static<typeof NewMetricImageBody>;

export function wordsOf({ url, url_text: urlText }: MetricImageBody): MetricImageWords {
  return { url, urlText };
}

/** A picture as the API tells of it. */
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
