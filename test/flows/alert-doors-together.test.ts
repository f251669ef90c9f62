/** Requests to several alert endpoints at the same time. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildApp } from "../../src/app.ts";
import type { Db } from "../../src/platform/db.ts";
import { aSource } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
const alerts = [{ labels: { alertname: "Together" }, annotations: {} }];

test("each endpoint accepts only its own keys under concurrent requests to all of them (contract-alerts, doors; decision 0090)", async () => {
  const http = await aSource(world, "http");
  const prometheus = await aSource(world, "prometheus");
  const elsewhere = await aSource(world, "http", {}, "acme/open");
  const doors = [
    { path: "/acme/rocket/alertmanager/api/v2/alerts", key: http.key, status: 200 },
    { path: prometheus.path, key: prometheus.key, status: 200 },
    // Another integration's key is accepted at the shared Alertmanager address only.
    { path: prometheus.path, key: http.key, status: 401 },
    // And there only in its own project.
    { path: "/acme/open/alertmanager/api/v2/alerts", key: elsewhere.key, status: 200 },
    { path: "/acme/open/alertmanager/api/v2/alerts", key: http.key, status: 401 },
  ];
  const doorAt = (place: number) => doors[place % doors.length] as (typeof doors)[number];
  for (let round = 0; round < 20; round++) {
    const sent = Array.from({ length: 20 }, (_, n) => {
      const { path, key } = doorAt(n + round);
      return world.call(path, { json: alerts, headers: { authorization: `Bearer ${key}` } });
    });
    const answered = (await Promise.all(sent)).map(({ status }) => status);
    const expected = sent.map((_, n) => doorAt(n + round).status);
    assert.deepEqual(answered, expected, `round ${round}`);
  }
});

test("a request after an integration is switched off gets 403, though an earlier lookup is still pending (contract-alerts, doors; decision 0090)", async () => {
  const { id, key } = await aSource(world, "http", { name: "Soon off" }, "acme/open");
  const gate = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  let isHeld = false;
  // The first lookup has read the integration as active and is slow to return.
  const many: Db["many"] = async (shape, statement) => {
    const isFirst = isHeld;
    isHeld = false;
    const found = await world.platform.db.many(shape, statement);
    if (isFirst) {
      looked.resolve();
      await gate.promise;
    }
    return found;
  };
  const app = await buildApp({ ...world.platform, db: { ...world.platform.db, many } });
  whenDone(() => app.close());
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const knock = () =>
    fetch(`${url}/acme/open/alertmanager/api/v2/alerts`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(alerts),
    });
  isHeld = true;
  const early = knock();
  await looked.promise;
  const path = `/api/v4/projects/acme%2Fopen/alert_integrations/${id}`;
  const off = await world.call(path, { as: "max", method: "PUT", json: { active: false } });
  assert.equal(off.status, 200, off.text);
  const arrived = Promise.withResolvers<void>();
  app.server.once("request", () => setImmediate(arrived.resolve));
  const late = knock();
  // It arrives while the first one is waiting.
  await arrived.promise;
  gate.resolve();
  assert.equal((await early).status, 200);
  assert.equal((await late).status, 403);
});
