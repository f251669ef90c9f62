/** Statements about the metric images of alerts and incidents. */
import type { Queries } from "../platform/db.ts";
import { lockName } from "../platform/lock-name.ts";
import { bytes, instant, integer, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import {
  MAX_METRIC_IMAGES,
  type MetricImage,
  MetricImageRow,
  type MetricImageWords,
  type NewMetricImage,
  type Pictured,
  type PicturedKind,
} from "./metric-image.ts";

const columns = sql`id, filename, url, url_text, created_at`;

const PicturedRow = row({ id: integer, iid: integer });

/** Returns the alert or the incident with this iid in a project. */
export async function findPictured(
  db: Queries,
  kind: PicturedKind,
  projectId: number,
  iid: number,
): Promise<Pictured | undefined> {
  const table = kind === "alert" ? sql`alerts` : sql`incidents`;
  const found = await db.find(
    PicturedRow,
    sql`select id, iid from ${table} where project_id = ${projectId} and iid = ${iid}`,
  );
  return found && { kind, ...found };
}

/** Returns the condition for images of this alert or incident. */
function besideIt({ kind, id }: Pictured): Sql {
  return kind === "alert" ? sql`alert_id = ${id}` : sql`incident_id = ${id}`;
}

/** Lists images in the order in which they were added. */
export function listMetricImages(db: Queries, beside: Pictured): Promise<MetricImage[]> {
  return db.many(
    MetricImageRow,
    sql`select ${columns} from alert_metric_images where ${besideIt(beside)} order by id`,
  );
}

/** Locks adding images to this alert or incident until the transaction ends. */
export function lockMetricImages(tx: Queries, { kind, id }: Pictured): Promise<number> {
  return lockName(tx, `metric images of ${kind} ${id}`);
}

/** Inserts an image; undefined if there are as many as allowed. The caller holds the lock, so that the count is exact. */
export function insertMetricImage(
  db: Queries,
  beside: Pictured,
  authorId: number,
  { filename, mediaType, bytes: picture, url = null, urlText = null }: NewMetricImage,
): Promise<MetricImage | undefined> {
  const { kind, id } = beside;
  return db.find(
    MetricImageRow,
    sql`insert into alert_metric_images
        (alert_id, incident_id, author_id, filename, media_type, bytes, url, url_text)
      select ${kind === "alert" ? id : null}::bigint, ${kind === "incident" ? id : null}::bigint,
        ${authorId}, ${filename}, ${mediaType}, ${picture}, ${url}, ${urlText}
      where (select count(*) from alert_metric_images where ${besideIt(beside)}) < ${MAX_METRIC_IMAGES}
      returning ${columns}`,
  );
}

/** Updates an image; undefined if it does not exist. */
export function updateMetricImage(
  db: Queries,
  beside: Pictured,
  id: number,
  { url, urlText }: MetricImageWords,
): Promise<MetricImage | undefined> {
  return db.find(
    MetricImageRow,
    sql`update alert_metric_images set url = case when ${url === undefined} then url else ${url ?? null} end,
      url_text = case when ${urlText === undefined} then url_text else ${urlText ?? null} end
      where ${besideIt(beside)} and id = ${id} returning ${columns}`,
  );
}

/** Deletes an image; returns 0 or 1. */
export function deleteMetricImage(db: Queries, beside: Pictured, id: number): Promise<number> {
  return db.run(sql`delete from alert_metric_images where ${besideIt(beside)} and id = ${id}`);
}

const PictureRow = row({ filename: text, mediaType: text, createdAt: instant });

/** Returns the metadata of an image file. */
export function findPicture(db: Queries, beside: Pictured, id: number) {
  return db.find(
    PictureRow,
    sql`select filename, media_type, created_at from alert_metric_images where ${besideIt(beside)} and id = ${id}`,
  );
}

/** Returns the image file: megabytes, so on `db.pooled`, where it does not delay other statements. */
export async function findPictureBytes(
  db: Queries,
  beside: Pictured,
  id: number,
): Promise<Buffer | undefined> {
  const found = await db.find(
    row({ bytes }),
    sql`select bytes from alert_metric_images where ${besideIt(beside)} and id = ${id}`,
  );
  return found?.bytes;
}
