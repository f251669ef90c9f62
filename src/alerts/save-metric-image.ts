/** Puts pictures of measurements beside alerts and takes them away (decision 0201). */
import type { Queries } from "../platform/db.ts";
import { Problem } from "../platform/problem.ts";
import {
  type MetricImage,
  type MetricImageWords,
  MOST_METRIC_IMAGES,
  newMetricImage,
  newWords,
} from "./metric-image.ts";
import { deleteMetricImage, insertMetricImage, updateMetricImage } from "./store-metric-images.ts";

/** @throws FieldProblem; Problem unprocessable: the alert has as many as it may have */
export async function addMetricImage(
  db: Queries,
  alertId: number,
  authorId: number,
  file: unknown,
  words: MetricImageWords,
): Promise<MetricImage> {
  const made = await insertMetricImage(db, alertId, authorId, newMetricImage(file, words));
  if (made) return made;
  throw new Problem(
    "unprocessable",
    `An alert has at most ${MOST_METRIC_IMAGES} images. Remove one before you add another.`,
  );
}

/** @throws FieldProblem; Problem not_found */
export async function changeMetricImage(
  db: Queries,
  alertId: number,
  id: number,
  words: MetricImageWords,
): Promise<MetricImage> {
  const changed = await updateMetricImage(db, alertId, id, newWords(words));
  if (changed) return changed;
  throw gone();
}

/** @throws Problem not_found */
export async function removeMetricImage(db: Queries, alertId: number, id: number): Promise<void> {
  if ((await deleteMetricImage(db, alertId, id)) === 0) throw gone();
}

function gone(): Problem {
  return new Problem("not_found", "404 Metric image not found");
}
