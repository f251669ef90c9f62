/** Statements about the pictures beside alerts and incidents. */
import type { Queries } from "../platform/db.ts";
import { lockName } from "../platform/lock-name.ts";
import { bytes, instant, integer, row, text } from "../platform/row.ts";
import { type Sql, sql } from "../platform/sql.ts";
import {
  type MetricImage,
  MetricImageRow,
  type MetricImageWords,
  MOST_METRIC_IMAGES,
  type NewMetricImage,
  type Pictured,
  type PicturedKind,
} from "./metric-image.ts";

const columns = sql`id, filename, url, url_text, created_at`;

const PicturedRow = row({ id: integer, iid: integer });

/** The alert or the incident of this number in a project. */
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

/** Those beside this one. */
function besideIt({ kind, id }: Pictured): Sql {
  return kind === "alert" ? sql`alert_id = ${id}` : sql`incident_id = ${id}`;
}

/** In the order in which they came. */
export function listMetricImages(db: Queries, beside: Pictured): Promise<MetricImage[]> {
  return db.many(
    MetricImageRow,
    sql`select ${columns} from alert_metric_images where ${besideIt(beside)} order by id`,
  );
}

/** Makes others who would put a picture beside the same wait until the transaction ends, and nobody else. */
export function lockMetricImages(tx: Queries, { kind, id }: Pictured): Promise<number> {
  return lockName(tx, `metric images of ${kind} ${id}`);
}

/** Undefined: there are as many as there may be; of those who ask at once, only for whoever has its lock. */
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
      where (select count(*) from alert_metric_images where ${besideIt(beside)}) < ${MOST_METRIC_IMAGES}
      returning ${columns}`,
  );
}

/** Undefined: there is no such picture beside it. */
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

/** How many went: one or none. */
export function deleteMetricImage(db: Queries, beside: Pictured, id: number): Promise<number> {
  return db.run(sql`delete from alert_metric_images where ${besideIt(beside)} and id = ${id}`);
}

const PictureRow = row({ filename: text, mediaType: text, createdAt: instant });

/** What is told of a picture beside its bytes. */
export function findPicture(db: Queries, beside: Pictured, id: number) {
  return db.find(
    PictureRow,
    sql`select filename, media_type, created_at from alert_metric_images where ${besideIt(beside)} and id = ${id}`,
  );
}

/** The picture itself: megabytes, behind which nobody else should wait (`db.pooled`). */
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
