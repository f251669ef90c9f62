/** Adds, changes and removes metric images of alerts and incidents (decisions 0201, 0204). */
import type { Queries } from "../platform/db.ts";
import { checkSpace } from "../platform/free-space.ts";
import type { Platform } from "../platform/platform.ts";
import { Problem } from "../platform/problem.ts";
import {
  MAX_METRIC_IMAGES,
  type MetricImage,
  type MetricImageWords,
  newMetricImage,
  newWords,
  type Pictured,
} from "./metric-image.ts";
import {
  deleteMetricImage,
  insertMetricImage,
  lockMetricImages,
  updateMetricImage,
} from "./store-metric-images.ts";

/**
 * Adds an image.
 * @throws FieldProblem; Problem unprocessable: there are too many already; unavailable: the disk is nearly full, of which an
 *   image takes as much as a thousand alerts
 */
export async function addMetricImage(
  platform: Pick<Platform, "db" | "isShortOfSpace">,
  beside: Pictured,
  authorId: number,
  file: unknown,
  words: MetricImageWords,
): Promise<MetricImage> {
  const image = newMetricImage(file, words);
  await checkSpace(platform);
  const made = await platform.db.transaction(async (tx) => {
    await lockMetricImages(tx, beside);
    return insertMetricImage(tx, beside, authorId, image);
  });
  if (made) return made;
  throw new Problem(
    "unprocessable",
    `An ${beside.kind} has at most ${MAX_METRIC_IMAGES} images. Remove one before you add another.`,
  );
}

/** @throws FieldProblem; Problem not_found */
export async function changeMetricImage(
  db: Queries,
  beside: Pictured,
  id: number,
  words: MetricImageWords,
): Promise<MetricImage> {
  const changed = await updateMetricImage(db, beside, id, newWords(words));
  if (changed) return changed;
  throw gone();
}

/** @throws Problem not_found */
export async function removeMetricImage(db: Queries, beside: Pictured, id: number): Promise<void> {
  if ((await deleteMetricImage(db, beside, id)) === 0) throw gone();
}

function gone(): Problem {
  return new Problem("not_found", "404 Metric image not found");
}
