/** How the service leaves: it says so first, and finishes what it has begun. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { announceStop, checkReadiness } from "../../src/platform/readiness.ts";
import { newInstallation, startService } from "../support/installation.ts";
import { startWorld } from "../support/world.ts";

test("a service that is about to stop is not ready, and still serves (reference reliability F8)", async () => {
  const world = await startWorld();
  assert.equal((await world.call("/-/readiness")).status, 200);
  announceStop(world.platform.db);
  const reply = await world.call("/-/readiness");
  assert.equal(reply.status, 503);
  assert.equal((await world.call("/-/liveness")).status, 200);
  assert.equal((await world.call("/api/v4/user", { as: "dev" })).status, 200);
  await assert.rejects(checkReadiness(world.platform.db), /stopping/);
});

test("after SIGTERM readiness answers 503 while requests are served, then the process ends with 0 (reference reliability F8)", async () => {
  const installation = await newInstallation();
  const service = await startService(installation);
  const ended = service.stop();
  const deadline = Date.now() + 30_000;
  let status = 200;
  while (status === 200 && Date.now() < deadline) {
    status = (await fetch(`${installation.url}/-/readiness`)).status;
  }
  assert.equal(status, 503);
  assert.equal((await fetch(`${installation.url}/-/liveness`)).status, 200);
  assert.equal(await ended, 0);
  await assert.rejects(fetch(`${installation.url}/-/liveness`));
  assert.doesNotMatch(service.output(), /liveness|readiness/);
});
