/** Senders that knock at several doors of one project in the same moment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { aSource } from "../support/alerts.ts";
import { startWorld } from "../support/world.ts";

test("each door knows its own keys, however many knock at the others (contract-alerts, doors; decision 0090)", async () => {
  const world = await startWorld();
  const http = await aSource(world, "http");
  const prometheus = await aSource(world, "prometheus");
  const alerts = [{ labels: { alertname: "Together" }, annotations: {} }];
  const doors = [
    { path: "/acme/rocket/alertmanager/api/v2/alerts", key: http.key, status: 200 },
    { path: prometheus.path, key: prometheus.key, status: 200 },
    // The key of another integration fits at no shared address but the manager's.
    { path: prometheus.path, key: http.key, status: 401 },
  ];
  for (let round = 0; round < 20; round++) {
    const sent = Array.from({ length: 18 }, (_, n) => {
      const { path, key } = doors[(n + round) % 3] as (typeof doors)[number];
      return world.call(path, { json: alerts, headers: { authorization: `Bearer ${key}` } });
    });
    const answered = (await Promise.all(sent)).map(({ status }) => status);
    const expected = sent.map((_, n) => doors[(n + round) % 3]?.status);
    assert.deepEqual(answered, expected, `round ${round}`);
  }
});
