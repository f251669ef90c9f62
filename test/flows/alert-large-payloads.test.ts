/** Alerts with large payloads: lists, exports and previews fetch a few at a time and return the same data. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { FETCHED_BYTES } from "../../src/alerts/alert.ts";
import { readPayloads } from "../../src/alerts/read-payloads.ts";
import { listAlerts } from "../../src/alerts/store-lists.ts";
import type { Queries } from "../../src/platform/db.ts";
import { aSource, type Source } from "../support/alerts.ts";
import { runJob } from "../support/jobs.ts";
import { signedIn } from "../support/visitor.ts";
import { startWorld, type World } from "../support/world.ts";

const API = "/api/v4/projects/acme%2Frocket";
const ALERTS = `${API}/alert_management_alerts`;
const LARGE = 7;

let world: World;
let source: Source;
before(async () => {
  world = await startWorld();
  source = await aSource(world);
  for (let n = 1; n <= LARGE; n++) await opened(n, "x".repeat(FETCHED_BYTES / 5));
});

async function opened(n: number, filling: string): Promise<void> {
  const payload = {
    title: `Large ${n}`,
    fingerprint: `large ${n}`,
    service: "depot",
    labels: { n },
    filling,
  };
  assert.equal((await source.send(payload)).status, 200);
}

const one = async (iid: number) => (await world.call(`${ALERTS}/${iid}`, { as: "dev" })).json;

test("a list above the fetch limit is read without payloads, which are then fetched a few at a time, in order (decision 0162)", async () => {
  const { db } = world.platform;
  const order = { by: "created_at", descending: false } as const;
  const page = (limit: number) => listAlerts(db, world.rocket.id, {}, order, { limit, offset: 0 });
  assert.ok((await page(4)).every(({ payload, firstPayload }) => payload !== null && firstPayload !== null));
  const listed = await page(LARGE);
  assert.ok(listed.every(({ payload, firstPayload }) => payload === null && firstPayload === null));
  const fetched: number[] = [];
  const counting: Pick<Queries, "many"> = {
    many: async (shape, statement) => {
      const rows = await db.many(shape, statement);
      fetched.push(rows.length);
      return rows;
    },
  };
  const labels: unknown[] = [];
  for await (const { payload } of readPayloads(counting as Queries, listed, { withFirst: true }))
    labels.push((payload as { labels: { n: number } }).labels.n);
  assert.deepEqual(labels, [1, 2, 3, 4, 5, 6, 7]);
  assert.ok(Math.max(...fetched) <= 4, `${fetched}`);
});

test("list and export return each alert as its own URL does (contract-alerts, list)", async () => {
  const iids = Array.from({ length: LARGE }, (_, index) => LARGE - index);
  const expected = await Promise.all(iids.map(one));
  const list = await world.call(`${ALERTS}?sort=created_at_desc`, { as: "dev" });
  assert.equal(list.headers.get("content-type"), "application/json");
  assert.equal(list.headers.get("x-total"), `${LARGE}`);
  assert.deepEqual(list.json, expected);
  assert.deepEqual((await world.call(`${ALERTS}/export`, { as: "dev" })).json, expected);
  const csv = await world.call(`${ALERTS}/export?format=csv`, { as: "dev" });
  assert.equal(csv.text.trimEnd().split("\r\n").length, LARGE + 1);
  const page = await (await signedIn(world, "dev")).get("/acme/rocket/-/alerts");
  assert.match(page.text, /Large 7[\s\S]*Large 1</);
});

test("conditions on large payloads work in a silence's preview and when another silence ends (decision 0096)", async () => {
  const ofLabel = (value: string) => ({ field: "payload", path: "labels.n", operator: "matches", value });
  const depot = { field: "service", operator: "equals", value: "depot" };
  const preview = (...matchers: object[]) =>
    world.call(`${API}/alert_silences/preview`, { as: "dev", json: { matchers } });
  const found = (await preview(depot, ofLabel("^[25]$"))).json;
  assert.deepEqual([found.matched, found.looked_at], [2, LARGE]);
  assert.equal((await preview({ ...depot, value: "yard" }, ofLabel("."))).json.matched, 0);
  assert.equal((await preview(depot)).json.matched, LARGE);
  const ends_at = new Date(Date.now() + 3_600_000).toISOString();
  const silence = async (...matchers: object[]) =>
    (await world.call(`${API}/alert_silences`, { as: "dev", json: { comment: "Work", ends_at, matchers } }))
      .json;
  const all = await silence(depot);
  await source.send({ title: "Quiet 8", fingerprint: "8", service: "depot", labels: { n: 8 } });
  await source.send({ title: "Quiet 9", fingerprint: "9", service: "depot", labels: { n: 9 } });
  const stays = await silence(ofLabel("9"));
  await world.call(`${API}/alert_silences/${all.id}`, { as: "dev", method: "DELETE" });
  await runJob(world, "silences");
  assert.deepEqual([(await one(8)).silence_id, (await one(9)).silence_id], [null, stays.id]);
});
