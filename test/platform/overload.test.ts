/** An overloaded process: it refuses requests at once, reports its state, and accepts everything again afterwards. */
import assert from "node:assert/strict";
import { createHistogram } from "node:perf_hooks";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { buildApp } from "../../src/app.ts";
import { medianOf, watchOverload } from "../../src/platform/overload.ts";
import { integer, row } from "../../src/platform/row.ts";
import { sql } from "../../src/platform/sql.ts";
import { aSource } from "../support/alerts.ts";
import { whenDone } from "../support/cleanup.ts";
import { freePort, startWorld } from "../support/world.ts";

test("a delay of more than a second is an overload, and each change is reported once (reference reliability S123)", () => {
  const heard: boolean[] = [];
  const measured = [20, 1000, 1001, 5000, 900, 20];
  const overload = watchOverload(
    (is) => heard.push(is),
    () => measured.shift() ?? 0,
  );
  overload.stop();
  const found = Array.from({ length: 6 }, () => {
    overload.look();
    return overload.isOverloaded();
  });
  assert.deepEqual(found, [false, false, true, true, false, false]);
  assert.deepEqual(heard, [true, false]);
});

test("one pause is no overload, also if it began just after the last look; two late turns in a row are one (reference reliability S123)", () => {
  const delays = createHistogram();
  const median = medianOf(delays);
  const after = (...milliseconds: number[]) => {
    for (const each of milliseconds) delays.record(each * 1_000_000);
    return Math.round(median());
  };
  assert.equal(after(20, 21, 20, 3300), 20);
  assert.equal(after(3300), 20);
  assert.equal(after(), 20);
  assert.equal(after(20), 20);
  assert.ok(after(1200, 1300) > 1000);
  assert.ok(after(1200) > 1000, "it is still late");
  assert.ok(after(1300) > 1000);
  assert.equal(after(20, 20), 20);
});

test("an event loop whose turns all take longer than a second is detected (reference reliability S123)", async () => {
  const heard: boolean[] = [];
  const overload = watchOverload((is) => heard.push(is));
  const cell = new Int32Array(new SharedArrayBuffer(4));
  // Three turns suffice, unless the machine pauses between two of them: then the short turn after it is counted, too.
  for (let turns = 0; turns < 40 && !heard.includes(true); turns++) {
    Atomics.wait(cell, 0, 0, 1200);
    await turn();
    await turn();
    overload.look();
  }
  overload.stop();
  assert.ok(heard.includes(true));
});

test("during an overload every route except health and metrics returns 503 with Retry-After and stores nothing; afterwards requests are accepted (reference reliability S123 and A12)", async () => {
  const world = await startWorld();
  const source = await aSource(world);
  let isOverloaded = true;
  const app = await buildApp({ ...world.platform, isOverloaded: () => isOverloaded });
  const url = await app.listen({ host: "127.0.0.1", port: await freePort() });
  whenDone(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: '{"title":"Hot"}' };
  const doors: [string, RequestInit][] = [
    [source.path, { ...post, headers: { ...post.headers, authorization: `Bearer ${source.key}` } }],
    ["/api/v4/version", { headers: { authorization: `Bearer ${await world.tokenOf("max", "api")}` } }],
    ["/.well-known/openid-configuration", {}],
    ["/users/sign_in", {}],
  ];
  const ask = async ([path, options]: (typeof doors)[number]) => {
    const { status, headers } = await fetch(url + path, options);
    return [path, status, headers.get("retry-after")];
  };
  const all = async () => Promise.all(doors.map(ask));
  const receipts = async () =>
    (await world.platform.db.one(row({ n: integer }), sql`select count(*) as n from alert_receipts`)).n;
  assert.deepEqual(
    await all(),
    doors.map(([path]) => [path, 503, "5"]),
  );
  assert.equal((await fetch(`${url}/nowhere/at/all`)).status, 503);
  assert.equal(await receipts(), 0);
  for (const path of ["/-/liveness", "/-/readiness", "/-/metrics"])
    assert.equal((await fetch(url + path)).status, 200, path);
  isOverloaded = false;
  assert.deepEqual(
    await all(),
    doors.map(([path]) => [path, 200, null]),
  );
  assert.equal(await receipts(), 1);
});
