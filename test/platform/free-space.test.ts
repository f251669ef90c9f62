/**
 * A disk that is nearly full: new data is refused, existing data stays readable, and everything works again once there is space.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { buildApp } from "../../src/app.ts";
import { isShort, watchSpace } from "../../src/platform/free-space.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { coded, formOf, PICTURE } from "../support/picture.ts";
import { freePort, startWorld, type World } from "../support/world.ts";

const MEBIBYTE = 1024 * 1024;

test("a disk is short of space below both 256 MiB and five percent, not below only one of them (reference reliability A13)", () => {
  const GIBIBYTE = 1024 * MEBIBYTE;
  assert.equal(isShort(255 * MEBIBYTE, 100 * GIBIBYTE), true);
  assert.equal(isShort(256 * MEBIBYTE, 100 * GIBIBYTE), false);
  assert.equal(isShort(3 * GIBIBYTE, 100 * GIBIBYTE), false);
  assert.equal(isShort(21 * MEBIBYTE, 400 * MEBIBYTE), false);
  assert.equal(isShort(19 * MEBIBYTE, 400 * MEBIBYTE), true);
  assert.equal(isShort(0, 0), false, "some file systems report no size");
});

test("if the free space cannot be determined, nothing is refused (reference reliability A13)", async () => {
  assert.equal(await watchSpace("/nowhere/at/all")(), false);
});

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
});

test("while space is short, alerts, images and events get 503 and are not stored, other requests work, and readiness gives the reason; afterwards they are accepted again (reference reliability A13, F10)", async () => {
  let short = true;
  const app = await buildApp({ ...world.platform, isShortOfSpace: async () => short });
  const url = await app.listen({ host: "127.0.0.1", port: await freePort() });
  whenDone(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const bearer = `Bearer ${await world.tokenOf("max", "api")}`;
  const json = { "content-type": "application/json" };
  assert.equal((await source.send({ title: "Before" })).status, 200);
  const picture = await coded(formOf({}, PICTURE));
  const writes = [
    {
      path: source.path,
      headers: { ...json, authorization: `Bearer ${source.key}` },
      body: '{"title":"Hot"}',
    },
    {
      path: "/api/v4/projects/acme%2Frocket/events",
      headers: { ...json, authorization: bearer },
      body: '{"action":"created","target_type":"Issue","target_iid":1,"target_title":"T"}',
    },
    {
      path: "/api/v4/projects/acme%2Frocket/pushes",
      headers: { ...json, authorization: bearer },
      body: '{"changes":[{"ref":"refs/heads/main","before":"abcd","after":"abcdef"}]}',
    },
    {
      path: "/api/v4/events/bulk",
      headers: { "content-type": "application/x-ndjson", authorization: bearer },
      body: '{"project_id":"acme/rocket","action":"created","target_type":"Issue","target_iid":2}',
    },
    {
      path: "/api/v4/projects/acme%2Frocket/alert_management_alerts/1/metric_images",
      headers: { ...picture.headers, authorization: bearer },
      body: picture.body,
    },
    {
      path: `/api/v4/projects/acme%2Frocket/alert_integrations/${source.id}/test`,
      headers: { ...json, authorization: bearer },
      body: '{"payload":{"title":"Tried"}}',
    },
  ];
  const counts = async () => {
    const paths = ["/alert_management_alerts", "/alert_receipts", "/events"];
    const lists = await Promise.all(
      paths.map((path) => world.call(`/api/v4/projects/acme%2Frocket${path}`, { as: "max" })),
    );
    return lists.map(({ json: rows }) => rows.length);
  };
  const before = await counts();
  for (const write of writes) {
    const reply = await fetch(url + write.path, { method: "POST", ...write });
    assert.equal(reply.status, 503, write.path);
    const { message } = (await reply.json()) as { message: string };
    assert.match(message, /^The disk of the database is nearly full\. Nothing was stored\./);
    assert.equal(reply.headers.get("retry-after"), "30");
    assert.equal(reply.headers.get("x-alert-receipt"), null, "no receipt was stored");
  }
  assert.deepEqual(await counts(), before);
  const readiness = await fetch(`${url}/-/readiness`);
  assert.equal(readiness.status, 503);
  assert.deepEqual(await readiness.json(), {
    message:
      "The disk of the database is nearly full. Alerts and events are refused until somebody makes room on it.",
    reason: "disk_full",
  });
  assert.equal((await fetch(`${url}/-/liveness`)).status, 200);
  const group = {
    method: "POST",
    headers: { ...json, authorization: bearer },
    body: '{"name":"New","path":"new-group"}',
  };
  assert.equal((await fetch(`${url}/api/v4/groups`, group)).status, 201, "other requests work");
  short = false;
  for (const write of writes) {
    const reply = await fetch(url + write.path, { method: "POST", ...write });
    assert.ok(reply.ok, `${write.path}: ${await reply.text()}`);
  }
  assert.equal((await fetch(`${url}/-/readiness`)).status, 200);
});
