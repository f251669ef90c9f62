/** Images that are added to an alert at the same time. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { newMetricImage } from "../../src/alerts/metric-image.ts";
import { addMetricImage } from "../../src/alerts/save-metric-image.ts";
import {
  findPictured,
  insertMetricImage,
  listMetricImages,
  lockMetricImages,
} from "../../src/alerts/store-metric-images.ts";
import { UploadedFile } from "../../src/platform/multipart.ts";
import { Problem } from "../../src/platform/problem.ts";
import { aSource } from "../support/alerts.ts";
import { whileDoing } from "../support/meanwhile.ts";
import { PICTURE } from "../support/picture.ts";
import { startWorld, type World } from "../support/world.ts";

const FILE = new UploadedFile("chart.png", PICTURE);

let world: World;
before(async () => {
  world = await startWorld();
});

test("of two concurrent images, the one that would be the twenty-first is refused (decision 0201)", async () => {
  const { platform } = world;
  await (await aSource(world)).send({ title: "Slow" });
  const alert = await findPictured(platform.db, "alert", world.rocket.id, 1);
  assert.ok(alert);
  const add = () => addMetricImage(platform, alert, world.ids.dev, FILE, {});
  for (let n = 0; n < 19; n++) await add();
  const { first, worked } = await whileDoing(
    world,
    async (tx) => {
      await lockMetricImages(tx, alert);
      return insertMetricImage(tx, alert, world.ids.dev, newMetricImage(FILE, {}));
    },
    () => add().catch((error) => error),
  );
  assert.ok(first, "the twentieth is accepted");
  assert.ok(worked instanceof Problem && worked.kind === "unprocessable", String(worked));
  assert.equal((await listMetricImages(platform.db, alert)).length, 20);
});
