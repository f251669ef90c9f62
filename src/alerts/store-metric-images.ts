/** Statements about the pictures beside alerts. */
import type { Queries } from "../platform/db.ts";
import { bytes, row, text } from "../platform/row.ts";
import { sql } from "../platform/sql.ts";
import {
  type MetricImage,
  MetricImageRow,
  type MetricImageWords,
  MOST_METRIC_IMAGES,
  type NewMetricImage,
} from "./metric-image.ts";

const columns = sql`id, filename, url, url_text, created_at`;

/** In the order in which they came. */
export function listMetricImages(db: Queries, alertId: number): Promise<MetricImage[]> {
  return db.many(
    MetricImageRow,
    sql`select ${columns} from alert_metric_images where alert_id = ${alertId} order by id`,
  );
}

/** Undefined: the alert has as many as it may have. */
export function insertMetricImage(
  db: Queries,
  alertId: number,
  authorId: number,
  { filename, mediaType, bytes: picture, url = null, urlText = null }: NewMetricImage,
): Promise<MetricImage | undefined> {
  return db.find(
    MetricImageRow,
    sql`insert into alert_metric_images (alert_id, author_id, filename, media_type, bytes, url, url_text)
      select ${alertId}, ${authorId}, ${filename}, ${mediaType}, ${picture}, ${url}, ${urlText}
      where (select count(*) from alert_metric_images where alert_id = ${alertId}) < ${MOST_METRIC_IMAGES}
      returning ${columns}`,
  );
}

/** Undefined: the alert has no such picture. */
export function updateMetricImage(
  db: Queries,
  alertId: number,
  id: number,
  { url, urlText }: MetricImageWords,
): Promise<MetricImage | undefined> {
  return db.find(
    MetricImageRow,
    sql`update alert_metric_images set url = case when ${url === undefined} then url else ${url ?? null} end,
      url_text = case when ${urlText === undefined} then url_text else ${urlText ?? null} end
      where alert_id = ${alertId} and id = ${id} returning ${columns}`,
  );
}

/** How many went: one or none. */
export function deleteMetricImage(db: Queries, alertId: number, id: number): Promise<number> {
  return db.run(sql`delete from alert_metric_images where alert_id = ${alertId} and id = ${id}`);
}

const PictureRow = row({ filename: text, mediaType: text, bytes });

/** The picture itself. */
export function findPicture(db: Queries, alertId: number, id: number) {
  return db.find(
    PictureRow,
    sql`select filename, media_type, bytes from alert_metric_images where alert_id = ${alertId} and id = ${id}`,
  );
}
